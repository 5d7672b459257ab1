// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function of a device kernel, and how its threads read and write: vectors
// at once, staged places in shared memory.
#include "DeviceEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tpc::lower {

/// The address space of shared memory.
static constexpr unsigned kShared = 3;

DeviceEmitter::DeviceEmitter(gpu::GPUModuleOp module, StringRef name,
                             const Kernel &kernel, const DeviceKernel &schedule,
                             Location loc)
    : PointEmitter(
          loc, IntegerType::get(loc.getContext(), schedule.narrow ? 32 : 64)),
      module(module), name(name), kernel(kernel), schedule(schedule) {
  keepsSumsWide = true;
}

Value DeviceEmitter::times(Value x, int64_t y) {
  return y == 1 ? x
                : arith::MulIOp::create(b, x, constant(y),
                                        arith::IntegerOverflowFlags::nsw);
}

Value DeviceEmitter::quotient(Value x, int64_t y) {
  return y == 1 ? x : arith::DivUIOp::create(b, x, constant(y));
}

Value DeviceEmitter::rest(Value x, int64_t y) {
  return arith::RemUIOp::create(b, x, constant(y));
}

Value DeviceEmitter::below(Value x, int64_t y) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, constant(y));
}

void DeviceEmitter::enter(const DevicePart &next, bool takesScalars) {
  part = &next;
  beginNest(*next.nest, next.loops.addresses, next.loops.originalDims,
            next.pointers, next.loops.loops.dims.size(), takesScalars);
  tiles.assign(next.nest->accesses.size(), Value());
}

void DeviceEmitter::setIndices(Dims dims, Value number, int64_t vector) {
  for (size_t position = dims.size(); position-- > 0;) {
    unsigned dim = dims[position];
    int64_t extent = part->loops.loops.dims[dim].extent;
    bool isLast = position + 1 == dims.size();
    if (isLast)
      extent /= vector;
    Value index = position == 0 ? number : rest(number, extent);
    if (position != 0)
      number = quotient(number, extent);
    indices[dim] = isLast ? times(index, vector) : index;
  }
}

DeviceEmitter::Sums
DeviceEmitter::emitLoop(Value first, int64_t count, int64_t step,
                        ValueRange carried,
                        function_ref<Sums(Value, ValueRange)> body) {
  auto loop =
      scf::ForOp::create(b, first, constant(count), constant(step), carried);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(loop.getBody());
  Sums next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  // A loop without carried values has its terminator already.
  if (!next.empty()) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, next);
  }
  return llvm::to_vector_of<Value>(loop.getResults());
}

