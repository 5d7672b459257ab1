// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a rank does a collective where ranks do not see each other's memory:
// pieces it packs, what it gives to the library that moves data, and pieces it
// unpacks or adds up. Decided before anything runs, without CUDA or NCCL.
//
// A step that is one of the library's own is given to it whole: contiguous
// where it lies, or packed. Everything else is messages between pairs of ranks,
// of the useful bytes alone; reductions of those are done here, in rank order.
#ifndef TPC_RT_COMM_NCCL_SCHEDULE_H
#define TPC_RT_COMM_NCCL_SCHEDULE_H

#include "manifest.h"

namespace tpc::rt::nccl {

enum class Memory : uint8_t { Input, Output, Scratch };

/// Bytes from the start of a part's input or output, or of the scratch memory.
struct Place {
  Memory memory = Memory::Scratch;
  int32_t part = 0;
  int64_t offset = 0;
};

/// A rectangle that the rank moves in its own memory. Several sources are
/// combined in their order, none gives the neutral element.
struct Move {
  DType dtype = DType::F32;
  Reduction reduction = Reduction::Sum;
  /// `sources` are numbers of `sources` below.
  Transfer transfer;
  Place target;
  std::vector<Place> sources;
};

enum class Operation : uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  Send,
  Receive
};

/// A call of the library; all of a phase are one group.
struct Message {
  Operation operation = Operation::Send;
  DType dtype = DType::F32;
  Reduction reduction = Reduction::Sum;
  /// Elements that a rank sends (of a reduce-scatter: receives).
  int64_t count = 0;
  Place from;
  Place to;
  /// Of messages: the other one, by its number in the group.
  int32_t peer = 0;
};

struct Phase {
  std::vector<Move> before;
  std::vector<Message> messages;
  std::vector<Move> after;
};

struct Schedule {
  /// Ranks of the group, ascending.
  std::vector<int32_t> members;
  std::vector<Phase> phases;
  int64_t scratchBytes = 0;
};

/// Whether NCCL has the reduction with the meaning it has here. What it adds up
/// it adds in an order of its own, 16-bit floats rounded at each step; NaNs
/// may lose in its maxima.
bool isNative(DType dtype, Reduction reduction);

/// The most ranks whose values one move combines.
constexpr size_t mostCombined = 64;

/// Plans `collective` for `rank`.
TPC_RT_SHARED Status planSchedule(const Mesh &mesh,
                                  const Collective &collective, int32_t rank,
                                  Schedule &schedule);

} // namespace tpc::rt::nccl

#endif // TPC_RT_COMM_NCCL_SCHEDULE_H
