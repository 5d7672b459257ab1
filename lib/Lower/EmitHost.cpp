// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a planned program as `tpc_fn_NAME` of the artifact ABI: one runtime
// call per action, each followed by an early return of its error code.
//
// Long programs are cut into segments, functions that the entry calls in order:
// the time to compile a function grows faster than its length.
#include "EmitHost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc::lower {

namespace {

/// Actions of one segment.
constexpr size_t kSegment = 64;

class HostEmitter {
public:
  HostEmitter(ModuleOp module, const Program &program, const BufferPlan &plan,
              KernelLibrary &kernels,
              DenseMap<Attribute, LLVM::GlobalOp> &globals)
      : module(module), program(program), plan(plan), kernels(kernels),
        globals(globals),
        b(func::FuncOp(program.function).getLoc(), module.getContext()),
        i32(b.getI32Type()), i64(b.getI64Type()),
        ptr(LLVM::LLVMPointerType::get(b.getContext())) {}

  void emit();

private:
  void beginFunction(const Twine &name, bool isSegment);
  void endFunction();
  void emitSegment(ArrayRef<Action> &actions);
  void emitLoops(ArrayRef<const Action *> actions);
  void emitGroup(ArrayRef<Action> actions);
  void emitMatmul(const Action &action);
  void emitCollective(const Action &action);
  void emitScalar(Operation *op);
  Value emitChunk(int64_t length, tp::PlacementAttr placement, int64_t dim,
                  bool wantSize);
  Value coordinate(StringRef axis, const Mesh &mesh);
  /// Where the host value lies in the frame.
  Value slot(Value value);
  Value loadScalar(Value value);

  /// Calls a runtime function and returns from this one when it fails.
  void call(StringRef name, ValueRange operands) {
    call(getRuntimeFunction(module, name), operands);
  }
  void call(LLVM::LLVMFuncOp callee, ValueRange operands);
  Value address(BufferId buffer);
  Value loadPointer(Value array, int64_t index);
  /// Writes pointers to the scratch array from `first` on; returns the address
  /// of the first.
  Value passPointers(ArrayRef<Value> values, unsigned first);
  LLVM::GlobalOp constantGlobal(DenseElementsAttr elements);
  LLVM::GlobalOp matmulGlobal(const Matmul &matmul);

  std::string newName(StringRef stem) {
    return (stem + Twine(globals.size())).str();
  }
  Value constant32(int64_t value) {
    return LLVM::ConstantOp::create(b, i32, b.getI32IntegerAttr(value));
  }
  Value constant64(int64_t value) {
    return LLVM::ConstantOp::create(b, i64, b.getI64IntegerAttr(value));
  }

  ModuleOp module;
  const Program &program;
  const BufferPlan &plan;
  KernelLibrary &kernels;
  DenseMap<Attribute, LLVM::GlobalOp> &globals;
  ImplicitLocOpBuilder b;
  Type i32, i64, ptr;

  /// Where host values lie that kernels read: a number per value.
  DenseMap<Value, int32_t> slots;

  // Of the function that is being written.
  LLVM::LLVMFuncOp function;
  Block *failure = nullptr;
  /// Parameters. Pointers are loaded from the two arrays where they are used:
  /// thousands of values that live long would make compilation slow.
  Value rank, arguments, results, workspace;
  /// Eight bytes per host value.
  Value frame;
  /// Pointers for kernels and collectives; the longest list decides its size.
  LLVM::AllocaOp scratch;
  unsigned scratchSize = 1;
  /// Host values computed in this function.
  IRMapping scalars;
};

void HostEmitter::call(LLVM::LLVMFuncOp callee, ValueRange operands) {
  Value code = LLVM::CallOp::create(b, callee, operands).getResult();
  Value failed =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, code, constant32(0));
  Block *next = b.createBlock(failure);
  b.setInsertionPointToEnd(next->getPrevNode());
  LLVM::CondBrOp::create(b, failed, failure, ValueRange(code), next,
                         ValueRange());
  b.setInsertionPointToStart(next);
}

Value HostEmitter::loadPointer(Value array, int64_t index) {
  Value slot = LLVM::GEPOp::create(b, ptr, ptr, array,
                                   ArrayRef<LLVM::GEPArg>{int32_t(index)});
  return LLVM::LoadOp::create(b, ptr, slot);
}

