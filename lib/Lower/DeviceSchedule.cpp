// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the form of device kernels: which loop runs along the threads, so
// that neighbours read neighbours, and how many threads share a sum.
//
// All numbers follow from the shapes alone, and every sum is joined in one
// order: results are the same on every GPU.
#include "DeviceSchedule.h"
#include "EmitPoint.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tpc::lower {

namespace {

/// Shorter sums are done by one thread.
constexpr int64_t kMinShared = 16;
/// So many results keep a GPU busy with a thread each.
constexpr int64_t kManyResults = 1 << 18;
/// Threads that add in memory, if there are rows enough for them.
constexpr int64_t kManyAdders = 1 << 16;
/// Units below which a team takes as many threads as it can use.
constexpr int64_t kManyUnits = 512;
constexpr int64_t kMaxTeam = 512;
/// A block that takes so much shared memory is alone on its processor: it has
/// as many threads as a block can have.
constexpr int64_t kAlone = 80 << 10;
constexpr int64_t kMaxTeamAlone = 1024;
/// Shared memory of blocks that share it among several teams.
constexpr int64_t kSeveralTeams = 16 << 10;

bool accumulates(const Nest &nest) {
  return llvm::any_of(nest.outputs, [](const Nest::Output &output) {
    return output.accumulated || output.adds;
  });
}

bool scans(const Nest &nest) {
  return llvm::any_of(nest.outputs, [](const Nest::Output &output) {
    return output.scan != Nest::Output::Scan::None;
  });
}

bool isOutput(const Nest &nest, unsigned access) {
  return llvm::any_of(nest.outputs, [&](const Nest::Output &output) {
    return output.access == access;
  });
}

bool isIndirect(const DevicePart &part, unsigned access) {
  return llvm::any_of(part.loops.loops.indexStrides[access],
                      [](int64_t stride) { return stride != 0; });
}

/// Some read that runs along as many points as any is contiguous in a
/// reduction.
bool sumsRows(const DevicePart &part) {
  int64_t most = 0;
  bool rows = false;
  for (unsigned access = 0; access < part.nest->accesses.size(); ++access) {
    if (isOutput(*part.nest, access))
      continue;
    int64_t moved = 1;
    bool contiguous = false;
    for (auto [position, dim] : llvm::enumerate(part.loops.loops.dims)) {
      if (dim.strides[access] != 0)
        moved *= dim.extent;
      contiguous |= dim.reduction && std::abs(dim.strides[access]) == 1;
    }
    if (moved > most) {
      most = moved;
      rows = contiguous;
    }
  }
  return rows;
}

DevicePart makePart(const KernelPart &source, std::optional<int64_t> units) {
  DevicePart part;
  part.nest = source.nest;
  part.pointers = source.pointers;
  part.loops = arrangeLoops(*source.nest, units);
  part.joins = findJoins(*source.nest);
  const NestLoops &loops = part.loops.loops;
  bool ordered = accumulates(*source.nest);
  for (auto [position, dim] : llvm::enumerate(loops.dims)) {
    if (position < part.loops.prefix)
      part.launch.push_back(position);
    else if (dim.reduction && ordered)
      part.reductions.push_back(position);
    else
      part.parallel.push_back(position);
  }
  // Dims that only say "reduction" are parallel where nothing is accumulated.
  if (!ordered)
    llvm::sort(part.parallel, [&](unsigned x, unsigned y) {
      unsigned target = source.nest->outputs[0].access;
      int64_t xStride = part.stride(x, target),
              yStride = part.stride(y, target);
      return xStride != yStride ? xStride > yStride : x < y;
    });
  part.vectorised.assign(source.nest->accesses.size(), false);
  return part;
}

/// Whether `width` elements along `inner` from a multiple of it on lie side by
/// side, aligned.
bool isVector(const DevicePart &part, unsigned access, unsigned inner,
              int64_t width, bool aligned) {
  const NestLoops &loops = part.loops.loops;
  if (!aligned || loops.dims[inner].strides[access] != 1 ||
      loops.offsets[access] % width != 0)
    return false;
  for (auto [position, dim] : llvm::enumerate(loops.dims))
    if (position != inner && dim.strides[access] % width != 0)
      return false;
  for (auto [index, stride] : llvm::enumerate(loops.indexStrides[access]))
    if (stride % width != 0 ||
        (stride != 0 &&
         part.stride(inner, part.nest->indices[index].access) != 0))
      return false;
  return true;
}

/// Chooses how many neighbours along the last of `dims` a thread takes: as many
/// as 16 bytes hold of the widest type.
void chooseVector(DevicePart &part, const Kernel &kernel,
                  ArrayRef<unsigned> dims, bool mayHaveTail) {
  const Nest &nest = *part.nest;
  if (dims.empty() || !part.loops.loops.isLinear || scans(nest) ||
      llvm::any_of(nest.outputs, [](auto &output) { return output.adds; }))
    return;
  unsigned inner = dims.back();
  int64_t widest = 1;
  for (auto [number, access] : llvm::enumerate(nest.accesses))
    if (part.stride(inner, number) != 0)
      widest = std::max(widest, elementBytes(access.elementType));
  for (int64_t width = 16 / widest; width > 1; width /= 2) {
    int64_t extent = part.loops.loops.dims[inner].extent;
    if (mayHaveTail ? extent < width : extent % width != 0)
      continue;
    SmallVector<bool> vectorised;
    bool fits = true;
    for (unsigned access = 0; access < nest.accesses.size(); ++access) {
      vectorised.push_back(isVector(part, access, inner, width,
                                    kernel.aligned[part.pointers[access]]));
      fits &= vectorised.back() || part.stride(inner, access) == 0;
    }
    if (!fits || !llvm::is_contained(vectorised, true))
      continue;
    part.vector = width;
    part.vectorised = vectorised;
    return;
  }
}

/// The dim that some operand is contiguous in but not along the threads.
std::optional<unsigned> findTileDim(const DevicePart &part) {
  if (!part.loops.loops.isLinear || part.parallel.empty())
    return std::nullopt;
  unsigned inner = part.parallel.back();
  auto extent = [&](unsigned dim) { return part.loops.loops.dims[dim].extent; };
  constexpr int64_t kWorthwhile = 8;
  int64_t bytes = 0;
  std::optional<unsigned> found;
  for (unsigned access = 0; access < part.nest->accesses.size(); ++access) {
    int64_t stride = part.stride(inner, access);
    if (stride == 0 || stride == 1)
      continue;
    if (isOutput(*part.nest, access) || isIndirect(part, access))
      return std::nullopt;
    for (unsigned dim : part.parallel) {
      if (!part.isTurned(access, inner, dim))
        continue;
      if (found && *found != dim)
        return std::nullopt;
      found = dim;
      bytes += part.tileBytes(access);
    }
  }
  if (!found || bytes > kStaticShared || extent(inner) < kWorthwhile ||
      extent(*found) < kWorthwhile)
    return std::nullopt;
  return found;
}

void setBlocks(DeviceKernel &kernel, int64_t items) {
  kernel.block = items >= (1 << 16)
                     ? 256
                     : std::clamp<int64_t>(llvm::alignTo(items, 32), 32, 128);
  kernel.grid = llvm::divideCeil(items, kernel.block);
}

void schedulePoints(DeviceKernel &kernel, const Kernel &source) {
  DevicePart &part = kernel.parts.front();
  if (std::optional<unsigned> tileDim = findTileDim(part)) {
    kernel.kind = DeviceKernel::Kind::Transpose;
    kernel.tileDim = *tileDim;
    unsigned inner = part.parallel.back();
    int64_t tiles = 1;
    for (unsigned dim : part.parallel) {
      int64_t extent = part.loops.loops.dims[dim].extent;
      tiles *= dim == inner || dim == *tileDim
                   ? llvm::divideCeil(extent, kTileSide)
                   : extent;
    }
    kernel.block = 256;
    kernel.grid = tiles;
    for (unsigned access = 0; access < part.nest->accesses.size(); ++access)
      if (part.isTurned(access, inner, *tileDim))
        kernel.sharedBytes += part.tileBytes(access);
    return;
  }
  kernel.kind = DeviceKernel::Kind::Point;
  chooseVector(part, source, part.parallel, part.parallel.size() == 1);
  int64_t points = part.count(part.parallel);
  setBlocks(kernel, points / part.vector + points % part.vector);
}

void scheduleColumns(DeviceKernel &kernel, unsigned numSums) {
  const DevicePart &part = kernel.parts.front();
  kernel.kind = DeviceKernel::Kind::Column;
  int64_t rows = std::clamp<int64_t>(
      llvm::bit_floor(uint64_t(part.count(part.reductions) / 4)), 2, 16);
  // The sums of a block meet in shared memory.
  while (rows > 1 && numSums * rows * kTileSide * kJoinSlot > kStaticShared)
    rows /= 2;
  kernel.block = kTileSide * rows;
  kernel.grid = llvm::divideCeil(part.count(part.parallel), kTileSide);
  kernel.sharedBytes = numSums * rows * kTileSide * kJoinSlot;
}

/// What the team does in each part, and how many threads it has.
void scheduleRows(DeviceKernel &kernel, const Kernel &source, int64_t units,
                  int64_t sharedLimit) {
  kernel.kind = DeviceKernel::Kind::Row;
  int64_t most = 1;
  unsigned sums = 0;
  for (DevicePart &part : kernel.parts) {
    int64_t results = part.count(part.parallel);
    int64_t shared = part.count(part.reductions);
    bool joins = !part.reductions.empty() && part.joins &&
                 shared >= kMinShared / 2 &&
                 (results < kTileSide || sumsRows(part));
    if (scans(*part.nest) && results < kTileSide) {
      part.form = DevicePart::Form::Scan;
    } else if (joins) {
      part.form = DevicePart::Form::Join;
      chooseVector(part, source, part.reductions, /*mayHaveTail=*/false);
    } else if (!accumulates(*part.nest)) {
      chooseVector(part, source, part.parallel, /*mayHaveTail=*/false);
    }
    int64_t width = part.form == DevicePart::Form::Results ? 1 : shared;
    most = std::max(most, results * width / part.vector);
    if (part.form != DevicePart::Form::Results)
      sums = std::max<unsigned>(sums, part.nest->outputs.size());
  }
  auto bytesToJoin = [](unsigned sums, int64_t team) {
    return int64_t(llvm::alignTo(sums * (team / 32) * kJoinSlot, 16));
  };
  int64_t room = sharedLimit - bytesToJoin(sums, kMaxTeamAlone);
  stagePlaces(source, kernel, room);
  int64_t perThread = units < kManyUnits ? 1 : 4;
  int64_t team = std::min<int64_t>(
      kernel.teamBytes > kAlone ? kMaxTeamAlone : kMaxTeam,
      llvm::bit_ceil(uint64_t(llvm::divideCeil(most, perThread))));
  int64_t together = std::max<int64_t>(1, 128 / team);
  together = std::min(together, units & -units);
  // Each team of a block has its places there.
  if (kernel.teamBytes > 0)
    together = std::min<int64_t>(
        together, llvm::bit_floor(
                      uint64_t(std::max<int64_t>(1, room / kernel.teamBytes))));
  team = std::max<int64_t>(team, 32 / together);
  kernel.team = team;
  kernel.block = team * together;
  sums = 0;
  for (DevicePart &part : kernel.parts) {
    if (part.form == DevicePart::Form::Results)
      continue;
    bool whole = part.form == DevicePart::Form::Scan ||
                 part.count(part.parallel) < team / 32;
    part.lanes = whole ? team : std::min<int64_t>(team, 32);
    if (part.lanes > 32)
      sums = std::max<unsigned>(sums, part.nest->outputs.size());
  }
  int64_t joinBytes = bytesToJoin(sums, std::max(team, kMaxTeam));
  while (kernel.block > 32 && kernel.block > team &&
         kernel.teams() * kernel.teamBytes > kSeveralTeams)
    kernel.block /= 2;
  kernel.grid = units / kernel.teams();
  kernel.sharedBytes = joinBytes + kernel.teams() * kernel.teamBytes;
}

/// Where a thread adds all that goes to its column, there may be few of them:
/// several take a range of the rows each, and skip what goes elsewhere.
void chooseOwners(DeviceKernel &kernel, int64_t results) {
  const DevicePart &part = kernel.parts.front();
  const Nest &nest = *part.nest;
  if (nest.outputs.size() != 1 || !nest.outputs[0].adds)
    return;
  int64_t most = 1;
  for (auto [number, index] : llvm::enumerate(nest.indices)) {
    int64_t stride =
        part.loops.loops.indexStrides[nest.outputs[0].access][number];
    if (stride != 0 && index.bound > most) {
      most = index.bound;
      kernel.ownerIndex = number;
    }
  }
  kernel.owners = std::clamp<int64_t>(kManyAdders / results, 1, most);
}

void scheduleReduction(DeviceKernel &kernel, const Kernel &source,
                       int64_t sharedLimit) {
  DevicePart &part = kernel.parts.front();
  int64_t results = part.count(part.parallel);
  int64_t shared = part.count(part.reductions);
  bool isScan = scans(*part.nest);
  if (shared >= kMinShared && (part.joins || isScan) && sumsRows(part)) {
    std::swap(part.launch, part.parallel);
    return scheduleRows(kernel, source, results, sharedLimit);
  }
  if (shared >= kMinShared && part.joins && results < kManyResults &&
      int64_t(part.nest->outputs.size()) * kTileSide * kJoinSlot <=
          kStaticShared)
    return scheduleColumns(kernel, part.nest->outputs.size());
  kernel.kind = DeviceKernel::Kind::Result;
  chooseOwners(kernel, results);
  setBlocks(kernel, results * kernel.owners);
}

/// Whether all element numbers fit into 31 bits.
bool isNarrow(const DeviceKernel &kernel) {
  constexpr int64_t kLimit = std::numeric_limits<int32_t>::max();
  for (const DevicePart &part : kernel.parts) {
    const NestLoops &loops = part.loops.loops;
    if (part.nest->points() > kLimit / 2)
      return false;
    for (unsigned access = 0; access < part.nest->accesses.size(); ++access) {
      if (!loops.isLinear)
        return false;
      int64_t reach = std::abs(loops.offsets[access]);
      for (const NestLoops::Dim &dim : loops.dims)
        reach += (dim.extent - 1) * std::abs(dim.strides[access]);
      for (auto [index, stride] : llvm::enumerate(loops.indexStrides[access]))
        reach += (part.nest->indices[index].bound - 1) * std::abs(stride);
      if (reach > kLimit / 2)
        return false;
    }
  }
  return true;
}

} // namespace

