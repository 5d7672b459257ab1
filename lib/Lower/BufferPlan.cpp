// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans memory for a program.
//
// Two buffers share their memory (a slot) when one is written in place of the
// other, which an action or a copy offers, and no content of one is needed
// while the other's is. The nests of a kernel group run interleaved, so that
// lifetimes count in groups: buffers of one slot are used in one group only
// where the one takes over from the other in every unit.
//
// Copies come first, those in the innermost loops before others: a carried
// tensor of a loop is updated in place where its old value is not needed any
// more, however large it is. Slots that hold a result are the result's buffer;
// the others are packed into the workspace, largest first, each into the
// tightest gap between the slots that live at the same time.
#include "BufferPlan.h"
#include "KernelGroups.h"
#include "Lifetimes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tpc::lower {

namespace {

constexpr int64_t kAlignment = 64;

struct Slot {
  int64_t bytes = 0;
  Lifetime life;
  std::optional<unsigned> result;
  /// Kernel groups, from the first to the last that uses it.
  unsigned begin = 0, end = 0;
  int64_t offset = 0;

  bool overlaps(const Slot &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

/// Gives the slots without a result their offsets; returns the total size.
int64_t packSlots(std::vector<Slot> &slots) {
  std::vector<Slot *> order;
  for (Slot &slot : slots)
    if (!slot.result && !slot.life.empty())
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

class BufferPlanner {
public:
  BufferPlanner(const Program &program, const std::vector<bool> &internal)
      : program(program), internal(internal), slots(program.buffers.size()),
        parent(program.buffers.size()) {}

  BufferPlan run();

private:
  /// One buffer may be written in place of another.
  struct Offer {
    unsigned time;
    BufferId target, source;
  };

  std::vector<Offer> collectOffers() const;
  unsigned slotOf(BufferId buffer);
  bool takesOver(unsigned time, unsigned later, unsigned earlier);
  bool mayJoin(unsigned x, unsigned y);
  void join(unsigned x, unsigned y);
  unsigned groupOf(unsigned time) const {
    return time == program.actions.size() ? ~0u : program.actions[time].group;
  }
  bool isComputed(BufferId buffer) const {
    return program.buffers[buffer].origin == Buffer::Origin::Computed &&
           !internal[buffer];
  }

  const Program &program;
  const std::vector<bool> &internal;
  /// By the number of a buffer that stands for all of the slot.
  std::vector<Slot> slots;
  std::vector<unsigned> parent;
};

unsigned BufferPlanner::slotOf(BufferId buffer) {
  while (parent[buffer] != buffer)
    buffer = parent[buffer] = parent[parent[buffer]];
  return buffer;
}

/// Copies by falling depth of loops, then what else there is, in order.
std::vector<BufferPlanner::Offer> BufferPlanner::collectOffers() const {
  std::vector<std::pair<unsigned, Offer>> copies;
  std::vector<Offer> others;
  unsigned depth = 0;
  for (auto [time, action] : llvm::enumerate(program.actions)) {
    depth += action.kind == Action::Kind::LoopBegin;
    depth -= action.kind == Action::Kind::LoopEnd;
    for (auto [target, source] : action.reuse) {
      if (!isComputed(source) || internal[target])
        continue;
      Offer offer{unsigned(time), target, source};
      if (action.kind == Action::Kind::Copy)
        copies.push_back({depth, offer});
      else
        others.push_back(offer);
    }
  }
  llvm::sort(copies, [](const auto &x, const auto &y) {
    return x.first != y.first ? x.first > y.first
                              : x.second.time < y.second.time;
  });
  std::vector<Offer> offers;
  for (const auto &copy : copies)
    offers.push_back(copy.second);
  llvm::append_range(offers, others);
  return offers;
}

/// True when the action at `time` may write a buffer of slot `later` in place
/// of one of slot `earlier`.
bool BufferPlanner::takesOver(unsigned time, unsigned later, unsigned earlier) {
  return llvm::any_of(program.actions[time].reuse, [&](const auto &offer) {
    auto [target, source] = offer;
    return slotOf(target) == later && slotOf(source) == earlier &&
           mayShareInGroup(program, time, target, source);
  });
}

bool BufferPlanner::mayJoin(unsigned x, unsigned y) {
  if (x == y || slots[x].bytes != slots[y].bytes ||
      (slots[x].result && slots[y].result))
    return false;
  const Interval *xs = slots[x].life.begin(), *ys = slots[y].life.begin();
  while (xs != slots[x].life.end() && ys != slots[y].life.end()) {
    bool xFirst = xs->begin < ys->begin;
    const Interval &earlier = xFirst ? *xs : *ys, &later = xFirst ? *ys : *xs;
    if (groupOf(earlier.end) >= groupOf(later.begin) &&
        (earlier.end != later.begin ||
         !takesOver(later.begin, xFirst ? y : x, xFirst ? x : y)))
      return false;
    (xFirst ? xs : ys)++;
  }
  return true;
}

void BufferPlanner::join(unsigned x, unsigned y) {
  parent[y] = x;
  Lifetime both;
  std::merge(
      slots[x].life.begin(), slots[x].life.end(), slots[y].life.begin(),
      slots[y].life.end(), std::back_inserter(both),
      [](const Interval &a, const Interval &b) { return a.begin < b.begin; });
  slots[x].life.clear();
  for (const Interval &interval : both) {
    Lifetime &life = slots[x].life;
    if (!life.empty() && interval.begin <= life.back().end)
      life.back().end = std::max(life.back().end, interval.end);
    else
      life.push_back(interval);
  }
  slots[y].life.clear();
  if (!slots[x].result)
    slots[x].result = slots[y].result;
}

BufferPlan BufferPlanner::run() {
  std::vector<Lifetime> lifetimes = findLifetimes(program);
  for (auto [buffer, info] : llvm::enumerate(program.buffers)) {
    parent[buffer] = buffer;
    slots[buffer].bytes = info.bytes;
    slots[buffer].result = info.result;
    if (isComputed(buffer))
      slots[buffer].life = std::move(lifetimes[buffer]);
  }
  for (const Offer &offer : collectOffers()) {
    unsigned target = slotOf(offer.target), source = slotOf(offer.source);
    if (mayJoin(target, source))
      join(target, source);
  }
  for (Slot &slot : slots)
    if (!slot.life.empty()) {
      slot.begin = groupOf(slot.life.front().begin);
      slot.end = groupOf(slot.life.back().end);
    }
  BufferPlan plan;
  plan.workspaceBytes = packSlots(slots);
  for (auto [buffer, info] : llvm::enumerate(program.buffers)) {
    const Slot &slot = slots[slotOf(buffer)];
    if (info.origin == Buffer::Origin::Argument)
      plan.storage.push_back({Storage::Kind::Argument, info.argument});
    else if (info.origin == Buffer::Origin::Constant)
      plan.storage.push_back({Storage::Kind::Constant, int64_t(buffer)});
    else if (internal[buffer])
      plan.storage.push_back({Storage::Kind::Internal, int64_t(buffer)});
    else if (slot.result)
      plan.storage.push_back({Storage::Kind::Result, int64_t(*slot.result)});
    else
      plan.storage.push_back({Storage::Kind::Workspace, slot.offset});
  }
  return plan;
}

} // namespace

BufferPlan planBuffers(const Program &program,
                       const std::vector<bool> &internal) {
  return BufferPlanner(program, internal).run();
}

} // namespace tpc::lower