Value HostEmitter::address(BufferId buffer) {
  const Storage &storage = plan.storage[buffer];
  switch (storage.kind) {
  case Storage::Kind::Argument:
    return loadPointer(arguments, storage.number);
  case Storage::Kind::Result:
    return loadPointer(results, storage.number);
  case Storage::Kind::Constant:
    return LLVM::AddressOfOp::create(
        b, constantGlobal(program.buffers[storage.number].constant));
  case Storage::Kind::Workspace:
    return LLVM::GEPOp::create(
        b, ptr, b.getI8Type(), workspace,
        ArrayRef<LLVM::GEPArg>{constant64(storage.number)});
  }
  llvm_unreachable("all kinds of storage are handled");
}

Value HostEmitter::passPointers(ArrayRef<Value> values, unsigned first) {
  scratchSize = std::max<unsigned>(scratchSize, first + values.size());
  auto slot = [&](unsigned index) {
    return LLVM::GEPOp::create(b, ptr, ptr, scratch,
                               ArrayRef<LLVM::GEPArg>{int32_t(index)});
  };
  for (auto [index, value] : llvm::enumerate(values))
    LLVM::StoreOp::create(b, value, slot(first + index));
  return slot(first);
}

LLVM::GlobalOp HostEmitter::constantGlobal(DenseElementsAttr elements) {
  // The bytes as they lie in memory; booleans are packed in the attribute.
  std::string bytes;
  if (elements.getElementType().isInteger(1)) {
    for (bool value : elements.getValues<bool>())
      bytes.push_back(value);
  } else {
    ArrayRef<char> raw = elements.getRawData();
    int64_t copies = elements.isSplat() ? elements.getNumElements() : 1;
    for (int64_t copy = 0; copy < copies; ++copy)
      bytes.append(raw.begin(), raw.end());
  }
  StringAttr value = b.getStringAttr(bytes);
  if (LLVM::GlobalOp known = globals.lookup(value))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  auto global = LLVM::GlobalOp::create(b, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal,
                                       newName("tpc_constant_"), value, 64);
  globals[value] = global;
  return global;
}

LLVM::GlobalOp HostEmitter::matmulGlobal(const Matmul &matmul) {
  // tpc_rt_matmul_t: four 32-bit numbers, then 64-bit ones.
  SmallVector<Attribute> fields;
  SmallVector<Type> types;
  auto add32 = [&](int32_t value) {
    fields.push_back(b.getI32IntegerAttr(value));
    types.push_back(i32);
  };
  auto add64 = [&](int64_t value) {
    fields.push_back(b.getI64IntegerAttr(value));
    types.push_back(i64);
  };
  auto addBatch = [&](int64_t Matmul::BatchDim::*field, int64_t rest) {
    SmallVector<int64_t> values(Matmul::kMaxBatch, rest);
    for (auto [index, dim] : llvm::enumerate(matmul.batch))
      values[index] = dim.*field;
    fields.push_back(b.getI64TensorAttr(values));
    types.push_back(LLVM::LLVMArrayType::get(i64, Matmul::kMaxBatch));
  };
  constexpr int32_t kSize = 4 * 4 + 33 * 8;
  add32(kSize);
  add32(matmul.dtype);
  add32(matmul.accumulate);
  add32(matmul.batch.size());
  add64(matmul.m);
  add64(matmul.n);
  add64(matmul.k);
  addBatch(&Matmul::BatchDim::extent, 1);
  addBatch(&Matmul::BatchDim::a, 0);
  add64(matmul.aRow);
  add64(matmul.aCol);
  addBatch(&Matmul::BatchDim::b, 0);
  add64(matmul.bRow);
  add64(matmul.bCol);
  addBatch(&Matmul::BatchDim::c, 0);
  add64(matmul.cRow);
  add64(matmul.cCol);
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Attribute value = b.getArrayAttr(fields);
  if (LLVM::GlobalOp known = globals.lookup(value))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto global = LLVM::GlobalOp::create(b, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal,
                                       newName("tpc_matmul_"), value, 8);
  globals[value] = global;
  return global;
}

void HostEmitter::emitLoops(ArrayRef<const Action *> actions) {
  Kernel kernel;
  SmallVector<Storage> places;
  SmallVector<Value> values;
  int64_t extent = 0, cost = 0;
  for (const Action *action : actions) {
    KernelPart part{
        &action->nest, scheduleKernel(action->nest, action->units), {}};
    extent = part.schedule.extent;
    cost += part.schedule.cost;
    if (extent == 0)
      return;
    for (const Access &access : action->nest.accesses) {
      const Storage &place = plan.storage[access.buffer];
      auto known = llvm::find(places, place);
      part.pointers.push_back(known - places.begin());
      if (known == places.end()) {
        places.push_back(place);
        values.push_back(address(access.buffer));
      }
    }
    kernel.parts.push_back(std::move(part));
  }
  kernel.numPointers = places.size();
  for (const Action *action : actions)
    for (OpFoldResult scalar : action->nest.scalars)
      if (auto value = dyn_cast<Value>(scalar))
        values.push_back(slot(value));
  LLVM::LLVMFuncOp function = kernels.get(kernel, actions.front()->loc);
  call("tpc_rt_launch",
       {rank, LLVM::AddressOfOp::create(b, function), constant64(extent),
        constant64(cost), passPointers(values, 0)});
}

