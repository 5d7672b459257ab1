// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups loop nests into kernels.
//
// The nests of a group share their launch range: unit u of the kernel runs unit
// u of each nest in turn, and the units of one kernel run in any order. So what
// one nest writes and another one uses, must be used by the same unit only:
// both accesses have the same stride per unit and stay within it. A group of
// one unit has no such condition; that is for programs so small that the calls
// cost more than the work. And since pointers of a kernel do not alias, what is
// written must be reached from one start by all. Groups end at the borders of
// loops and branches.
#include "KernelGroups.h"
#include "Kernels.h"
#include "NestLoops.h"

using namespace mlir;

namespace tpc::lower {

namespace {

constexpr unsigned kMaxNests = 16;
/// Fewer units would leave threads without work.
constexpr int64_t kMinUnits = 32;
/// What the nests of one unit may touch to stay in cache, and on a device: what
/// may stay in the shared memory of a block, and as much again twice that comes
/// in or goes out.
constexpr int64_t kMaxUnitBytes = 256 << 10;
constexpr int64_t kMaxDeviceUnitBytes = 640 << 10;
/// Shorter rows are better done as one long loop.
constexpr int64_t kMinUnitPoints = 64;
/// Nests of so few points are grouped whatever the number of units.
constexpr int64_t kSmallPoints = 4096;

/// The group that is being collected.
class GroupBuilder {
public:
  GroupBuilder(Program &program, unsigned number, bool forDevice)
      : program(program), number(number), forDevice(forDevice) {}

  /// Adds the next action if it fits.
  bool tryAdd(unsigned action);

private:
  struct Member {
    unsigned action;
    NestLoops loops;
  };

  bool sharesBuffer(const Nest &nest) const;
  bool isWorthwhile(int64_t units, ArrayRef<Member> candidates) const;
  bool isIndependent(int64_t units, ArrayRef<Member> candidates) const;

