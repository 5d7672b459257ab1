// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which parts of buffers a team keeps in shared memory, and what a
// kernel moves.
//
// A place that several nests of a kernel use is read from global memory once,
// before the first of them, and written once, by the last that writes. What
// nobody needs behind the kernel is not written to global memory at all. This
// needs a start from which a unit's elements lie densely, and writes that cover
// them all; other places stay in global memory, which the team's barriers order
// too.
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
  return place;
}

/// What is known of the elements of one place that a kernel reads or writes.
class Footprint {
public:
  void add(int64_t first, int64_t last, int64_t count) {
    for (Range &range : ranges)
      if (first <= range.last && range.first <= last) {
        range.first = std::min(range.first, first);
        range.last = std::max(range.last, last);
        range.count = std::max(range.count, count);
        return;
      }
    ranges.push_back({first, last, count});
  }
  int64_t count() const {
    int64_t sum = 0;
    for (const Range &range : ranges)
      sum += range.count;
    return sum;
  }

private:
  struct Range {
    int64_t first, last, count;
  };
  SmallVector<Range, 1> ranges;
};

struct Extent {
  int64_t first = 0, last = 0, count = 1;
};

/// The elements of an access, each once. Through an index it may be any.
Extent elementsOf(const DevicePart &part, unsigned access) {
  const NestLoops &loops = part.loops.loops;
  Extent extent{loops.offsets[access], loops.offsets[access], 1};
  SmallVector<bool> moves;
  for (const NestLoops::Dim &dim : loops.dims)
    moves.push_back(dim.strides[access] != 0);
  bool indirect = false;
  for (auto [index, stride] : llvm::enumerate(loops.indexStrides[access])) {
    if (stride == 0)
      continue;
    indirect = true;
    const Nest::Index &source = part.nest->indices[index];
    extent.last += (source.bound - 1) * stride;
    for (auto [position, dim] : llvm::enumerate(loops.dims))
      moves[position] = moves[position] || dim.strides[source.access] != 0;
  }
  for (auto [position, dim] : llvm::enumerate(loops.dims)) {
    if (!moves[position])
      continue;
    extent.count *= dim.extent;
    int64_t reach = (dim.extent - 1) * dim.strides[access];
    (reach < 0 ? extent.first : extent.last) += reach;
  }
  if (loops.isLinear && !indirect)
    extent.count = std::min(extent.count, extent.last - extent.first + 1);
  return extent;
}

} // namespace

void stagePlaces(const Kernel &kernel, DeviceKernel &schedule, int64_t room) {
  SmallVector<std::pair<unsigned, StagedPlace>> candidates;
  for (unsigned pointer = 0; pointer < kernel.numPointers(); ++pointer)
    if (std::optional<StagedPlace> place =
            stagePlace(kernel, schedule, pointer))
      candidates.push_back({pointer, *place});
  // What never reaches global memory saves most.
  auto bytes = [](const StagedPlace &place) {
    return int64_t(llvm::alignTo(place.elements * place.elementBytes, 16));
  };
  llvm::sort(candidates, [&](const auto &x, const auto &y) {
    bool xMoves = x.second.loads || x.second.storesIn;
    bool yMoves = y.second.loads || y.second.storesIn;
    if (xMoves != yMoves)
      return yMoves;
    int64_t xBytes = bytes(x.second), yBytes = bytes(y.second);
    return xBytes != yBytes ? xBytes < yBytes : x.first < y.first;
  });
  for (auto &[pointer, place] : candidates) {
    if (schedule.teamBytes + bytes(place) > room)
      continue;
    place.offset = schedule.teamBytes;
    schedule.teamBytes += bytes(place);
    schedule.staged[pointer] = place;
  }
}

KernelTraffic countTraffic(const Kernel &kernel, const DeviceKernel &schedule) {
  KernelTraffic traffic;
  SmallVector<Footprint> reads(kernel.numPointers());
  SmallVector<Footprint> writes(kernel.numPointers());
  SmallVector<int64_t> bytes(kernel.numPointers(), 0);
  SmallVector<bool> written(kernel.numPointers(), false);
  for (auto [number, part] : llvm::enumerate(schedule.parts)) {
    // Accesses to the same elements are one pass.
    llvm::SmallDenseSet<std::pair<unsigned, AffineExpr>> passes;
    SmallVector<unsigned> stores;
    for (unsigned access = 0; access < part.pointers.size(); ++access) {
      unsigned pointer = part.pointers[access];
      bytes[pointer] = elementBytes(part.nest->accesses[access].elementType);
      const Nest::Output *output =
          llvm::find_if(part.nest->outputs, [&](const Nest::Output &output) {
            return output.access == access;
          });
      bool writesIt = output != part.nest->outputs.end();
      if (writesIt)
        stores.push_back(access);
      if (writesIt && !output->adds)
        continue;
      Extent extent = elementsOf(part, access);
      bool first =
          passes.insert({pointer, part.loops.addresses[access]}).second;
      if (first && !schedule.staged[pointer])
        traffic.read += extent.count * bytes[pointer];
      if (!written[pointer])
        reads[pointer].add(extent.first, extent.last, extent.count);
    }
    for (unsigned access : stores) {
      unsigned pointer = part.pointers[access];
      Extent extent = elementsOf(part, access);
      const std::optional<StagedPlace> &staged = schedule.staged[pointer];
      if (!staged || (staged->storesIn && *staged->storesIn == number))
        traffic.written += extent.count * bytes[pointer];
      writes[pointer].add(extent.first, extent.last, extent.count);
      written[pointer] = true;
    }
  }
  for (unsigned pointer = 0; pointer < kernel.numPointers(); ++pointer) {
    if (const auto &staged = schedule.staged[pointer]; staged && staged->loads)
      traffic.read +=
          kernel.units.value_or(1) * staged->elements * staged->elementBytes;
    traffic.leastRead += reads[pointer].count() * bytes[pointer];
    if (kernel.liveOut[pointer])
      traffic.leastWritten += writes[pointer].count() * bytes[pointer];
  }
  return traffic;
}

} // namespace tpc::lower
