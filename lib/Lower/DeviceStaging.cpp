// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which parts of buffers a team keeps in shared memory, and where.
//
// A place that several nests of a kernel use is read from global memory once,
// before the first of them, and written once, by the last that writes. What
// nobody needs behind the kernel is not written to global memory at all. This
// needs a start from which a unit's elements lie densely, and writes that cover
// them all; other places stay in global memory, which the team's barriers order
// too. Places that are used one after the other share their memory, and so do
// two of which the second is written element by element from the first.
#include "DeviceSchedule.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tpc::lower {

std::optional<int64_t> denseElements(const DevicePart &part,
                                     ArrayRef<unsigned> dims, unsigned access) {
  if (part.loops.loops.offsets[access] != 0)
    return std::nullopt;
  SmallVector<std::pair<int64_t, int64_t>> moving;
  for (unsigned dim : dims)
    if (int64_t stride = part.stride(dim, access))
      moving.push_back({stride, part.loops.loops.dims[dim].extent});
  llvm::sort(moving);
  int64_t elements = 1;
  for (auto [stride, extent] : moving) {
    if (stride != elements)
      return std::nullopt;
    elements *= extent;
  }
  return elements;
}

namespace {

/// How one nest uses a place.
struct Use {
  unsigned part, access;
  bool writes;
  std::optional<int64_t> dense;
};

bool isWritten(const Nest &nest, unsigned access) {
  return llvm::any_of(nest.outputs, [&](const Nest::Output &output) {
    return output.access == access;
  });
}

SmallVector<unsigned> ownDims(const DevicePart &part) {
  SmallVector<unsigned> dims = part.parallel;
  llvm::append_range(dims, part.reductions);
  return dims;
}

SmallVector<Use> findUses(const DeviceKernel &schedule, unsigned pointer) {
  SmallVector<Use> uses;
  for (auto [number, part] : llvm::enumerate(schedule.parts))
    for (unsigned access = 0; access < part.pointers.size(); ++access)
      if (part.pointers[access] == pointer)
        uses.push_back({unsigned(number), access, isWritten(*part.nest, access),
                        denseElements(part, ownDims(part), access)});
  return uses;
}

/// Whether a use stays within the unit's first `elements`, which are `stride`
/// apart from those of the next unit.
bool staysWithin(const DevicePart &part, unsigned access, int64_t elements) {
  const NestLoops &loops = part.loops.loops;
  bool isIndirect = llvm::any_of(loops.indexStrides[access],
                                 [](int64_t stride) { return stride != 0; });
  if (!loops.isLinear || isIndirect)
    return false;
  int64_t first = loops.offsets[access], last = first;
  for (unsigned dim : ownDims(part)) {
    int64_t reach = (loops.dims[dim].extent - 1) * part.stride(dim, access);
    (reach < 0 ? first : last) += reach;
  }
  return first >= 0 && last < elements;
}

std::optional<StagedPlace> stagePlace(const Kernel &kernel,
                                      const DeviceKernel &schedule,
                                      unsigned pointer) {
  SmallVector<Use> uses = findUses(schedule, pointer);
  if (uses.empty() || uses.front().part == uses.back().part)
    return std::nullopt;
  StagedPlace place;
  place.firstPart = uses.front().part;
  place.lastPart = uses.back().part;
  std::optional<int64_t> stride;
  std::optional<unsigned> lastWriter;
  for (const Use &use : uses) {
    const DevicePart &part = schedule.parts[use.part];
    int64_t bytes = elementBytes(part.nest->accesses[use.access].elementType);
    std::optional<int64_t> unitStride =
        part.loops.loops.unitStride(use.access, kernel.units.value_or(1));
    if (!unitStride || (stride && *stride != *unitStride) ||
        (place.elementBytes && place.elementBytes != bytes))
      return std::nullopt;
    stride = unitStride;
    place.elementBytes = bytes;
    place.elements = std::max(place.elements, use.dense.value_or(0));
    if (use.part == uses.front().part)
      place.loads |= !use.writes;
    if (use.writes)
      lastWriter = use.part;
  }
  for (const Use &use : uses) {
    if (!staysWithin(schedule.parts[use.part], use.access, place.elements))
      return std::nullopt;
    // All is defined: by the load or by the first write.
    bool mustCover =
        use.writes && ((use.part == uses.front().part && !place.loads) ||
                       (use.part == *lastWriter && kernel.liveOut[pointer]));
    if (mustCover && use.dense != place.elements)
      return std::nullopt;
  }
  if (lastWriter && kernel.liveOut[pointer])
    place.storesIn = *lastWriter;
  if (place.loads)
    place.firstPart = 0;
  return place;
}

/// The memory of one team that is given out.
class TeamMemory {
public:
  TeamMemory(DeviceKernel &schedule, int64_t room)
      : schedule(schedule), room(room) {}

