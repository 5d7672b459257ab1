// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a planned program as `tpc_fn_NAME` of the artifact ABI: one runtime
// call per action, each followed by an early return of its error code.
#include "EmitPoint.h"
#include "HostEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tpc/Dialect/TP/UserLocation.h"
#include "tpc/Lower/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tpc::lower {

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
  case Storage::Kind::Internal:
    llvm_unreachable("kernels do not get what is internal to them");
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
        kernel.internal.push_back(place.first.kind == Storage::Kind::Internal);
        if (!kernel.internal.back())
          values.push_back(moveBy(address(access.buffer), access.offsets,
                                  access.elementType));
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
  FailureOr<int32_t> number =
      device->get(kernel, actions.front()->loc, iterations);
  fails |= failed(number);
  if (fails)
    return;
  call("tpc_rt_kernel",
       {current.rank, constant32(*number), passPointers(values, 0)});
}

/// What the report says of a product.
static Attribute describe(const Matmul &matmul, Location loc) {
  static const std::pair<int32_t, StringRef> names[] = {
      {MatmulFlag::TF32, "tf32"},
      {MatmulFlag::ADD_BIAS, "bias"},
      {MatmulFlag::RELU, "relu"},
      {MatmulFlag::GELU, "gelu"},
      {MatmulFlag::WRITE_AUX, "argument of the gelu"},
      {MatmulFlag::RELU_GRADIENT, "gradient of the relu"},
      {MatmulFlag::GELU_GRADIENT, "gradient of the gelu"},
      {MatmulFlag::SUM_INNER, "sums of an operand"},
      {MatmulFlag::SUM_OUTER, "sums of an operand"},
      {MatmulFlag::SUM_RESULT, "sums of the result"}};
  static const StringRef types[] = {"f32", "f64", "f16", "bf16"};
  SmallVector<StringRef> list;
  for (auto [flag, name] : names)
    if (matmul.flags & flag)
      list.push_back(name);
  Builder builder(loc.getContext());
  auto number = [&](StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  };
  auto text = [&](StringRef name, const Twine &value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  };
  return builder.getDictionaryAttr(
      {text("loc", tp::getUserLocation(loc)),
       text("dtype", types[matmul.dtype]), number("m", matmul.m),
       number("n", matmul.n), number("k", matmul.k),
       text("epilogue", llvm::join(list, ", "))});
}

void HostEmitter::emitMatmul(const Action &action) {
  const Matmul &matmul = action.matmul;
  if (device)
    products.push_back(describe(matmul, action.loc));
  auto optional = [&](std::optional<BufferId> buffer) -> Value {
    return buffer ? address(*buffer) : LLVM::ZeroOp::create(b, ptr);
  };
  call("tpc_rt_matmul",
       {current.rank, LLVM::AddressOfOp::create(b, globals.product(matmul)),
        address(action.reads[0]), address(action.reads[1]),
        address(action.writes[0]), optional(matmul.bias), optional(matmul.aux),
        optional(matmul.workspace)});
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

LogicalResult HostEmitter::emit() {
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
  if (!products.empty())
    current.function->setAttr(kProducts, b.getArrayAttr(products));
  if (readsOnHost)
    current.function->setAttr(kHostReads, b.getUnitAttr());
  return success(!fails);
}

LogicalResult HostLibrary::emit(const Program &program,
                                const BufferPlan &plan) {
  return HostEmitter(module, program, plan, kernels,
                     device ? &*device : nullptr, globals)
      .emit();
}

} // namespace tpc::lower
