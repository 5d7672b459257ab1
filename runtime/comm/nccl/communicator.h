// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The communicator of ranks on GPUs that talk through NCCL.
#ifndef TPC_RT_COMM_NCCL_COMMUNICATOR_H
#define TPC_RT_COMM_NCCL_COMMUNICATOR_H

#include "world.h"

namespace tpc::rt::nccl {

/// For a world whose devices are those of libtpc_rt_cuda.so, each on a GPU of
/// its own. Ranks are threads of this process or one per process.
Status createNcclCommunicator(World &world,
                              std::unique_ptr<Communicator> &comm);

} // namespace tpc::rt::nccl

#endif // TPC_RT_COMM_NCCL_COMMUNICATOR_H