  /// Puts the place of `pointer` at the lowest offset, if there is one.
  void add(unsigned pointer, StagedPlace place);

private:
  bool isFree(unsigned pointer, const StagedPlace &place) const;
  bool takesOver(unsigned later, const StagedPlace &place, unsigned earlier,
                 const StagedPlace &other) const;

  DeviceKernel &schedule;
  int64_t room;
};

/// Whether the first part that uses place `later` writes it element by element
/// in the place of `earlier`, which no other part needs any more: each point
/// has read what it overwrites, and no other point reads that.
bool TeamMemory::takesOver(unsigned later, const StagedPlace &place,
                           unsigned earlier, const StagedPlace &other) const {
  if (place.loads || place.firstPart != other.lastPart ||
      place.offset != other.offset || place.elements != other.elements ||
      place.elementBytes != other.elementBytes)
    return false;
  const DevicePart &part = schedule.parts[place.firstPart];
  if (!part.reductions.empty() || part.count(part.parallel) != place.elements)
    return false;
  std::optional<unsigned> first;
  for (unsigned access = 0; access < part.pointers.size(); ++access) {
    if (part.pointers[access] != later && part.pointers[access] != earlier)
      continue;
    if (!first)
      first = access;
    if (part.loops.loops.offsets[access] != part.loops.loops.offsets[*first] ||
        llvm::any_of(part.parallel, [&](unsigned dim) {
          return part.stride(dim, access) != part.stride(dim, *first);
        }))
      return false;
  }
  return true;
}

bool TeamMemory::isFree(unsigned pointer, const StagedPlace &place) const {
  if (place.offset + place.alignedBytes() > room)
    return false;
  for (unsigned other = 0; other < schedule.staged.size(); ++other) {
    const std::optional<StagedPlace> &taken = schedule.staged[other];
    if (!taken || taken->lastPart < place.firstPart ||
        place.lastPart < taken->firstPart ||
        place.offset + place.alignedBytes() <= taken->offset ||
        taken->offset + taken->alignedBytes() <= place.offset)
      continue;
    if (!takesOver(pointer, place, other, *taken) &&
        !takesOver(other, *taken, pointer, place))
      return false;
  }
  return true;
}

void TeamMemory::add(unsigned pointer, StagedPlace place) {
  SmallVector<int64_t> offsets = {0};
  for (const std::optional<StagedPlace> &taken : schedule.staged)
    if (taken)
      offsets.append({taken->offset, taken->offset + taken->alignedBytes()});
  llvm::sort(offsets);
  for (int64_t offset : offsets) {
    place.offset = offset;
    if (!isFree(pointer, place))
      continue;
    schedule.teamBytes =
        std::max(schedule.teamBytes, offset + place.alignedBytes());
    schedule.staged[pointer] = place;
    return;
  }
}

} // namespace

int64_t StagedPlace::alignedBytes() const {
  return llvm::alignTo(elements * elementBytes, 16);
}

void stagePlaces(const Kernel &kernel, DeviceKernel &schedule, int64_t room) {
  SmallVector<std::pair<unsigned, StagedPlace>> candidates;
  for (unsigned pointer = 0; pointer < kernel.numPointers(); ++pointer)
    if (std::optional<StagedPlace> place =
            stagePlace(kernel, schedule, pointer))
      candidates.push_back({pointer, *place});
  // What has no other place comes first, and what never reaches global memory
  // next: it saves most.
  llvm::sort(candidates, [&](const auto &x, const auto &y) {
    if (kernel.internal[x.first] != kernel.internal[y.first])
      return bool(kernel.internal[x.first]);
    bool xMoves = x.second.loads || x.second.storesIn;
    bool yMoves = y.second.loads || y.second.storesIn;
    if (xMoves != yMoves)
      return yMoves;
    int64_t xBytes = x.second.alignedBytes(), yBytes = y.second.alignedBytes();
    return xBytes != yBytes ? xBytes < yBytes : x.first < y.first;
  });
  TeamMemory memory(schedule, room);
  for (auto &[pointer, place] : candidates)
    memory.add(pointer, place);
}

} // namespace tpc::lower
