// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a scheduled nest as loops over plain pointers.
#include "EmitPoint.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tpc::lower {

namespace {

class KernelEmitter : PointEmitter {
public:
  KernelEmitter(ModuleOp module, StringRef name, const Kernel &kernel,
                Location loc)
      : PointEmitter(loc, IntegerType::get(loc.getContext(), 64)),
        module(module), name(name), kernel(kernel) {}

  LLVM::LLVMFuncOp emit();

private:
  LLVM::LLVMFuncOp emitBodyFunction();
  void emitPart(const KernelPart &part, Value unit);
  void emitParallelLoops(ArrayRef<unsigned> dims);
  void emitRows();
  void emitColumns();
  /// Loops over `schedule.reductions` from `depth` on, `carried` through them.
  SmallVector<Value> emitReductions(
      unsigned depth, ValueRange carried,
      function_ref<SmallVector<Value>(ValueRange carried)> emitInner);
  void emitLoop(Value lower, Value upper, function_ref<void(Value)> body);
  void emitInnerLoop(function_ref<void()> body);

  ModuleOp module;
  StringRef name;
  const Kernel &kernel;
  /// What is being written.
  const KernelPart *part = nullptr;
  /// The block of the innermost parallel loop: its first index, if not 0, and
  /// its length.
  Value innerStart, innerCount;
};

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
  beginNest(*part->nest, schedule.addresses, schedule.originalDims,
            part->pointers, schedule.extents.size());
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
  for (size_t position = schedule.launch.size(); position-- > 0;) {
    unsigned dim = schedule.launch[position];
    indices[dim] = takeIndex(schedule.extents[dim], position == 0);
  }
  emitParallelLoops(schedule.outer);
}

LLVM::LLVMFuncOp KernelEmitter::emitBodyFunction() {
  SmallVector<Type> inputs(kernel.numPointers(), ptr);
  inputs.append(hostScalarTypes(kernel));
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
  for (Type type : hostScalarTypes(kernel))
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