void DeviceEmitter::emitIf(Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

DeviceEmitter::Sums DeviceEmitter::emitVector(unsigned inner,
                                              ValueRange carried) {
  Sums sums = llvm::to_vector_of<Value>(carried);
  Value first = indices[inner];
  atOnce.assign(nest->accesses.size(), Value());
  pending.assign(nest->accesses.size(), Value());
  for (unsigned element = 0; element < part->vector; ++element) {
    vectorLane = element;
    if (element > 0)
      indices[inner] = plus(first, constant(element));
    sums = emitPoint(sums);
  }
  indices[inner] = first;
  vectorLane.reset();
  flushVectors();
  return sums;
}

void DeviceEmitter::flushVectors() {
  for (unsigned access = 0; access < pending.size(); ++access)
    if (pending[access])
      writeElement(pending[access], access);
}

Value DeviceEmitter::at(Value base, Type type, Value index) {
  return LLVM::GEPOp::create(b, base.getType(), type, base,
                             ArrayRef<LLVM::GEPArg>{index},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value DeviceEmitter::sharedAddress(Value byte) {
  return at(shared, b.getI8Type(), byte);
}

Value DeviceEmitter::joinSlot(unsigned sum, int64_t count, Value number) {
  Value slot = plus(number, constant(sum * count));
  return sharedAddress(times(slot, kJoinSlot));
}

Value DeviceEmitter::globalAddress(unsigned access) {
  return at(pointerValues[pointers[access]],
            storageType(nest->accesses[access].elementType),
            evaluate(addresses[access]));
}

Value DeviceEmitter::addressOf(unsigned access) {
  if (tiles[access])
    return tiles[access];
  const std::optional<StagedPlace> &staged = schedule.staged[pointers[access]];
  if (!staged)
    return globalAddress(access);
  // Elements are counted from the start of the unit's.
  SmallVector<Value> all = indices;
  for (unsigned dim : part->launch)
    indices[dim] = constant(0);
  Value element = evaluate(addresses[access]);
  indices = all;
  Value start = at(teamMemory, b.getI8Type(), constant(staged->offset));
  return at(start, storageType(nest->accesses[access].elementType), element);
}

/// Whether the elements of a vector of points read the same.
bool DeviceEmitter::isInvariant(unsigned access) const {
  unsigned inner = part->reductions.empty() ? part->parallel.back()
                                            : part->reductions.back();
  if (part->stride(inner, access) != 0)
    return false;
  for (auto [index, stride] :
       llvm::enumerate(part->loops.loops.indexStrides[access]))
    if (stride != 0 && part->stride(inner, nest->indices[index].access) != 0)
      return false;
  return true;
}

Value DeviceEmitter::load(unsigned access) {
  Type type = nest->accesses[access].elementType;
  if (!vectorLane || !(part->vectorised[access] || isInvariant(access)))
    return PointEmitter::load(access);
  Type stored = storageType(type);
  bool vectorised = part->vectorised[access];
  if (!atOnce[access]) {
    if (vectorised)
      stored = VectorType::get({part->vector}, stored);
    unsigned bytes = elementBytes(type) * (vectorised ? part->vector : 1);
    atOnce[access] = LLVM::LoadOp::create(b, stored, addressOf(access), bytes);
  }
  Value element = atOnce[access];
  if (vectorised)
    element = LLVM::ExtractElementOp::create(
        b, element,
        arith::ConstantOp::create(b,
                                  b.getI32IntegerAttr(int32_t(*vectorLane))));
  return fromStorage(selectInRange(element, access), type);
}

void DeviceEmitter::store(Value value, unsigned access) {
  Value stored = roundToStorage(value, access);
  if (!vectorLane || !part->vectorised[access])
    return writeElement(stored, access);
  if (!pending[access])
    pending[access] = LLVM::UndefOp::create(
        b, VectorType::get({part->vector}, stored.getType()));
  pending[access] = LLVM::InsertElementOp::create(
      b, pending[access], stored,
      arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(*vectorLane))));
}

void DeviceEmitter::writeElement(Value stored, unsigned access) {
  int64_t bytes = elementBytes(nest->accesses[access].elementType);
  if (auto vector = dyn_cast<VectorType>(stored.getType()))
    bytes *= vector.getNumElements();
  const std::optional<StagedPlace> &staged = schedule.staged[pointers[access]];
  emitIf(guard, [&] {
    if (staged && staged->lastPart > partNumber)
      LLVM::StoreOp::create(b, stored, addressOf(access), bytes);
    if (!staged || (staged->storesIn && *staged->storesIn == partNumber))
      LLVM::StoreOp::create(b, stored, globalAddress(access), bytes);
  });
}

gpu::GPUFuncOp DeviceEmitter::emit() {
  b.setInsertionPointToEnd(module.getBody());
  unsigned numPointers = llvm::count(kernel.internal, false);
  SmallVector<Type> inputs(numPointers, ptr);
  inputs.append(hostScalarTypes(kernel));
  std::string sharedName = (name + "_shared").str();
  // What the launch gives is an array of another module, and of no length.
  bool isDynamic = schedule.isSharedDynamic();
  auto sharedType = LLVM::LLVMArrayType::get(
      b.getI8Type(), isDynamic ? 0 : schedule.sharedBytes);
  if (schedule.sharedBytes)
    LLVM::GlobalOp::create(b, sharedType, /*isConstant=*/false,
                           isDynamic ? LLVM::Linkage::External
                                     : LLVM::Linkage::Internal,
                           sharedName, Attribute(), /*alignment=*/16, kShared);
  auto function = gpu::GPUFuncOp::create(
      b, name, FunctionType::get(b.getContext(), inputs, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({int32_t(schedule.block), 1, 1}));
  function.setKnownGridSizeAttr(
      b.getDenseI32ArrayAttr({int32_t(schedule.grid), 1, 1}));
  SmallVector<bool> isWritten(kernel.numPointers(), false);
  for (const KernelPart &source : kernel.parts)
    for (const Nest::Output &output : source.nest->outputs)
      isWritten[source.pointers[output.access]] = true;
  unsigned argument = 0;
  for (unsigned pointer = 0; pointer < kernel.numPointers(); ++pointer) {
    if (kernel.internal[pointer])
      continue;
    function.setArgAttr(argument, LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
    if (!isWritten[pointer])
      function.setArgAttr(argument, LLVM::LLVMDialect::getReadonlyAttrName(),
                          b.getUnitAttr());
    ++argument;
  }

  OpBuilder::InsertionGuard insertion(b);
  Block &entry = function.getBody().front();
  b.setInsertionPointToStart(&entry);
  ValueRange arguments = entry.getArguments();
  assert(llvm::all_of_zip(kernel.internal, schedule.staged,
                          [](bool isInternal, const auto &staged) {
                            return !isInternal || staged.has_value();
                          }) &&
         "what has no place in memory stays in shared memory");
  for (bool isInternal : kernel.internal)
    pointerValues.push_back(
        isInternal ? Value()
                   : arguments[pointerValues.size() -
                               llvm::count(pointerValues, Value())]);
  llvm::append_range(hostValues, arguments.drop_front(numPointers));
  thread = arith::IndexCastOp::create(
      b, indexType, gpu::ThreadIdOp::create(b, gpu::Dimension::x));
  block = arith::IndexCastOp::create(
      b, indexType, gpu::BlockIdOp::create(b, gpu::Dimension::x));
  if (schedule.sharedBytes)
    shared = LLVM::AddressOfOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext(), kShared), sharedName);
  switch (schedule.kind) {
  case DeviceKernel::Kind::Point:
    emitPoints();
    break;
  case DeviceKernel::Kind::Transpose:
    emitTiles();
    break;
  case DeviceKernel::Kind::Result:
    emitResults();
    break;
  case DeviceKernel::Kind::Column:
    emitColumns();
    break;
  case DeviceKernel::Kind::Row:
    emitRows();
    break;
  }
  gpu::ReturnOp::create(b);
  return function;
}

} // namespace tpc::lower
