// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans memory for a straight-line program.
//
// Lifetimes are intervals of kernel groups, since there is no control flow and
// the nests of one group run interleaved. A buffer that an action may write in
// place of an operand that dies there shares the operand's memory (a slot).
// Slots that hold a result are the result's buffer; the others are packed into
// the workspace, largest first, each into the tightest gap between the slots
// that live at the same time.
#include "BufferPlan.h"
#include "KernelGroups.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tpc::lower {

namespace {

constexpr int64_t kAlignment = 64;

struct Slot {
  int64_t bytes = 0;
  unsigned begin = ~0u, end = 0;
  std::optional<unsigned> result;
  int64_t offset = 0;

  bool overlaps(const Slot &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

/// Gives the slots without a result their offsets; returns the total size.
int64_t packSlots(std::vector<Slot> &slots) {
  std::vector<Slot *> order;
  for (Slot &slot : slots)
    if (!slot.result && slot.begin != ~0u)
      order.push_back(&slot);
  llvm::sort(order, [](const Slot *x, const Slot *y) {
    return x->bytes != y->bytes ? x->bytes > y->bytes : x->begin < y->begin;
  });
  int64_t total = 0;
  std::vector<Slot *> placed; // by offset
  for (Slot *slot : order) {
    int64_t bytes = llvm::alignTo(slot->bytes, kAlignment);
    int64_t cursor = 0, best = -1, bestGap = INT64_MAX;
    for (const Slot *other : placed) {
      if (!other->overlaps(*slot))
        continue;
      int64_t gap = other->offset - cursor;
      if (gap >= bytes && gap < bestGap) {
        best = cursor;
        bestGap = gap;
      }
      cursor = std::max<int64_t>(
          cursor, other->offset + llvm::alignTo(other->bytes, kAlignment));
    }
    slot->offset = best < 0 ? cursor : best;
    total = std::max(total, slot->offset + bytes);
    placed.insert(llvm::upper_bound(placed, slot,
                                    [](const Slot *x, const Slot *y) {
                                      return x->offset < y->offset;
                                    }),
                  slot);
  }
  return total;
}

} // namespace

BufferPlan planBuffers(const Program &program) {
  unsigned count = program.buffers.size(), end = program.actions.size();
  // The last action that uses a buffer; `end` for results.
  std::vector<unsigned> lastUse(count, 0);
  for (auto [time, action] : llvm::enumerate(program.actions)) {
    for (BufferId buffer : action.reads)
      lastUse[buffer] = time;
    for (BufferId buffer : action.writes)
      lastUse[buffer] = time;
  }
  for (auto [buffer, info] : llvm::enumerate(program.buffers))
    if (info.result)
      lastUse[buffer] = end;
  auto groupOf = [&](unsigned time) {
    return time == end ? ~0u : program.actions[time].group;
  };

  // One slot per computed buffer, in which later buffers may follow.
  std::vector<Slot> slots(count);
  std::vector<unsigned> slotOf(count);
  std::vector<bool> reused(count, false), written(count, false);
  for (BufferId buffer = 0; buffer < count; ++buffer)
    slotOf[buffer] = buffer;
  auto isComputed = [&](BufferId buffer) {
    return program.buffers[buffer].origin == Buffer::Origin::Computed;
  };
  for (unsigned time = 0; time < end; ++time) {
    const Action &action = program.actions[time];
    for (auto [target, source] : action.reuse) {
      if (written[target] || slotOf[target] != target || reused[source] ||
          !isComputed(source) || lastUse[source] != time ||
          program.buffers[source].bytes != program.buffers[target].bytes ||
          !mayShareInGroup(program, time, target, source))
        continue;
      slotOf[target] = slotOf[source];
      reused[source] = true;
    }
    auto touch = [&](BufferId buffer) {
      if (!isComputed(buffer))
        return;
      Slot &slot = slots[slotOf[buffer]];
      slot.begin = std::min(slot.begin, action.group);
      slot.end = std::max(slot.end, groupOf(lastUse[buffer]));
      slot.bytes = std::max(slot.bytes, program.buffers[buffer].bytes);
    };
    llvm::for_each(action.reads, touch);
    llvm::for_each(action.writes, touch);
    for (BufferId buffer : action.writes)
      written[buffer] = true;
  }
  for (auto [buffer, info] : llvm::enumerate(program.buffers))
    if (info.result)
      slots[slotOf[buffer]].result = info.result;

  BufferPlan plan;
  plan.workspaceBytes = packSlots(slots);
  for (auto [buffer, info] : llvm::enumerate(program.buffers)) {
    const Slot &slot = slots[slotOf[buffer]];
    if (info.origin == Buffer::Origin::Argument)
      plan.storage.push_back({Storage::Kind::Argument, info.argument});
    else if (info.origin == Buffer::Origin::Constant)
      plan.storage.push_back({Storage::Kind::Constant, int64_t(buffer)});
    else if (slot.result)
      plan.storage.push_back({Storage::Kind::Result, int64_t(*slot.result)});
    else
      plan.storage.push_back({Storage::Kind::Workspace, slot.offset});
  }
  return plan;
}

} // namespace tpc::lower