std::optional<Joins> findJoins(const Nest &nest) {
  Joins joins;
  for (auto [number, output] : llvm::enumerate(nest.outputs)) {
    if (!output.accumulated)
      continue;
    Operation *join = findJoin(nest, number);
    if (!join || join->getNumOperands() != 2 ||
        output.scan != Nest::Output::Scan::None ||
        !arith::getNeutralElement(join)) {
      joins.operations.clear();
      joins.selection = findSelection(nest);
      return joins.selection ? std::optional(joins) : std::nullopt;
    }
    joins.operations.push_back(join);
  }
  if (joins.operations.empty())
    return std::nullopt;
  return joins;
}

int64_t DevicePart::tileBytes(unsigned access) const {
  return llvm::alignTo(kTileSide * (kTileSide + 1) *
                           elementBytes(nest->accesses[access].elementType),
                       16);
}

int64_t DeviceKernel::ownedRows() const {
  return llvm::divideCeil(parts.front().nest->indices[ownerIndex].bound,
                          owners);
}

StringRef DeviceKernel::kindName() const {
  switch (kind) {
  case Kind::Point:
    return "point";
  case Kind::Transpose:
    return "transpose";
  case Kind::Result:
    return "result";
  case Kind::Column:
    return "column";
  case Kind::Row:
    return "row";
  }
  llvm_unreachable("all kinds are named");
}

DeviceKernel scheduleDeviceKernel(const Kernel &source, int64_t sharedLimit) {
  DeviceKernel kernel;
  for (const KernelPart &part : source.parts)
    kernel.parts.push_back(makePart(part, source.units));
  kernel.staged.resize(source.numPointers());
  kernel.narrow = isNarrow(kernel);
  if (source.units)
    scheduleRows(kernel, source, *source.units, sharedLimit);
  else if (accumulates(*source.parts.front().nest))
    scheduleReduction(kernel, source, sharedLimit);
  else
    schedulePoints(kernel, source);
  kernel.traffic = countTraffic(source, kernel);
  return kernel;
}

} // namespace tpc::lower
