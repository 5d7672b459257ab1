// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a planned program as `tpc_fn_NAME` of the artifact ABI: one runtime
// call per action, each followed by an early return of its error code, and
// loops and branches around them.
//
// Long programs and bodies are cut into segments, functions that are called in
// order: the time to compile a function grows faster than its length. Host
// values lie in a frame that segments share.
#include "EmitHost.h"
#include "EmitPoint.h"
#include "Lifetimes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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
              KernelLibrary &kernels, DeviceLibrary *device,
              HostGlobals &globals)
      : module(module), program(program), plan(plan), kernels(kernels),
        device(device), globals(globals),
        b(func::FuncOp(program.function).getLoc(), module.getContext()),
        i32(b.getI32Type()), i64(b.getI64Type()),
        ptr(LLVM::LLVMPointerType::get(b.getContext())) {}

  void emit();

private:
  using Actions = ArrayRef<Action>;

  void beginFunction(const Twine &name, bool isSegment);
  void endFunction();
  void emitBody(Actions actions);
  void emitSegment(Actions actions);
  void emitActions(Actions actions);
  /// Takes off the front of `actions` what is written as one: a loop, a branch,
  /// a kernel group, a single other action.
  static Actions takeUnit(Actions &actions);
  void emitUnit(Actions unit);
  void emitFor(Actions unit);
  void emitIf(Actions unit);
  void emitGroup(Actions actions);
  void emitAction(const Action &action);
  void emitLoops(ArrayRef<const Action *> actions);
  bool isAligned(const Access &access) const;
  void callDeviceKernel(Kernel &kernel, ArrayRef<const Action *> actions,
                        ArrayRef<Value> pointers);
  void emitExtract(const Action &action);
  void emitMatmul(const Action &action);
  void emitAttention(const Action &action);
  void emitCollective(const Action &action);
  void emitScalar(Operation *op);
  Value emitChunk(int64_t length, tp::PlacementAttr placement, int64_t dim,
                  bool wantSize);
  Value coordinate(StringRef axis, const Mesh &mesh);
  /// Where the host value lies in the frame.
  Value slot(Value value);
  Value loadScalar(Value value);
  void storeScalar(Value value, Value computed);
  /// The host value as computed in this function or loaded.
  Value scalar(Value value);

  /// Calls a runtime function and returns from this one when it fails.
  void call(StringRef name, ValueRange operands) {
    call(getRuntimeFunction(module, name), operands);
  }
  void call(LLVM::LLVMFuncOp callee, ValueRange operands);
  Value address(BufferId buffer);
  /// `base` moved by `offsets` elements of `type`.
  Value moveBy(Value base, const HostOffsets &offsets, Type type);
  Value loadPointer(Value array, int64_t index);
  /// Writes pointers to the scratch array from `first` on; returns the address
  /// of the first.
  Value passPointers(ArrayRef<Value> values, unsigned first);
  /// A new block behind the current one.
  Block *newBlock() {
    OpBuilder::InsertionGuard guard(b);
    return b.createBlock(&current.function.getBody(),
                         std::next(b.getInsertionBlock()->getIterator()));
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
  /// Set when kernels are those of a device.
  DeviceLibrary *device;
  HostGlobals &globals;
  ImplicitLocOpBuilder b;
  Type i32, i64, ptr;

  /// Where host values lie that kernels read: a number per value.
  DenseMap<Value, int32_t> slots;

  /// A function that is being written.
  struct Function {
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
    /// Host values that were computed or loaded before.
    IRMapping scalars;
  };
  Function current;
  unsigned numSegments = 0;
  /// Elements of device memory are copied to the frame.
  bool readsOnHost = false;
  /// Per buffer; for device kernels only.
  std::vector<Lifetime> lifetimes;
};

void HostEmitter::call(LLVM::LLVMFuncOp callee, ValueRange operands) {
  Value code = LLVM::CallOp::create(b, callee, operands).getResult();
  Value failed =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, code, constant32(0));
  Block *next = newBlock();
  LLVM::CondBrOp::create(b, failed, current.failure, ValueRange(code), next,
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
    return loadPointer(current.arguments, storage.number);
  case Storage::Kind::Result:
    return loadPointer(current.results, storage.number);
  case Storage::Kind::Constant: {
    DenseElementsAttr elements = program.buffers[storage.number].constant;
    if (!device)
      return LLVM::AddressOfOp::create(b, globals.constant(elements));
    LLVM::LLVMFuncOp callee = getRuntimeFunction(module, "tpc_rt_constant");
    int64_t number = globals.deviceConstant(elements);
    return LLVM::CallOp::create(b, callee,
                                ValueRange{current.rank, constant32(number)})
        .getResult();
  }
  case Storage::Kind::Workspace:
    return LLVM::GEPOp::create(
        b, ptr, b.getI8Type(), current.workspace,
        ArrayRef<LLVM::GEPArg>{constant64(storage.number)});
  }
  llvm_unreachable("all kinds of storage are handled");
}

