// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The communicator of ranks that reach each other's device memory.
#ifndef TPC_RT_CUDA_LOCAL_H
#define TPC_RT_CUDA_LOCAL_H

#include "world.h"

namespace tpc::rt::cuda {

/// For a world whose devices are of this library.
Status createPeerCommunicator(World &world,
                              std::unique_ptr<Communicator> &comm);

} // namespace tpc::rt::cuda

#endif // TPC_RT_CUDA_LOCAL_H