void HostEmitter::emitMatmul(const Action &action) {
  call("tpc_rt_matmul",
       {rank, LLVM::AddressOfOp::create(b, matmulGlobal(action.matmul)),
        address(action.reads[0]), address(action.reads[1]),
        address(action.writes[0])});
}

void HostEmitter::emitCollective(const Action &action) {
  auto index = action.op->getAttrOfType<IntegerAttr>(kCollectiveIndex);
  SmallVector<Value> inputs, outputs;
  for (BufferId buffer : action.reads)
    inputs.push_back(address(buffer));
  for (BufferId buffer : action.writes)
    outputs.push_back(address(buffer));
  call("tpc_rt_collective",
       {rank, constant32(index.getInt()), constant32(inputs.size()),
        passPointers(inputs, 0), passPointers(outputs, inputs.size())});
}

Value HostEmitter::coordinate(StringRef axis, const Mesh &mesh) {
  auto callee = getRuntimeFunction(module, "tpc_rt_coordinate");
  Value number = LLVM::CallOp::create(
                     b, callee, ValueRange{rank, constant32(*mesh.find(axis))})
                     .getResult();
  return arith::IndexCastOp::create(b, b.getIndexType(), number);
}

/// The chunk rule, level by level: a dim of n elements in k parts gives part i
/// the elements from min(i * ceil(n / k), n) on, at most ceil(n / k) of them.
Value HostEmitter::emitChunk(int64_t length, tp::PlacementAttr placement,
                             int64_t dim, bool wantSize) {
  const Mesh mesh =
      tp::lookupMesh(program.function, placement.getMesh()).getMesh();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIndexAttr(value));
  };
  Value size = index(length), offset = index(0);
  for (unsigned axis : placement.resolve(mesh).shardAxes(dim)) {
    Value chunk = arith::CeilDivUIOp::create(b, size, index(mesh.size(axis)));
    Value begin = arith::MinUIOp::create(
        b, size,
        arith::MulIOp::create(b, coordinate(mesh.name(axis), mesh), chunk));
    offset = arith::AddIOp::create(b, offset, begin);
    size =
        arith::MinUIOp::create(b, chunk, arith::SubIOp::create(b, size, begin));
  }
  return wantSize ? size : offset;
}

/// Computes a scalar operation and keeps the result where kernels can read it.
void HostEmitter::emitScalar(Operation *op) {
  if (auto axis = dyn_cast<tp::CoordinateOp>(op)) {
    const Mesh mesh = tp::lookupMesh(op, axis.getMeshAttr()).getMesh();
    scalars.map(axis.getResult(), coordinate(axis.getAxis(), mesh));
  } else if (auto chunk = dyn_cast<tp::ChunkSizeOp>(op)) {
    scalars.map(chunk.getResult(),
                emitChunk(chunk.getLength(), chunk.getPlacement(),
                          chunk.getDim(), /*wantSize=*/true));
  } else if (auto chunk = dyn_cast<tp::ChunkOffsetOp>(op)) {
    scalars.map(chunk.getResult(),
                emitChunk(chunk.getLength(), chunk.getPlacement(),
                          chunk.getDim(), /*wantSize=*/false));
  } else {
    for (Value operand : op->getOperands())
      if (!scalars.contains(operand))
        scalars.map(operand, loadScalar(operand));
    b.clone(*op, scalars);
  }
  for (Value result : op->getResults()) {
    Value value = scalars.lookup(result);
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b, i64, value);
    else if (value.getType().isInteger(1))
      value = arith::ExtUIOp::create(b, b.getI8Type(), value);
    LLVM::StoreOp::create(b, value, slot(result));
  }
}

Value HostEmitter::slot(Value value) {
  int32_t number = slots.try_emplace(value, slots.size()).first->second;
  return LLVM::GEPOp::create(b, ptr, i64, frame,
                             ArrayRef<LLVM::GEPArg>{number});
}

