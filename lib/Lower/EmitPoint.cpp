// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes reads, body and writes of a nest at one point.
//
// Floating-point flags: `contract` everywhere (fused multiply-add), and
// `reassoc` on the operation that joins a sum or product with the next element,
// which is what lets LLVM keep several partial sums. Neither assumes anything
// of NaN, infinities or signed zeros in elementwise code.
#include "EmitPoint.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tpc::lower {

bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

/// How a scalar lies in memory. Brain floats are read and written as integers:
/// most targets have no instructions for them.
Type storageType(Type type) {
  if (type.isBF16())
    return IntegerType::get(type.getContext(), 16);
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  if (type.isInteger(1))
    return IntegerType::get(type.getContext(), 8);
  return type;
}

SmallVector<Type> hostScalarTypes(const Kernel &kernel) {
  SmallVector<Type> types;
  for (const KernelPart &part : kernel.parts)
    for (OpFoldResult scalar : part.nest->scalars)
      if (auto value = dyn_cast<Value>(scalar))
        types.push_back(storageType(value.getType()));
  return types;
}

Value PointEmitter::fromStorage(Value stored, Type type) {
  if (type.isBF16())
    return arith::BitcastOp::create(b, type, stored);
  if (type.isIndex())
    return arith::IndexCastOp::create(b, type, stored);
  if (type.isInteger(1))
    return arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne, stored,
        arith::ConstantOp::create(b, b.getI8IntegerAttr(0)));
  return stored;
}

Value PointEmitter::toStorage(Value value) {
  if (value.getType().isBF16())
    return arith::BitcastOp::create(b, b.getI16Type(), value);
  if (value.getType().isInteger(1))
    return arith::ExtUIOp::create(b, b.getI8Type(), value);
  return value;
}

Value PointEmitter::evaluate(AffineExpr expr) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return constant(number.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return indices[dim.getPosition()];
  if (auto index = dyn_cast<AffineSymbolExpr>(expr))
    return indexValues[index.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = evaluate(binary.getLHS()), rhs = evaluate(binary.getRHS());
  auto exact = arith::IntegerOverflowFlags::nsw;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(b, lhs, rhs, exact);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(b, lhs, rhs, exact);
  case AffineExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(b, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return arith::CeilDivSIOp::create(b, lhs, rhs);
  case AffineExprKind::Mod: {
    Value quotient = arith::FloorDivSIOp::create(b, lhs, rhs);
    return arith::SubIOp::create(b, lhs,
                                 arith::MulIOp::create(b, quotient, rhs));
  }
  default:
    llvm_unreachable("addresses have dims, indices and constants only");
  }
}

/// Addresses are computed with indices within range whatever memory holds, so
/// that reads need no branch.
void PointEmitter::readIndices() {
  indexValues.clear();
  inRange = {};
  for (Nest::Index index : nest->indices) {
    Value value = load(index.access);
    if (value.getType() != i64)
      value = arith::ExtSIOp::create(b, i64, value);
    Value bound =
        arith::ConstantOp::create(b, b.getI64IntegerAttr(index.bound));
    Value valid =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, value, bound);
    if (indexType != i64)
      value = arith::TruncIOp::create(b, indexType, value);
    indexValues.push_back(
        arith::SelectOp::create(b, valid, value, constant(0)));
    inRange = inRange ? arith::AndIOp::create(b, inRange, valid) : valid;
  }
}

bool PointEmitter::isIndirect(unsigned access) const {
  for (unsigned index = 0; index < nest->indices.size(); ++index)
    if (addresses[access].isFunctionOfSymbol(index))
      return true;
  return false;
}

Value PointEmitter::addressOf(unsigned access) {
  Type type = storageType(nest->accesses[access].elementType);
  return LLVM::GEPOp::create(
      b, ptr, type, pointerValues[pointers[access]],
      ArrayRef<LLVM::GEPArg>{evaluate(addresses[access])},
      LLVM::GEPNoWrapFlags::inbounds);
}

Value PointEmitter::selectInRange(Value stored, unsigned access) {
  if (!isIndirect(access))
    return stored;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(stored.getType()));
  return arith::SelectOp::create(b, inRange, stored, zero);
}

Value PointEmitter::load(unsigned access) {
  Type type = nest->accesses[access].elementType;
  Value stored = LLVM::LoadOp::create(b, storageType(type), addressOf(access));
  return fromStorage(selectInRange(stored, access), type);
}

Value PointEmitter::roundToStorage(Value value, unsigned access) {
  Type type = nest->accesses[access].elementType;
  if (value.getType() != type)
    value = arith::TruncFOp::create(b, type, value);
  return toStorage(value);
}

void PointEmitter::store(Value value, unsigned access) {
  LLVM::StoreOp::create(b, roundToStorage(value, access), addressOf(access));
}

/// 16-bit floats are added in 32 bits.
Value PointEmitter::add(Value lhs, Value rhs) {
  if (!isa<FloatType>(lhs.getType()))
    return arith::AddIOp::create(b, lhs, rhs);
  auto widen = [&](Value value) -> Value {
    if (!isHalf(value.getType()))
      return value;
    return arith::ExtFOp::create(b, b.getF32Type(), value);
  };
  return arith::AddFOp::create(b, widen(lhs), widen(rhs));
}

