// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts what a device kernel moves, and the least that its inputs and outputs
// take.
#include "DeviceSchedule.h"

using namespace mlir;

namespace tpc::lower {

namespace {

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
