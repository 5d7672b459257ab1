// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that several threads of a device kernel share. They start from neutral
// elements and are joined in an order that follows from the shape; what an
// output starts from comes last. Selections start from that in every thread.
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

DeviceEmitter::Sums DeviceEmitter::neutralSums() {
  Sums sums;
  if (part->joins->selection)
    for (const Nest::Output &output : nest->outputs)
      sums.push_back(read(output.init));
  for (Operation *join : part->joins->operations)
    sums.push_back(neutral(join));
  return sums;
}

/// The body on the two, the one of the earlier point carried and the other as a
/// point's own.
DeviceEmitter::Sums DeviceEmitter::joinSelected(const Selection &selection,
                                                ValueRange x, ValueRange y) {
  Value inOrder = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                        x[selection.order], y[selection.order]);
  IRMapping mapping;
  for (auto [number, carried] : llvm::enumerate(selection.carried)) {
    auto choose = [&](Value one, Value other) {
      return arith::SelectOp::create(b, inOrder, one, other);
    };
    mapping.map(carried, choose(x[number], y[number]));
    mapping.map(selection.candidates[number], choose(y[number], x[number]));
  }
  for (Operation *op : selection.operations)
    mapping.map(op->getResult(0),
                cloneOperation(*op, mapping, /*joins=*/false));
  Sums sums;
  for (Value yielded : nest->body->front().getTerminator()->getOperands())
    sums.push_back(mapping.lookup(yielded));
  return sums;
}

DeviceEmitter::Sums DeviceEmitter::joinSums(ValueRange x, ValueRange y) {
  if (part->joins->selection)
    return joinSelected(*part->joins->selection, x, y);
  Sums sums;
  for (auto [number, operation] : llvm::enumerate(part->joins->operations))
    sums.push_back(join(operation, x[number], y[number]));
  return sums;
}

void DeviceEmitter::leaveSums(ValueRange sums, int64_t count, Value number) {
  for (auto [sum, value] : llvm::enumerate(sums))
    LLVM::StoreOp::create(b, toStorage(value), joinSlot(sum, count, number));
}

DeviceEmitter::Sums DeviceEmitter::fetchSums(ValueRange like, int64_t count,
                                             Value number) {
  Sums sums;
  for (auto [sum, value] : llvm::enumerate(like)) {
    Type type = value.getType();
    Value stored = LLVM::LoadOp::create(b, storageType(type),
                                        joinSlot(sum, count, number));
    sums.push_back(fromStorage(stored, type));
  }
  return sums;
}

DeviceEmitter::Sums DeviceEmitter::emitPartialSums(Value first, int64_t step) {
  Sums start = neutralSums();
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
  if (isHalf(type)) {
    Value bits = arith::BitcastOp::create(b, b.getI16Type(), value);
    return arith::BitcastOp::create(b, type, shuffle(bits, offset, mode));
  }
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
  for (int64_t offset = std::min<int64_t>(lanes, 32) / 2; offset > 0;
       offset /= 2) {
    Value distance = arith::ConstantOp::create(b, b.getI32IntegerAttr(offset));
    Sums others;
    for (Value sum : sums)
      others.push_back(shuffle(sum, distance, gpu::ShuffleMode::XOR));
    sums = joinSums(sums, others);
  }
  if (lanes <= 32)
    return sums;
  // Every warp leaves its sum, and all threads join those of their team.
  int64_t slots = schedule.block / 32;
  Value warp = quotient(thread, 32);
  Value firstWarp = times(quotient(thread, schedule.team), schedule.team / 32);
  emitIf(below(rest(thread, 32), 1), [&] { leaveSums(sums, slots, warp); });
  gpu::BarrierOp::create(b);
  Sums all = fetchSums(sums, slots, firstWarp);
  for (int64_t other = 1; other < lanes / 32; ++other)
    all =
        joinSums(all, fetchSums(sums, slots, plus(firstWarp, constant(other))));
  // The slots are used again.
  gpu::BarrierOp::create(b);
  return all;
}

void DeviceEmitter::storeSums(ValueRange sums) {
  unsigned accumulated = 0;
  for (const Nest::Output &output : nest->outputs) {
    if (!output.accumulated)
      continue;
    Value sum = sums[accumulated];
    if (!part->joins->selection)
      sum = join(part->joins->operations[accumulated], widen(read(output.init)),
                 sum);
    store(sum, output.access);
    ++accumulated;
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
  leaveSums(sums, schedule.block, thread);
  gpu::BarrierOp::create(b);
  Value stores = below(row, 1);
  if (inside)
    stores = arith::AndIOp::create(b, stores, inside);
  emitIf(stores, [&] {
    for (int64_t other = 1; other < rows; ++other)
      sums =
          joinSums(sums, fetchSums(sums, schedule.block,
                                   plus(column, constant(other * kTileSide))));
    storeSums(sums);
  });
}

} // namespace tpc::lower