void PointEmitter::addInMemory(Value value, unsigned access) {
  auto branch = scf::IfOp::create(b, inRange, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Type type = nest->accesses[access].elementType;
  Value held = fromStorage(
      LLVM::LoadOp::create(b, storageType(type), addressOf(access)), type);
  store(add(held, value), access);
}

Value PointEmitter::read(Nest::Source source) {
  switch (source.kind) {
  case Nest::Source::Kind::None:
    return nullptr;
  case Nest::Source::Kind::Scalar:
    return scalarValues[source.number];
  case Nest::Source::Kind::Access:
    return load(source.number);
  }
  llvm_unreachable("all kinds of sources are handled");
}

/// `joins`: the operation adds an element to what is accumulated. 16-bit floats
/// are computed in 32 bits and rounded.
Value PointEmitter::cloneOperation(Operation &op, IRMapping &mapping,
                                   bool joins) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    Value value = evaluate(originalDims[index.getDim()]);
    return arith::IndexCastOp::create(b, b.getIndexType(), value);
  }
  bool keepsType =
      isa<arith::ExtFOp, arith::TruncFOp, arith::BitcastOp, arith::ConstantOp>(
          op);
  SmallVector<Value> operands;
  for (Value operand : op.getOperands()) {
    Value value = mapping.lookup(operand);
    if (!keepsType && isHalf(value.getType()))
      value = arith::ExtFOp::create(b, b.getF32Type(), value);
    operands.push_back(value);
  }
  Type type = op.getResult(0).getType();
  bool rounds = !keepsType && isHalf(type);
  bool widens = rounds && joins && keepsSumsWide;
  OperationState state(b.getLoc(), op.getName());
  state.addOperands(operands);
  state.addTypes(rounds ? b.getF32Type() : type);
  state.addAttributes(op.getAttrDictionary().getValue());
  Operation *clone = b.create(state);
  if (auto flags = dyn_cast<arith::ArithFastMathInterface>(clone);
      flags && isa<FloatType>(type)) {
    auto wanted = arith::FastMathFlags::contract;
    if (joins)
      wanted = wanted | arith::FastMathFlags::reassoc;
    if (auto given = flags.getFastMathFlagsAttr())
      wanted = wanted | given.getValue();
    clone->setAttr(flags.getFastMathAttrName(),
                   arith::FastMathFlagsAttr::get(b.getContext(), wanted));
  }
  Value result = clone->getResult(0);
  if (rounds && !widens)
    result = arith::TruncFOp::create(b, type, result);
  return result;
}

Operation *findJoin(Value carried, Value yielded) {
  Operation *join = yielded.getDefiningOp();
  bool onlyHere = join && join->hasOneUse() && carried.hasOneUse() &&
                  *carried.user_begin() == join;
  return onlyHere ? join : nullptr;
}

Operation *findJoin(const Nest &nest, unsigned number) {
  if (!nest.body || !nest.outputs[number].accumulated)
    return nullptr;
  Block &body = nest.body->front();
  return findJoin(body.getArgument(nest.inputs.size() + number),
                  body.getTerminator()->getOperand(number));
}

SmallVector<Value> PointEmitter::emitBody(ValueRange carried) {
  SmallVector<Value> inputs;
  readIndices();
  for (Nest::Source input : nest->inputs)
    inputs.push_back(read(input));
  if (!nest->body)
    return inputs;
  Block &body = nest->body->front();
  IRMapping mapping;
  for (auto [argument, value] : llvm::zip(body.getArguments(), inputs))
    if (value)
      mapping.map(argument, value);
  llvm::SmallPtrSet<Operation *, 4> joining;
  unsigned accumulated = 0;
  for (auto [number, output] : llvm::enumerate(nest->outputs)) {
    Value start =
        output.accumulated ? carried[accumulated++] : read(output.init);
    if (start)
      mapping.map(body.getArgument(inputs.size() + number), start);
    if (Operation *join = findJoin(*nest, number))
      joining.insert(join);
  }
  size_t firstCaptured = nest->scalars.size() - nest->captured.size();
  for (auto [number, value] : llvm::enumerate(nest->captured))
    mapping.map(value, scalarValues[firstCaptured + number]);
  for (Operation &op : body.without_terminator())
    mapping.map(op.getResult(0),
                cloneOperation(op, mapping, joining.contains(&op)));
  SmallVector<Value> results;
  for (Value yielded : body.getTerminator()->getOperands())
    results.push_back(mapping.lookup(yielded));
  return results;
}

SmallVector<Value> PointEmitter::emitPoint(ValueRange carried) {
  SmallVector<Value> next;
  for (auto [output, result] :
       llvm::zip_equal(nest->outputs, emitBody(carried))) {
    if (output.scan != Nest::Output::Scan::None) {
      Value before = carried[next.size()], after = add(before, result);
      bool exclusive = output.scan == Nest::Output::Scan::Exclusive;
      store(exclusive ? before : after, output.access);
      next.push_back(after);
    } else if (output.accumulated) {
      next.push_back(result);
    } else if (output.adds) {
      addInMemory(result, output.access);
    } else {
      store(result, output.access);
    }
  }
  return next;
}

void PointEmitter::beginNest(const Nest &next,
                             ArrayRef<AffineExpr> nextAddresses,
                             ArrayRef<AffineExpr> nextDims,
                             ArrayRef<unsigned> nextPointers, size_t numDims,
                             bool takesScalars) {
  nest = &next;
  addresses = nextAddresses;
  originalDims = nextDims;
  pointers = nextPointers;
  indices.assign(numDims, Value());
  scalarValues.clear();
  if (!takesScalars)
    return;
  for (OpFoldResult scalar : nest->scalars) {
    if (auto value = dyn_cast<Value>(scalar)) {
      scalarValues.push_back(fromStorage(hostValues.front(), value.getType()));
      hostValues.erase(hostValues.begin());
    } else {
      scalarValues.push_back(arith::ConstantOp::create(
          b, cast<TypedAttr>(cast<Attribute>(scalar))));
    }
  }
}

} // namespace tpc::lower
