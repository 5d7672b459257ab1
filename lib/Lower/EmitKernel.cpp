// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a scheduled nest as loops over plain pointers.
//
// Floating-point flags: `contract` everywhere (fused multiply-add), and
// `reassoc` on the operation that joins a sum or product with the next element,
// which is what lets LLVM keep several partial sums. Neither assumes anything
// of NaN, infinities or signed zeros in elementwise code.
#include "Kernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tpc::lower {

namespace {

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

class KernelEmitter {
public:
  KernelEmitter(ModuleOp module, StringRef name, const Kernel &kernel,
                Location loc)
      : module(module), name(name), kernel(kernel), b(loc, module.getContext()),
        i64(b.getI64Type()), ptr(LLVM::LLVMPointerType::get(b.getContext())) {}

  LLVM::LLVMFuncOp emit();

private:
  LLVM::LLVMFuncOp emitBodyFunction();
  void emitPart(const KernelPart &part, Value unit);
  /// The host values among the scalars of all parts.
  SmallVector<Type> scalarTypes() const;
  void emitParallelLoops(ArrayRef<unsigned> dims);
  void emitRows();
  void emitColumns();
  /// Loops over `schedule.reductions` from `depth` on, `carried` through them.
  SmallVector<Value> emitReductions(
      unsigned depth, ValueRange carried,
      function_ref<SmallVector<Value>(ValueRange carried)> emitInner);
  /// The body at the current indices. `carried` are the accumulated outputs'
  /// last values; returns their next ones.
  SmallVector<Value> emitPoint(ValueRange carried);
  Value cloneOperation(Operation &op, IRMapping &mapping, bool joins);

  void emitLoop(Value lower, Value upper, function_ref<void(Value)> body);
  void emitInnerLoop(function_ref<void()> body);
  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }
  Value evaluate(AffineExpr expr);
  void readIndices();
  bool isIndirect(unsigned access) const;
  Value addressOf(unsigned access);
  Value load(unsigned access);
  void store(Value value, unsigned access);
  Value add(Value lhs, Value rhs);
  /// Adds `value` to what memory holds, unless an index is out of range.
  void addInMemory(Value value, unsigned access);
  Value read(Nest::Source source);
  Value fromStorage(Value stored, Type type);
  Value toStorage(Value value);

  ModuleOp module;
  StringRef name;
  const Kernel &kernel;
  ImplicitLocOpBuilder b;
  Type i64, ptr;

  /// In the body function: its pointers and the host values of all parts.
  SmallVector<Value> pointerValues, hostValues;
  // Of the part that is being written: its scalars, and the loop indices so
  // far.
  const KernelPart *part = nullptr;
  SmallVector<Value> scalarValues, indices;
  /// At the current point: the indices read from memory, 0 in place of one out
  /// of range, and whether all are within range.
  SmallVector<Value> indexValues;
  Value inRange;
  /// The block of the innermost parallel loop: its first index, if not 0, and
  /// its length.
  Value innerStart, innerCount;
};

Value KernelEmitter::fromStorage(Value stored, Type type) {
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

Value KernelEmitter::toStorage(Value value) {
  if (value.getType().isBF16())
    return arith::BitcastOp::create(b, b.getI16Type(), value);
  if (value.getType().isInteger(1))
    return arith::ExtUIOp::create(b, b.getI8Type(), value);
  return value;
}

Value KernelEmitter::evaluate(AffineExpr expr) {
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
void KernelEmitter::readIndices() {
  indexValues.clear();
  inRange = {};
  for (Nest::Index index : part->nest->indices) {
    Value value = load(index.access);
    if (value.getType() != i64)
      value = arith::ExtSIOp::create(b, i64, value);
    Value valid = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, value,
                                        constant(index.bound));
    indexValues.push_back(
        arith::SelectOp::create(b, valid, value, constant(0)));
    inRange = inRange ? arith::AndIOp::create(b, inRange, valid) : valid;
  }
}

bool KernelEmitter::isIndirect(unsigned access) const {
  for (unsigned index = 0; index < part->nest->indices.size(); ++index)
    if (part->schedule.addresses[access].isFunctionOfSymbol(index))
      return true;
  return false;
}

Value KernelEmitter::addressOf(unsigned access) {
  Type type = storageType(part->nest->accesses[access].elementType);
  return LLVM::GEPOp::create(
      b, ptr, type, pointerValues[part->pointers[access]],
      ArrayRef<LLVM::GEPArg>{evaluate(part->schedule.addresses[access])},
      LLVM::GEPNoWrapFlags::inbounds);
}

Value KernelEmitter::load(unsigned access) {
  Type type = part->nest->accesses[access].elementType;
  Value stored = LLVM::LoadOp::create(b, storageType(type), addressOf(access));
  if (isIndirect(access)) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(stored.getType()));
    stored = arith::SelectOp::create(b, inRange, stored, zero);
  }
  return fromStorage(stored, type);
}