/// An index that the user computed may lie anywhere: it is taken into the range
/// in which all that is read or written lies inside of the buffer.
Value HostEmitter::moveBy(Value base, const HostOffsets &offsets, Type type) {
  Value elements;
  for (const HostOffset &offset : offsets) {
    Value index = arith::IndexCastOp::create(b, i64, scalar(offset.index));
    index = arith::MinSIOp::create(
        b, arith::MaxSIOp::create(b, index, constant64(0)),
        constant64(offset.last));
    index = arith::MulIOp::create(b, index, constant64(offset.stride));
    elements = elements ? arith::AddIOp::create(b, elements, index) : index;
  }
  if (!elements)
    return base;
  Value bytes =
      arith::MulIOp::create(b, elements, constant64(elementBytes(type)));
  return LLVM::GEPOp::create(b, ptr, b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value HostEmitter::passPointers(ArrayRef<Value> values, unsigned first) {
  current.scratchSize =
      std::max<unsigned>(current.scratchSize, first + values.size());
  auto slot = [&](unsigned index) {
    return LLVM::GEPOp::create(b, ptr, ptr, current.scratch,
                               ArrayRef<LLVM::GEPArg>{int32_t(index)});
  };
  for (auto [index, value] : llvm::enumerate(values))
    LLVM::StoreOp::create(b, value, slot(first + index));
  return slot(first);
}

/// Whether the start of an access is as aligned as kernels need it: to 64 bytes
/// on the CPU, to a vector of 16 bytes on a device.
bool HostEmitter::isAligned(const Access &access) const {
  int64_t bytes = elementBytes(access.elementType);
  return llvm::all_of(access.offsets, [&](const HostOffset &offset) {
    return device && offset.stride * bytes % 16 == 0;
  });
}

void HostEmitter::emitLoops(ArrayRef<const Action *> actions) {
  Kernel kernel;
  SmallVector<std::pair<Storage, HostOffsets>> places;
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
      std::pair place(plan.storage[access.buffer], access.offsets);
      auto known = llvm::find(places, place);
      part.pointers.push_back(known - places.begin());
      if (known == places.end()) {
        places.push_back(place);
        kernel.aligned.push_back(isAligned(access));
        values.push_back(
            moveBy(address(access.buffer), access.offsets, access.elementType));
      }
    }
    kernel.parts.push_back(std::move(part));
  }
  kernel.units = actions.front()->units;
  if (device)
    return callDeviceKernel(kernel, actions, values);
  for (const Action *action : actions)
    for (OpFoldResult scalar : action->nest.scalars)
      if (auto value = dyn_cast<Value>(scalar))
        values.push_back(slot(value));
  LLVM::LLVMFuncOp function = kernels.get(kernel, actions.front()->loc);
  call("tpc_rt_launch",
       {current.rank, LLVM::AddressOfOp::create(b, function),
        constant64(extent), constant64(cost), passPointers(values, 0)});
}

/// A device kernel gets the host values themselves, behind the pointers.
void HostEmitter::callDeviceKernel(Kernel &kernel,
                                   ArrayRef<const Action *> actions,
                                   ArrayRef<Value> pointers) {
  unsigned last = actions.back() - program.actions.data();
  kernel.liveOut.assign(kernel.numPointers(), false);
  for (auto [action, part] : llvm::zip_equal(actions, kernel.parts))
    for (const Nest::Output &output : action->nest.outputs)
      if (isNeededBehind(lifetimes[action->nest.accesses[output.access].buffer],
                         last))
        kernel.liveOut[part.pointers[output.access]] = true;
  SmallVector<Value> values = llvm::to_vector(pointers);
  for (const Action *action : actions)
    for (OpFoldResult scalar : action->nest.scalars) {
      auto value = dyn_cast<Value>(scalar);
      if (!value)
        continue;
      Type type = storageType(value.getType());
      Value bits = LLVM::LoadOp::create(
          b, b.getIntegerType(type.getIntOrFloatBitWidth()), slot(value));
      if (bits.getType() != i64)
        bits = LLVM::ZExtOp::create(b, i64, bits);
      values.push_back(bits);
    }
  int32_t number = device->get(kernel, actions.front()->loc);
  call("tpc_rt_kernel",
       {current.rank, constant32(number), passPointers(values, 0)});
}

