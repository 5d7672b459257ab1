// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where every buffer of a program lies.
#ifndef TPC_LOWER_BUFFERPLAN_H
#define TPC_LOWER_BUFFERPLAN_H

#include "Program.h"

namespace tpc::lower {

/// The memory of one buffer.
struct Storage {
  enum class Kind { Argument, Result, Constant, Workspace, Internal };
  Kind kind;
  /// Argument and Result: the number. Constant, and Internal (no memory): the
  /// buffer. Workspace: the offset in bytes.
  int64_t number;

  bool operator==(const Storage &other) const {
    return kind == other.kind && number == other.number;
  }
};

struct BufferPlan {
  /// Per buffer.
  std::vector<Storage> storage;
  int64_t workspaceBytes = 0;
};

/// Decides in-place reuse and the packing of one workspace from the order of
/// the actions. Buffers that are internal to a kernel get no memory.
BufferPlan planBuffers(const Program &program,
                       const std::vector<bool> &internal);

} // namespace tpc::lower

#endif // TPC_LOWER_BUFFERPLAN_H
