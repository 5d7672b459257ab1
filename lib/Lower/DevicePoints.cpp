// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device kernels whose threads have points or results of their own, and tiles
// that are turned in shared memory.
#include "DeviceEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tpc::lower {

/// Threads for the vectors, and for what is left behind the last one.
void DeviceEmitter::emitPoints() {
  enter(schedule.parts.front());
  int64_t points = part->count(part->parallel);
  int64_t vectors = points / part->vector, rest = points % part->vector;
  Value number = plus(times(block, schedule.block), thread);
  bool isExact = vectors + rest == schedule.grid * schedule.block;
  if (part->vector == 1)
    return emitIf(isExact ? Value() : below(number, points), [&] {
      setIndices(part->parallel, number);
      emitPoint({});
    });
  emitIf(isExact && rest == 0 ? Value() : below(number, vectors), [&] {
    setIndices(part->parallel, number, part->vector);
    emitVector(part->parallel.back(), {});
  });
  if (rest == 0)
    return;
  Value behind = arith::SubIOp::create(b, number, constant(vectors));
  Value isRest = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, behind,
                                       constant(rest));
  emitIf(isRest, [&] {
    indices[part->parallel.front()] =
        plus(behind, constant(vectors * part->vector));
    emitPoint({});
  });
}

/// A block fills tiles of the operands that are contiguous in the tile dim,
/// along that dim, and then goes along the other one.
void DeviceEmitter::emitTiles() {
  enter(schedule.parts.front());
  unsigned x = part->parallel.back(), y = schedule.tileDim;
  auto extent = [&](unsigned dim) {
    return part->loops.loops.dims[dim].extent;
  };
  auto tilesOf = [&](unsigned dim) {
    return int64_t(llvm::divideCeil(extent(dim), kTileSide));
  };
  Value number = block;
  Value xFirst = times(rest(number, tilesOf(x)), kTileSide);
  number = quotient(number, tilesOf(x));
  Value yFirst = times(rest(number, tilesOf(y)), kTileSide);
  number = quotient(number, tilesOf(y));
  SmallVector<unsigned> others = part->parallel;
  llvm::erase(others, x);
  llvm::erase(others, y);
  setIndices(others, number);
  Value along = rest(thread, kTileSide), across = quotient(thread, kTileSide);
  int64_t rows = schedule.block / kTileSide;

  /// Runs `body` with x and y at `along` one of them and all rows of the other.
  auto forRows = [&](unsigned alongDim, function_ref<void(Value)> body) {
    unsigned acrossDim = alongDim == x ? y : x;
    auto first = [&](unsigned dim) { return dim == x ? xFirst : yFirst; };
    for (int64_t row = 0; row < kTileSide; row += rows) {
      Value place = plus(across, constant(row));
      indices[alongDim] = plus(first(alongDim), along);
      indices[acrossDim] = plus(first(acrossDim), place);
      Value inside;
      for (unsigned dim : {x, y}) {
        if (extent(dim) % kTileSide == 0)
          continue;
        Value fits = below(indices[dim], extent(dim));
        inside = inside ? arith::AndIOp::create(b, inside, fits) : fits;
      }
      emitIf(inside, [&] { body(place); });
    }
  };
  /// The tile of `access` at the element that is `xPlace` and `yPlace` from its
  /// start.
  auto tileAddress = [&](unsigned access, int64_t start, Value xPlace,
                         Value yPlace) {
    Value element = plus(times(xPlace, kTileSide + 1), yPlace);
    return at(sharedAddress(constant(start)),
              storageType(nest->accesses[access].elementType), element);
  };
  SmallVector<std::pair<unsigned, int64_t>> tiled;
  int64_t bytes = 0;
  for (unsigned access = 0; access < nest->accesses.size(); ++access) {
    if (!part->isTurned(access, x, y))
      continue;
    tiled.push_back({access, bytes});
    bytes += part->tileBytes(access);
  }
  for (auto [access, start] : tiled)
    forRows(y, [&, access = access, start = start](Value place) {
      Type type = storageType(nest->accesses[access].elementType);
      Value element = LLVM::LoadOp::create(b, type, globalAddress(access));
      LLVM::StoreOp::create(b, element,
                            tileAddress(access, start, place, along));
    });
  gpu::BarrierOp::create(b);
  forRows(x, [&](Value place) {
    for (auto [access, start] : tiled)
      tiles[access] = tileAddress(access, start, along, place);
    emitPoint({});
  });
}

void DeviceEmitter::emitResults() {
  enter(schedule.parts.front());
  int64_t results = part->count(part->parallel);
  Value number = plus(times(block, schedule.block), thread);
  int64_t threads = results * schedule.owners;
  bool isExact = threads == schedule.grid * schedule.block;
  emitIf(isExact ? Value() : below(number, threads), [&] {
    if (schedule.owners > 1) {
      firstOwned = times(quotient(number, results), schedule.ownedRows());
      number = rest(number, results);
    }
    setIndices(part->parallel, number);
    emitResult();
  });
}

/// The point, if what it adds goes to the thread's rows.
void DeviceEmitter::emitOwned() {
  readIndices();
  Value place =
      arith::SubIOp::create(b, indexValues[schedule.ownerIndex], firstOwned);
  Value isOwn = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, place,
                                      constant(schedule.ownedRows()));
  emitIf(isOwn, [&] { emitPoint({}); });
}

void DeviceEmitter::emitResult() {
  Sums start;
  for (const Nest::Output &output : nest->outputs)
    if (output.accumulated)
      start.push_back(read(output.init));
  // A sum of 16-bit floats goes on in 32 bits.
  unsigned accumulated = 0;
  for (auto [number, output] : llvm::enumerate(nest->outputs))
    if (output.accumulated) {
      Value &value = start[accumulated++];
      bool isScan = output.scan != Nest::Output::Scan::None;
      if (isScan || findJoin(*nest, number))
        value = widen(value);
    }
  std::function<Sums(Dims, ValueRange)> loops = [&](Dims dims,
                                                    ValueRange carried) {
    if (dims.empty() && firstOwned) {
      emitOwned();
      return Sums();
    }
    if (dims.empty())
      return emitPoint(carried);
    return emitLoop(constant(0), part->loops.loops.dims[dims[0]].extent, 1,
                    carried, [&](Value index, ValueRange inner) {
                      indices[dims[0]] = index;
                      return loops(dims.drop_front(), inner);
                    });
  };
  Sums sums = loops(part->reductions, start);
  accumulated = 0;
  for (const Nest::Output &output : nest->outputs) {
    if (!output.accumulated)
      continue;
    Value sum = sums[accumulated++];
    if (output.scan == Nest::Output::Scan::None)
      store(sum, output.access);
  }
}

} // namespace tpc::lower