void HostEmitter::emitMatmul(const Action &action) {
  const Matmul &matmul = action.matmul;
  auto optional = [&](std::optional<BufferId> buffer) -> Value {
    return buffer ? address(*buffer) : LLVM::ZeroOp::create(b, ptr);
  };
  call("tpc_rt_matmul",
       {current.rank, LLVM::AddressOfOp::create(b, globals.product(matmul)),
        address(action.reads[0]), address(action.reads[1]),
        address(action.writes[0]), optional(matmul.bias),
        optional(matmul.aux)});
}

void HostEmitter::emitAttention(const Action &action) {
  SmallVector<Value> inputs, outputs;
  for (BufferId buffer : action.reads)
    inputs.push_back(address(buffer));
  for (BufferId buffer : action.writes)
    outputs.push_back(address(buffer));
  call("tpc_rt_attention",
       {current.rank,
        LLVM::AddressOfOp::create(b, globals.attention(action.op)),
        passPointers(inputs, 0), passPointers(outputs, inputs.size())});
}

void HostEmitter::emitCollective(const Action &action) {
  auto index = action.op->getAttrOfType<IntegerAttr>(kCollectiveIndex);
  SmallVector<Value> inputs, outputs;
  for (BufferId buffer : action.reads)
    inputs.push_back(address(buffer));
  for (BufferId buffer : action.writes)
    outputs.push_back(address(buffer));
  call("tpc_rt_collective",
       {current.rank, constant32(int64_t(action.stream)),
        constant32(index.getInt()), constant32(inputs.size()),
        passPointers(inputs, 0), passPointers(outputs, inputs.size())});
}

Value HostEmitter::coordinate(StringRef axis, const Mesh &mesh) {
  auto callee = getRuntimeFunction(module, "tpc_rt_coordinate");
  Value number =
      LLVM::CallOp::create(
          b, callee, ValueRange{current.rank, constant32(*mesh.find(axis))})
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
    return storeScalar(axis.getResult(), coordinate(axis.getAxis(), mesh));
  }
  if (auto chunk = dyn_cast<tp::ChunkSizeOp>(op))
    return storeScalar(chunk.getResult(),
                       emitChunk(chunk.getLength(), chunk.getPlacement(),
                                 chunk.getDim(), /*wantSize=*/true));
  if (auto chunk = dyn_cast<tp::ChunkOffsetOp>(op))
    return storeScalar(chunk.getResult(),
                       emitChunk(chunk.getLength(), chunk.getPlacement(),
                                 chunk.getDim(), /*wantSize=*/false));
  for (Value operand : op->getOperands())
    scalar(operand);
  Operation *clone = b.clone(*op, current.scalars);
  for (auto [result, computed] :
       llvm::zip_equal(op->getResults(), clone->getResults()))
    storeScalar(result, computed);
}

/// Reads one element. On the CPU it is there, since the calls before have
/// returned; from a device it is copied to the frame.
void HostEmitter::emitExtract(const Action &action) {
  Value result = action.op->getResult(0);
  Type type = result.getType();
  Value element = moveBy(address(action.reads[0]), action.offsets, type);
  if (device) {
    readsOnHost = true;
    return call("tpc_rt_read", {current.rank, element, slot(result),
                                constant64(elementBytes(type))});
  }
  Type stored = type.isInteger(1) ? b.getI8Type() : type;
  Value loaded = LLVM::LoadOp::create(b, stored, element);
  if (stored != type)
    loaded = arith::TruncIOp::create(b, type, loaded);
  storeScalar(result, loaded);
}

void HostEmitter::storeScalar(Value value, Value computed) {
  current.scalars.map(value, computed);
  if (computed.getType().isIndex())
    computed = arith::IndexCastOp::create(b, i64, computed);
  else if (computed.getType().isInteger(1))
    computed = arith::ExtUIOp::create(b, b.getI8Type(), computed);
  LLVM::StoreOp::create(b, computed, slot(value));
}

Value HostEmitter::scalar(Value value) {
  if (!current.scalars.contains(value))
    current.scalars.map(value, loadScalar(value));
  return current.scalars.lookup(value);
}