  Program &program;
  unsigned number;
  bool forDevice;
  SmallVector<Member, 4> members;
};

bool GroupBuilder::sharesBuffer(const Nest &nest) const {
  for (const Member &member : members)
    for (const Access &mine : program.actions[member.action].nest.accesses)
      for (const Access &other : nest.accesses)
        if (mine.buffer == other.buffer)
          return true;
  return false;
}

/// True when what a unit reads is a column: its neighbours belong to other
/// units.
bool hasColumns(const NestLoops &loops, int64_t units) {
  unsigned prefix = *loops.findPrefix(units);
  for (unsigned access = 0; prefix > 0 && access < loops.offsets.size();
       ++access) {
    bool moves = false, contiguous = false;
    for (const NestLoops::Dim &dim : ArrayRef(loops.dims).drop_front(prefix)) {
      moves |= dim.strides[access] != 0;
      contiguous |= dim.strides[access] == 1;
    }
    if (moves && !contiguous && loops.dims[prefix - 1].strides[access] == 1)
      return true;
  }
  return false;
}

bool GroupBuilder::isWorthwhile(int64_t units,
                                ArrayRef<Member> candidates) const {
  int64_t most = 0, bytes = 0;
  // A device keeps what several nests use once.
  llvm::SmallDenseMap<BufferId, int64_t> kept;
  for (const Member &member : candidates) {
    const Nest &nest = program.actions[member.action].nest;
    most = std::max(most, nest.points());
    // Of a stack a nest may touch one slice.
    for (const Access &access : nest.accesses) {
      int64_t touched =
          std::min(program.buffers[access.buffer].bytes,
                   nest.points() * elementBytes(access.elementType)) /
          units;
      int64_t &known = kept[access.buffer];
      bytes += forDevice ? std::max<int64_t>(touched - known, 0) : touched;
      known = std::max(known, touched);
    }
  }
  if (forDevice && llvm::any_of(candidates, [&](const Member &member) {
        return hasColumns(member.loops, units);
      }))
    return false;
  if (most <= kSmallPoints)
    return true;
  if (units < kMinUnits ||
      bytes > (forDevice ? kMaxDeviceUnitBytes : kMaxUnitBytes))
    return false;
  // A nest with a point or two per row may come along, a long one with short
  // rows not.
  return llvm::all_of(candidates, [&](const Member &member) {
    int64_t points = program.actions[member.action].nest.points();
    return points / units >= kMinUnitPoints || points <= most / kMinUnitPoints;
  });
}

bool GroupBuilder::isIndependent(int64_t units,
                                 ArrayRef<Member> candidates) const {
  // Per buffer: the stride and the start all accesses must have, once one of
  // them is a write.
  struct Use {
    std::optional<int64_t> stride;
    const HostOffsets *start = nullptr;
    bool agree = true, sameStart = true, written = false;
    unsigned nests = 0, lastNest = ~0u;
  };
  llvm::SmallDenseMap<BufferId, Use> uses;
  for (const Member &member : candidates) {
    const Nest &nest = program.actions[member.action].nest;
    SmallVector<bool> written(nest.accesses.size(), false);
    for (const Nest::Output &output : nest.outputs)
      written[output.access] = true;
    for (auto [index, access] : llvm::enumerate(nest.accesses)) {
      Use &use = uses[access.buffer];
      std::optional<int64_t> stride = member.loops.unitStride(index, units);
      if (use.nests == 0) {
        use.stride = stride;
        use.start = &access.offsets;
      }
      use.agree &= stride.has_value() && use.stride == stride;
      use.sameStart &= *use.start == access.offsets;
      use.written |= written[index];
      if (use.lastNest != member.action)
        ++use.nests;
      use.lastNest = member.action;
    }
  }
  return llvm::all_of(uses, [&](const auto &entry) {
    const Use &use = entry.second;
    bool sameUnits = units == 1 || use.nests == 1 || use.agree;
    return !use.written || (use.sameStart && sameUnits);
  });
}

bool GroupBuilder::tryAdd(unsigned action) {
  const Nest &nest = program.actions[action].nest;
  if (members.size() == kMaxNests || nest.points() == 0)
    return false;
  SmallVector<Member, 4> candidates = members;
  candidates.push_back({action, NestLoops(nest)});
  if (members.empty()) {
    members = std::move(candidates);
    return true;
  }
  if (!sharesBuffer(nest))
    return false;
  size_t operands = 0;
  for (const Member &member : candidates) {
    const Nest &other = program.actions[member.action].nest;
    operands += other.accesses.size() + other.scalars.size();
  }
  if (forDevice && operands > kMaxParameters)
    return false;
  // The finest division that all nests have and that keeps units independent.
  SmallVector<int64_t> divisions = candidates.back().loops.prefixUnits();
  for (int64_t units : llvm::reverse(divisions)) {
    bool allHave = llvm::all_of(candidates, [&](const Member &member) {
      return member.loops.findPrefix(units).has_value();
    });
    if (!allHave || !isIndependent(units, candidates) ||
        !isWorthwhile(units, candidates))
      continue;
    members = std::move(candidates);
    for (const Member &member : members) {
      program.actions[member.action].group = number;
      program.actions[member.action].units = units;
    }
    return true;
  }
  return false;
}

} // namespace

void groupKernels(Program &program, bool forDevice) {
  std::optional<GroupBuilder> open;
  unsigned number = 0;
  for (auto [index, action] : llvm::enumerate(program.actions)) {
    // Host arithmetic has no part in buffers: groups reach across it.
    if (action.kind == Action::Kind::Scalar) {
      action.group = number;
      continue;
    }
    bool isLoops = action.kind == Action::Kind::Loops;
    if (open && isLoops && open->tryAdd(index))
      continue;
    action.group = ++number;
    open.reset();
    if (isLoops) {
      open.emplace(program, number, forDevice);
      if (!open->tryAdd(index))
        open.reset();
    }
  }
}

bool mayShareInGroup(const Program &program, unsigned action, BufferId target,
                     BufferId source) {
  const std::vector<Action> &actions = program.actions;
  unsigned begin = action;
  while (begin > 0 && actions[begin - 1].group == actions[action].group)
    --begin;
  bool oneUnit = !actions[action].units || *actions[action].units == 1;
  std::optional<int64_t> common;
  for (unsigned index = begin;
       index < actions.size() && actions[index].group == actions[action].group;
       ++index) {
    const Action &member = actions[index];
    if (member.kind != Action::Kind::Loops)
      continue;
    NestLoops loops(member.nest);
    for (auto [number, access] : llvm::enumerate(member.nest.accesses)) {
      if (access.buffer != target && access.buffer != source)
        continue;
      if (!access.offsets.empty())
        return false;
      if (oneUnit)
        continue;
      std::optional<int64_t> stride = loops.unitStride(number, *member.units);
      if (!stride || (common && common != stride))
        return false;
      common = stride;
    }
  }
  return true;
}

} // namespace tpc::lower