/// A constant, or a value that an earlier segment has computed.
Value HostEmitter::loadScalar(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa<arith::ConstantOp>(op))
    return b.clone(*op)->getResult(0);
  Type type = value.getType();
  if (type.isIndex())
    return arith::IndexCastOp::create(
        b, type, LLVM::LoadOp::create(b, i64, slot(value)));
  if (type.isInteger(1))
    return arith::TruncIOp::create(
        b, type, LLVM::LoadOp::create(b, b.getI8Type(), slot(value)));
  return LLVM::LoadOp::create(b, type, slot(value));
}

void HostEmitter::beginFunction(const Twine &name, bool isSegment) {
  SmallVector<Type> parameters(isSegment ? 5 : 4, ptr);
  function = LLVM::LLVMFuncOp::create(
      b, name.str(), LLVM::LLVMFunctionType::get(i32, parameters),
      isSegment ? LLVM::Linkage::Internal : LLVM::Linkage::External);
  Block *entry = function.addEntryBlock(b);
  failure = b.createBlock(&function.getBody(), function.getBody().end(), {i32},
                          {b.getLoc()});
  LLVM::ReturnOp::create(b, failure->getArgument(0));
  b.setInsertionPointToStart(entry);
  rank = entry->getArgument(0);
  arguments = entry->getArgument(1);
  results = entry->getArgument(2);
  workspace = entry->getArgument(3);
  scratch = LLVM::AllocaOp::create(b, ptr, ptr, constant64(1));
  scratchSize = 1;
  scalars.clear();
  if (isSegment) {
    frame = entry->getArgument(4);
    return;
  }
  int64_t count = llvm::count_if(program.actions, [](const Action &action) {
    return action.kind == Action::Kind::Scalar;
  });
  if (count)
    frame = LLVM::AllocaOp::create(b, ptr, i64, constant64(count));
  else
    frame = LLVM::ZeroOp::create(b, ptr);
}

void HostEmitter::endFunction() {
  LLVM::ReturnOp::create(b, constant32(0));
  b.setInsertionPoint(scratch);
  scratch.getArraySizeMutable().assign(constant64(scratchSize));
  b.setInsertionPointAfter(function);
}

/// The actions of one kernel group, or a single other one, with the host values
/// computed between them.
void HostEmitter::emitGroup(ArrayRef<Action> actions) {
  SmallVector<const Action *> loops;
  for (const Action &action : actions) {
    b.setLoc(action.loc);
    if (action.kind == Action::Kind::Scalar)
      emitScalar(action.op);
    else if (action.kind == Action::Kind::Loops)
      loops.push_back(&action);
  }
  if (!loops.empty()) {
    b.setLoc(loops.front()->loc);
    return emitLoops(loops);
  }
  for (const Action &action : actions) {
    b.setLoc(action.loc);
    if (action.kind == Action::Kind::Matmul)
      emitMatmul(action);
    else if (action.kind == Action::Kind::Collective)
      emitCollective(action);
    else if (action.kind == Action::Kind::Copy &&
             !(plan.storage[action.reads[0]] == plan.storage[action.writes[0]]))
      emitLoops(&action);
  }
}

/// Takes whole groups off the front of `actions`, about a segment's worth.
void HostEmitter::emitSegment(ArrayRef<Action> &actions) {
  size_t left = actions.size();
  while (!actions.empty() && left - actions.size() < kSegment) {
    unsigned group = actions.front().group;
    auto isSame = [&](const Action &action) { return action.group == group; };
    emitGroup(actions.take_while(isSame));
    actions = actions.drop_while(isSame);
  }
}

void HostEmitter::emit() {
  func::FuncOp source = program.function;
  std::string name = ("tpc_fn_" + source.getName()).str();
  b.setInsertionPoint(source);
  ArrayRef<Action> actions = program.actions;
  SmallVector<LLVM::LLVMFuncOp> segments;
  if (actions.size() > kSegment) {
    while (!actions.empty()) {
      beginFunction(name + "." + Twine(segments.size()), /*isSegment=*/true);
      segments.push_back(function);
      emitSegment(actions);
      endFunction();
    }
  }
  b.setLoc(source.getLoc());
  beginFunction(name, /*isSegment=*/false);
  function->setAttr(kWorkspaceBytes, b.getI64IntegerAttr(plan.workspaceBytes));
  for (LLVM::LLVMFuncOp segment : segments)
    call(segment, {rank, arguments, results, workspace, frame});
  emitSegment(actions);
  endFunction();
}

} // namespace

void HostLibrary::emit(const Program &program, const BufferPlan &plan) {
  HostEmitter(module, program, plan, kernels, globals).emit();
}

} // namespace tpc::lower