Value HostEmitter::slot(Value value) {
  int32_t number = slots.try_emplace(value, slots.size()).first->second;
  return LLVM::GEPOp::create(b, ptr, i64, current.frame,
                             ArrayRef<LLVM::GEPArg>{number});
}

/// A constant, or a value that was computed elsewhere.
Value HostEmitter::loadScalar(Value value) {
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    return b.clone(*constant)->getResult(0);
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
  current = {};
  current.function = LLVM::LLVMFuncOp::create(
      b, name.str(), LLVM::LLVMFunctionType::get(i32, parameters),
      isSegment ? LLVM::Linkage::Internal : LLVM::Linkage::External);
  Block *entry = current.function.addEntryBlock(b);
  Region &body = current.function.getBody();
  current.failure = b.createBlock(&body, body.end(), {i32}, {b.getLoc()});
  LLVM::ReturnOp::create(b, current.failure->getArgument(0));
  b.setInsertionPointToStart(entry);
  current.rank = entry->getArgument(0);
  current.arguments = entry->getArgument(1);
  current.results = entry->getArgument(2);
  current.workspace = entry->getArgument(3);
  current.scratch = LLVM::AllocaOp::create(b, ptr, ptr, constant64(1));
  if (isSegment)
    current.frame = entry->getArgument(4);
  else
    current.frame = LLVM::AllocaOp::create(b, ptr, i64, constant64(1));
}

void HostEmitter::endFunction() {
  LLVM::ReturnOp::create(b, constant32(0));
  b.setInsertionPoint(current.scratch);
  current.scratch.getArraySizeMutable().assign(constant64(current.scratchSize));
  if (auto frame = current.frame.getDefiningOp<LLVM::AllocaOp>())
    frame.getArraySizeMutable().assign(
        constant64(std::max<int64_t>(1, slots.size())));
}

/// The actions of a function, a segment or a body, in segments if they are
/// many.
void HostEmitter::emitBody(Actions actions) {
  if (actions.size() <= kSegment)
    return emitActions(actions);
  while (!actions.empty()) {
    Actions rest = actions;
    while (!rest.empty() && actions.size() - rest.size() < kSegment)
      (void)takeUnit(rest);
    emitSegment(actions.drop_back(rest.size()));
    actions = rest;
  }
}

/// Writes a function with `actions`, and calls it.
void HostEmitter::emitSegment(Actions actions) {
  OpBuilder::InsertPoint caller = b.saveInsertionPoint();
  Location loc = b.getLoc();
  Function outer = std::move(current);
  func::FuncOp source = program.function;
  b.setInsertionPoint(source);
  beginFunction("tpc_fn_" + source.getName() + "." + Twine(numSegments++),
                /*isSegment=*/true);
  emitActions(actions);
  endFunction();
  LLVM::LLVMFuncOp segment = current.function;
  current = std::move(outer);
  b.restoreInsertionPoint(caller);
  b.setLoc(loc);
  call(segment, {current.rank, current.arguments, current.results,
                 current.workspace, current.frame});
}

void HostEmitter::emitActions(Actions actions) {
  while (!actions.empty())
    emitUnit(takeUnit(actions));
}

HostEmitter::Actions HostEmitter::takeUnit(Actions &actions) {
  size_t count = 0;
  if (!actions.front().isMarker()) {
    unsigned group = actions.front().group;
    while (count < actions.size() && !actions[count].isMarker() &&
           actions[count].group == group)
      ++count;
  } else {
    int depth = 0;
    do {
      Action::Kind kind = actions[count++].kind;
      depth +=
          kind == Action::Kind::LoopBegin || kind == Action::Kind::BranchBegin;
      depth -= kind == Action::Kind::LoopEnd || kind == Action::Kind::BranchEnd;
    } while (depth > 0);
  }
  Actions unit = actions.take_front(count);
  actions = actions.drop_front(count);
  return unit;
}

void HostEmitter::emitUnit(Actions unit) {
  b.setLoc(unit.front().loc);
  if (unit.front().kind == Action::Kind::LoopBegin)
    emitFor(unit);
  else if (unit.front().kind == Action::Kind::BranchBegin)
    emitIf(unit);
  else
    emitGroup(unit);
}

