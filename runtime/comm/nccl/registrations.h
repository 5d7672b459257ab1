// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What NCCL is told of the memory that it moves, so that it does without copies
// of its own where the hardware lets it.
//
// The workspace of a function is a symmetric window where NCCL has them (from
// 2.27 on, and for ranks that reach each other's memory): its kernels then read
// and write the workspaces of all ranks. They take it that operands lie at the
// same offset on all ranks, and use a window on all ranks or on none. Both hold
// for workspaces: all ranks run one function, in which the place of a buffer is
// a constant, and the size of a workspace is in the manifest. Scratch memory is
// laid out by each rank for itself, and arguments and results are allocations
// of their own, of which each would take 2 MiB and a meeting of all ranks per
// communicator: these are registered by each rank alone, and a collective that
// has one of them as an operand is done without windows, on all ranks.
#ifndef TPC_RT_COMM_NCCL_REGISTRATIONS_H
#define TPC_RT_COMM_NCCL_REGISTRATIONS_H

#include "connections.h"

namespace tpc::rt::nccl {

/// Of one rank in one call.
class Registrations {
public:
  struct Buffer {
    const void *data;
    int64_t bytes;
  };

  /// Registers with a communicator, the first time it is seen. All its ranks
  /// come to this together.
  Status add(Connections &connections, int32_t rank, ncclComm_t comm,
             Buffer workspace, const std::vector<Buffer> &others,
             const std::string &label);
  /// Takes everything back, as far as the communicators are there.
  void clear(Connections &connections, int32_t rank);

private:
  /// Of which generation of communicators all this is.
  int64_t generation = -1;
  std::set<ncclComm_t> known;
  std::vector<std::pair<ncclComm_t, void *>> buffers;
  std::vector<std::pair<ncclComm_t, void *>> windows;
};

/// Zeroed memory that can be a window of NCCL's.
Status allocateForWindow(const Library &library, Device &device, int64_t bytes,
                         std::shared_ptr<void> &memory);

} // namespace tpc::rt::nccl

#endif // TPC_RT_COMM_NCCL_REGISTRATIONS_H