void KernelEmitter::store(Value value, unsigned access) {
  Type type = part->nest->accesses[access].elementType;
  if (value.getType() != type)
    value = arith::TruncFOp::create(b, type, value);
  LLVM::StoreOp::create(b, toStorage(value), addressOf(access));
}

/// 16-bit floats are added in 32 bits.
Value KernelEmitter::add(Value lhs, Value rhs) {
  if (!isa<FloatType>(lhs.getType()))
    return arith::AddIOp::create(b, lhs, rhs);
  auto widen = [&](Value value) -> Value {
    if (!isHalf(value.getType()))
      return value;
    return arith::ExtFOp::create(b, b.getF32Type(), value);
  };
  return arith::AddFOp::create(b, widen(lhs), widen(rhs));
}

void KernelEmitter::addInMemory(Value value, unsigned access) {
  auto branch = scf::IfOp::create(b, inRange, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Type type = part->nest->accesses[access].elementType;
  Value held = fromStorage(
      LLVM::LoadOp::create(b, storageType(type), addressOf(access)), type);
  store(add(held, value), access);
}

Value KernelEmitter::read(Nest::Source source) {
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

void KernelEmitter::emitLoop(Value lower, Value upper,
                             function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, lower, upper, constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void KernelEmitter::emitInnerLoop(function_ref<void()> body) {
  emitLoop(constant(0), innerCount, [&](Value index) {
    if (innerStart)
      index = arith::AddIOp::create(b, innerStart, index,
                                    arith::IntegerOverflowFlags::nsw);
    indices[*part->schedule.inner] = index;
    body();
  });
}

/// `joins`: the operation adds an element to what is accumulated. 16-bit floats
/// are computed in 32 bits and rounded.
Value KernelEmitter::cloneOperation(Operation &op, IRMapping &mapping,
                                    bool joins) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    Value value = evaluate(part->schedule.originalDims[index.getDim()]);
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
  if (rounds)
    result = arith::TruncFOp::create(b, type, result);
  return result;
}

SmallVector<Value> KernelEmitter::emitPoint(ValueRange carried) {
  SmallVector<Value> inputs, results, next;
  readIndices();
  for (Nest::Source input : part->nest->inputs)
    inputs.push_back(read(input));
  if (!part->nest->body) {
    results = inputs;
  } else {
    Block &body = part->nest->body->front();
    IRMapping mapping;
    for (auto [argument, value] : llvm::zip(body.getArguments(), inputs))
      if (value)
        mapping.map(argument, value);
    llvm::SmallPtrSet<Operation *, 4> joining;
    unsigned accumulated = 0;
    for (auto [number, output] : llvm::enumerate(part->nest->outputs)) {
      BlockArgument argument = body.getArgument(inputs.size() + number);
      Value start =
          output.accumulated ? carried[accumulated++] : read(output.init);
      if (start)
        mapping.map(argument, start);
      Operation *join =
          body.getTerminator()->getOperand(number).getDefiningOp();
      if (output.accumulated && join && argument.hasOneUse() &&
          *argument.user_begin() == join)
        joining.insert(join);
    }
    size_t firstCaptured =
        part->nest->scalars.size() - part->nest->captured.size();
    for (auto [number, value] : llvm::enumerate(part->nest->captured))
      mapping.map(value, scalarValues[firstCaptured + number]);
    for (Operation &op : body.without_terminator())
      mapping.map(op.getResult(0),
                  cloneOperation(op, mapping, joining.contains(&op)));
    for (Value yielded : body.getTerminator()->getOperands())
      results.push_back(mapping.lookup(yielded));
  }
  for (auto [output, result] : llvm::zip_equal(part->nest->outputs, results)) {
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

SmallVector<Value> KernelEmitter::emitReductions(
    unsigned depth, ValueRange carried,
    function_ref<SmallVector<Value>(ValueRange)> emitInner) {
  if (depth == part->schedule.reductions.size())
    return emitInner(carried);
  unsigned dim = part->schedule.reductions[depth];
  auto loop =
      scf::ForOp::create(b, constant(0), constant(part->schedule.extents[dim]),
                         constant(1), carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    indices[dim] = loop.getInductionVar();
    SmallVector<Value> next =
        emitReductions(depth + 1, loop.getRegionIterArgs(), emitInner);
    // A loop without carried values has its terminator already.
    if (!next.empty()) {
      b.setInsertionPointToEnd(loop.getBody());
      scf::YieldOp::create(b, next);
    }
  }
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Sums in registers; those of a scan are stored on the way.
void KernelEmitter::emitRows() {
  SmallVector<Value> start;
  for (const Nest::Output &output : part->nest->outputs)
    if (output.accumulated)
      start.push_back(read(output.init));
  SmallVector<Value> sums = emitReductions(
      0, start, [this](ValueRange carried) { return emitPoint(carried); });
  unsigned accumulated = 0;
  for (const Nest::Output &output : part->nest->outputs) {
    if (!output.accumulated)
      continue;
    Value sum = sums[accumulated++];
    if (output.scan == Nest::Output::Scan::None)
      store(sum, output.access);
  }
}

/// Sums in memory, a block of them at a time.
void KernelEmitter::emitColumns() {
  for (const Nest::Output &output : part->nest->outputs) {
    if (!output.accumulated)
      continue;
    // Summing on top of what is there already needs no start.
    if (output.init.kind == Nest::Source::Kind::Access &&
        part->pointers[output.init.number] == part->pointers[output.access])
      continue;
    emitInnerLoop([&] { store(read(output.init), output.access); });
  }
  emitReductions(0, {}, [&](ValueRange) {
    emitInnerLoop([&] {
      SmallVector<Value> carried;
      for (const Nest::Output &output : part->nest->outputs)
        if (output.accumulated)
          carried.push_back(load(output.access));
      SmallVector<Value> next = emitPoint(carried);
      unsigned accumulated = 0;
      for (const Nest::Output &output : part->nest->outputs)
        if (output.accumulated)
          store(next[accumulated++], output.access);
    });
    return SmallVector<Value>();
  });
}

void KernelEmitter::emitParallelLoops(ArrayRef<unsigned> dims) {
  if (dims.empty())
    return part->schedule.inner ? emitColumns() : emitRows();
  emitLoop(constant(0), constant(part->schedule.extents[dims[0]]),
           [&](Value index) {
             indices[dims[0]] = index;
             emitParallelLoops(dims.drop_front());
           });
}

/// One unit of the launch range for one nest: `unit` numbers the launch loops
/// row-major.
void KernelEmitter::emitPart(const KernelPart &emitted, Value unit) {
  part = &emitted;
  const KernelSchedule &schedule = part->schedule;
  indices.assign(schedule.extents.size(), Value());
  scalarValues.clear();
  for (OpFoldResult scalar : part->nest->scalars) {
    if (auto value = dyn_cast<Value>(scalar)) {
      scalarValues.push_back(fromStorage(hostValues.front(), value.getType()));
      hostValues.erase(hostValues.begin());
    } else {
      scalarValues.push_back(arith::ConstantOp::create(
          b, cast<TypedAttr>(cast<Attribute>(scalar))));
    }
  }
  innerStart = {};
  if (schedule.inner)
    innerCount = constant(schedule.extents[*schedule.inner]);
  Value rest = unit;
  // Takes the last of `count` values off the number; the first dim is left
  // with what remains.
  auto takeIndex = [&](int64_t count, bool isLast) {
    if (isLast)
      return rest;
    Value size = constant(count);
    Value index = arith::RemUIOp::create(b, rest, size);
    rest = arith::DivUIOp::create(b, rest, size);
    return index;
  };
  if (schedule.block) {
    Value index = takeIndex(schedule.numBlocks(), schedule.launch.empty());
    innerStart = arith::MulIOp::create(b, index, constant(schedule.block),
                                       arith::IntegerOverflowFlags::nsw);
    Value left = arith::SubIOp::create(b, innerCount, innerStart);
    innerCount = constant(schedule.block);
    // Even blocks have a length that the vectoriser can see.
    if (schedule.extents[*schedule.inner] % schedule.block != 0)
      innerCount = arith::MinSIOp::create(b, left, innerCount);
  }
  for (auto [position, dim] : llvm::reverse(llvm::enumerate(schedule.launch)))
    indices[dim] = takeIndex(schedule.extents[dim], position == 0);
  emitParallelLoops(schedule.outer);
}

SmallVector<Type> KernelEmitter::scalarTypes() const {
  SmallVector<Type> types;
  for (const KernelPart &part : kernel.parts)
    for (OpFoldResult scalar : part.nest->scalars)
      if (auto value = dyn_cast<Value>(scalar))
        types.push_back(storageType(value.getType()));
  return types;
}

LLVM::LLVMFuncOp KernelEmitter::emitBodyFunction() {
  SmallVector<Type> inputs(kernel.numPointers(), ptr);
  inputs.append(scalarTypes());
  inputs.append({i64, i64});
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), inputs);
  auto function = LLVM::LLVMFuncOp::create(b, (name + "_body").str(), type,
                                           LLVM::Linkage::Internal);
  SmallVector<bool> isWritten(kernel.numPointers(), false);
  for (const KernelPart &part : kernel.parts)
    for (const Nest::Output &output : part.nest->outputs)
      isWritten[part.pointers[output.access]] = true;
  for (unsigned pointer = 0; pointer < kernel.numPointers(); ++pointer) {
    function.setArgAttr(pointer, LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
    if (kernel.aligned[pointer])
      function.setArgAttr(pointer, LLVM::LLVMDialect::getAlignAttrName(),
                          b.getI64IntegerAttr(64));
    if (!isWritten[pointer])
      function.setArgAttr(pointer, LLVM::LLVMDialect::getReadonlyAttrName(),
                          b.getUnitAttr());
  }

  OpBuilder::InsertionGuard guard(b);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  ArrayRef<BlockArgument> arguments = entry->getArguments();
  llvm::append_range(pointerValues, arguments.take_front(kernel.numPointers()));
  llvm::append_range(hostValues,
                     arguments.drop_front(kernel.numPointers()).drop_back(2));
  emitLoop(arguments.drop_back().back(), arguments.back(), [&](Value unit) {
    for (const KernelPart &part : kernel.parts)
      emitPart(part, unit);
  });
  LLVM::ReturnOp::create(b, ValueRange());
  return function;
}

LLVM::LLVMFuncOp KernelEmitter::emit() {
  b.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {ptr, i64, i64});
  auto function =
      LLVM::LLVMFuncOp::create(b, name, type, LLVM::Linkage::Internal);
  LLVM::LLVMFuncOp body = emitBodyFunction();

  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  SmallVector<Value> operands;
  auto loadNext = [&]() -> Value {
    Value slot =
        LLVM::GEPOp::create(b, ptr, ptr, entry->getArgument(0),
                            ArrayRef<LLVM::GEPArg>{int32_t(operands.size())});
    return LLVM::LoadOp::create(b, ptr, slot);
  };
  while (operands.size() < kernel.numPointers())
    operands.push_back(loadNext());
  for (Type type : scalarTypes())
    operands.push_back(LLVM::LoadOp::create(b, type, loadNext()));
  operands.append({entry->getArgument(1), entry->getArgument(2)});
  LLVM::CallOp::create(b, body, operands);
  LLVM::ReturnOp::create(b, ValueRange());
  return function;
}

} // namespace

LLVM::LLVMFuncOp emitKernel(ModuleOp module, StringRef name,
                            const Kernel &kernel, Location loc) {
  return KernelEmitter(module, name, kernel, loc).emit();
}

} // namespace tpc::lower