void HostEmitter::emitFor(Actions unit) {
  auto loop = cast<scf::ForOp>(unit.front().op);
  Value index = loop.getInductionVar();
  auto constantBound = [&](Value value) {
    return constant64(*getConstantIntValue(value));
  };
  LLVM::StoreOp::create(b, constantBound(loop.getLowerBound()), slot(index));
  Block *exit = newBlock(), *body = newBlock(), *header = newBlock();
  LLVM::BrOp::create(b, header);

  b.setInsertionPointToEnd(header);
  Value inside = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::slt,
                                      LLVM::LoadOp::create(b, i64, slot(index)),
                                      constantBound(loop.getUpperBound()));
  LLVM::CondBrOp::create(b, inside, body, exit);

  b.setInsertionPointToEnd(body);
  // What an iteration computes or loads is not there behind the loop.
  IRMapping outside = current.scalars;
  emitBody(unit.drop_front().drop_back());
  current.scalars = std::move(outside);
  b.setLoc(unit.front().loc);
  Value next = LLVM::AddOp::create(b, LLVM::LoadOp::create(b, i64, slot(index)),
                                   constantBound(loop.getStep()));
  LLVM::StoreOp::create(b, next, slot(index));
  LLVM::BrOp::create(b, header);
  b.setInsertionPointToEnd(exit);
}

void HostEmitter::emitIf(Actions unit) {
  auto branch = cast<scf::IfOp>(unit.front().op);
  Value condition = scalar(branch.getCondition());
  Block *exit = newBlock(), *second = newBlock(), *first = newBlock();
  LLVM::CondBrOp::create(b, condition, first, second);
  auto middle = llvm::find_if(unit, [&](const Action &action) {
    return action.kind == Action::Kind::BranchElse && action.op == branch;
  });
  IRMapping outside = current.scalars;
  auto emitBranch = [&](Block *block, Actions body) {
    b.setInsertionPointToEnd(block);
    emitBody(body);
    b.setLoc(unit.front().loc);
    LLVM::BrOp::create(b, exit);
    current.scalars = outside;
  };
  emitBranch(first, Actions(unit.begin() + 1, middle));
  emitBranch(second, Actions(middle + 1, unit.end() - 1));
  b.setInsertionPointToEnd(exit);
}

/// The actions of one kernel group, or a single other one, with the host values
/// computed between them: kernels of a group read all of those.
void HostEmitter::emitGroup(Actions actions) {
  SmallVector<const Action *> loops;
  for (const Action &action : actions) {
    b.setLoc(action.loc);
    if (action.kind == Action::Kind::Loops)
      loops.push_back(&action);
    else
      emitAction(action);
  }
  if (!loops.empty()) {
    b.setLoc(loops.front()->loc);
    emitLoops(loops);
  }
}

void HostEmitter::emitAction(const Action &action) {
  switch (action.kind) {
  case Action::Kind::Scalar:
    return emitScalar(action.op);
  case Action::Kind::Extract:
    return emitExtract(action);
  case Action::Kind::Matmul:
    return emitMatmul(action);
  case Action::Kind::Attention:
    return emitAttention(action);
  case Action::Kind::Collective:
    return emitCollective(action);
  case Action::Kind::Record:
    return call("tpc_rt_record", {current.rank, constant32(action.event),
                                  constant32(int64_t(action.stream))});
  case Action::Kind::Wait:
    return call("tpc_rt_wait",
                {current.rank, constant32(int64_t(action.stream)),
                 constant32(action.event)});
  case Action::Kind::Copy:
    if (!(plan.storage[action.reads[0]] == plan.storage[action.writes[0]]))
      emitLoops(&action);
    return;
  default:
    llvm_unreachable("nests are emitted in groups, markers as what they begin");
  }
}

void HostEmitter::emit() {
  func::FuncOp source = program.function;
  b.setInsertionPoint(source);
  beginFunction("tpc_fn_" + source.getName(), /*isSegment=*/false);
  current.function->setAttr(kWorkspaceBytes,
                            b.getI64IntegerAttr(plan.workspaceBytes));
  if (device)
    lifetimes = findLifetimes(program);
  if (program.numEvents)
    current.function->setAttr(kEvents, b.getI64IntegerAttr(program.numEvents));
  if (Attribute attentions = source->getAttr(kAttentions))
    current.function->setAttr(kAttentions, attentions);
  emitBody(program.actions);
  b.setLoc(source.getLoc());
  endFunction();
  if (readsOnHost)
    current.function->setAttr(kHostReads, b.getUnitAttr());
}

} // namespace

void HostLibrary::emit(const Program &program, const BufferPlan &plan) {
  HostEmitter(module, program, plan, kernels, device ? &*device : nullptr,
              globals)
      .emit();
}

} // namespace tpc::lower
