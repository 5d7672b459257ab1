// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that several threads of a device kernel share. They start from neutral
// elements and are joined in an order that follows from the shape; what an
// output starts from comes last.
#include "DeviceEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tpc::lower {

Value DeviceEmitter::widen(Value value) {
  if (!isHalf(value.getType()))
    return value;
  return arith::ExtFOp::create(b, b.getF32Type(), value);
}

Value DeviceEmitter::neutral(Operation *join) {
  TypedAttr value = *arith::getNeutralElement(join);
  if (isHalf(value.getType()))
    value = b.getF32FloatAttr(cast<FloatAttr>(value).getValueAsDouble());
  return arith::ConstantOp::create(b, value);
}

Value DeviceEmitter::join(Operation *join, Value x, Value y) {
  IRMapping mapping;
  mapping.map(join->getOperand(0), x);
  mapping.map(join->getOperand(1), y);
  return cloneOperation(*join, mapping, /*joins=*/true);
}

DeviceEmitter::Sums DeviceEmitter::emitPartialSums(Value first, int64_t step) {
  Sums start;
  SmallVector<Operation *> joins = *findJoins(*nest);
  for (Operation *join : joins)
    start.push_back(neutral(join));
  int64_t count = part->count(part->reductions) / part->vector;
  return emitLoop(first, count, step, start,
                  [&](Value number, ValueRange carried) {
                    setIndices(part->reductions, number, part->vector);
                    if (part->vector > 1)
                      return emitVector(part->reductions.back(), carried);
                    return emitPoint(carried);
                  });
}

/// 32 bits at a time: narrower values are extended, wider ones cut in two.
Value DeviceEmitter::shuffle(Value value, Value offset, gpu::ShuffleMode mode) {
  Type type = value.getType(), i32 = b.getI32Type();
  auto move = [&](Value bits) -> Value {
    Value width = arith::ConstantOp::create(b, b.getI32IntegerAttr(32));
    return gpu::ShuffleOp::create(b, bits, offset, width, mode)
        .getShuffleResult();
  };
  if (type.isF32() || type == i32)
    return move(value);
  if (type.getIntOrFloatBitWidth() < 32) {
    Value moved = move(arith::ExtUIOp::create(b, i32, value));
    return arith::TruncIOp::create(b, type, moved);
  }
  Value bits =
      isa<FloatType>(type) ? arith::BitcastOp::create(b, i64, value) : value;
  Value half = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
  Value low = move(arith::TruncIOp::create(b, i32, bits));
  Value high = move(
      arith::TruncIOp::create(b, i32, arith::ShRUIOp::create(b, bits, half)));
  Value upper =
      arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i64, high), half);
  Value joined =
      arith::OrIOp::create(b, upper, arith::ExtUIOp::create(b, i64, low));
  return isa<FloatType>(type) ? arith::BitcastOp::create(b, type, joined)
                              : joined;
}

DeviceEmitter::Sums DeviceEmitter::joinLanes(Sums sums, int64_t lanes) {
  SmallVector<Operation *> joins = *findJoins(*nest);
  for (int64_t offset = std::min<int64_t>(lanes, 32) / 2; offset > 0;
       offset /= 2)
    for (auto [number, operation] : llvm::enumerate(joins)) {
      Value distance =
          arith::ConstantOp::create(b, b.getI32IntegerAttr(offset));
      Value other = shuffle(sums[number], distance, gpu::ShuffleMode::XOR);
      sums[number] = join(operation, sums[number], other);
    }
  if (lanes <= 32)
    return sums;
  // Every warp leaves its sum, and all threads join those of their team.
  int64_t slots = schedule.block / 32;
  Value warp = quotient(thread, 32);
  Value firstWarp = times(quotient(thread, schedule.team), schedule.team / 32);
  emitIf(below(rest(thread, 32), 1), [&] {
    for (auto [number, sum] : llvm::enumerate(sums))
      LLVM::StoreOp::create(b, sum, joinSlot(number, slots, warp));
  });
  gpu::BarrierOp::create(b);
  for (auto [number, operation] : llvm::enumerate(joins)) {
    Type type = sums[number].getType();
    for (int64_t other = 0; other < lanes / 32; ++other) {
      Value sum = LLVM::LoadOp::create(
          b, type, joinSlot(number, slots, plus(firstWarp, constant(other))));
      sums[number] = other ? join(operation, sums[number], sum) : sum;
    }
  }
  // The slots are used again.
  gpu::BarrierOp::create(b);
  return sums;
}

void DeviceEmitter::storeSums(ValueRange sums) {
  SmallVector<Operation *> joins = *findJoins(*nest);
  unsigned accumulated = 0;
  for (const Nest::Output &output : nest->outputs) {
    if (!output.accumulated)
      continue;
    Operation *operation = joins[accumulated];
    Value start = widen(read(output.init));
    store(join(operation, start, sums[accumulated++]), output.access);
  }
}

/// 32 neighbouring results; rows of threads take every so many points, and the
/// first row joins what they have.
void DeviceEmitter::emitColumns() {
  enter(schedule.parts.front());
  int64_t results = part->count(part->parallel);
  int64_t rows = schedule.block / kTileSide;
  Value column = rest(thread, kTileSide), row = quotient(thread, kTileSide);
  Value result = plus(times(block, kTileSide), column), inside;
  if (results % kTileSide != 0) {
    inside = below(result, results);
    result = arith::MinSIOp::create(b, result, constant(results - 1));
  }
  setIndices(part->parallel, result);
  guard = inside;
  Sums sums = emitPartialSums(row, rows);
  guard = {};
  SmallVector<Operation *> joins = *findJoins(*nest);
  for (auto [number, sum] : llvm::enumerate(sums))
    LLVM::StoreOp::create(b, sum, joinSlot(number, schedule.block, thread));
  gpu::BarrierOp::create(b);
  Value stores = below(row, 1);
  if (inside)
    stores = arith::AndIOp::create(b, stores, inside);
  emitIf(stores, [&] {
    for (auto [number, operation] : llvm::enumerate(joins))
      for (int64_t other = 1; other < rows; ++other) {
        Value sum = LLVM::LoadOp::create(
            b, sums[number].getType(),
            joinSlot(number, schedule.block,
                     plus(column, constant(other * kTileSide))));
        sums[number] = join(operation, sums[number], sum);
      }
    storeSums(sums);
  });
}

} // namespace tpc::lower
