// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds kernels of equal structure.
//
// The structure of a nest is written down as a list of words: sizes, the
// pointers of uniqued types, attributes and affine expressions, and the
// operations of the body with their operands numbered. Names, locations and
// the buffers themselves are not part of it.
#include "Kernels.h"

using namespace mlir;

namespace tpc::lower {

namespace {

class KeyWriter {
public:
  void add(uint64_t word) { key.push_back(word); }
  void add(const void *uniqued) {
    key.push_back(reinterpret_cast<uintptr_t>(uniqued));
  }
  void add(Nest::Source source) {
    add(uint64_t(source.kind));
    add(uint64_t(source.number));
  }

  void add(const KernelPart &part) {
    const Nest &nest = *part.nest;
    // The schedule follows from the nest but for the launch range, which the
    // kernel's other parts have a say in.
    add(uint64_t(part.schedule.extent));
    add(uint64_t(part.schedule.launch.size()));
    add(uint64_t(part.schedule.block));
    add(uint64_t(nest.extents.size()));
    for (auto [extent, reduction] :
         llvm::zip_equal(nest.extents, nest.reduction)) {
      add(uint64_t(extent));
      add(uint64_t(reduction));
    }
    add(uint64_t(nest.accesses.size()));
    for (auto [access, pointer] :
         llvm::zip_equal(nest.accesses, part.pointers)) {
      add(access.elementType.getAsOpaquePointer());
      add(access.address.getAsOpaquePointer());
      add(uint64_t(pointer));
    }
    add(uint64_t(nest.indices.size()));
    for (Nest::Index index : nest.indices) {
      add(uint64_t(index.access));
      add(uint64_t(index.bound));
    }
    add(uint64_t(nest.scalars.size()));
    for (OpFoldResult scalar : nest.scalars) {
      if (auto constant = dyn_cast<Attribute>(scalar))
        add(constant.getAsOpaquePointer());
      else
        add(cast<Value>(scalar).getType().getAsOpaquePointer());
    }
    add(uint64_t(nest.captured.size()));
    add(uint64_t(nest.inputs.size()));
    for (Nest::Source input : nest.inputs)
      add(input);
    add(uint64_t(nest.outputs.size()));
    for (const Nest::Output &output : nest.outputs) {
      add(uint64_t(output.access));
      add(uint64_t(output.accumulated));
      add(uint64_t(output.adds));
      add(uint64_t(output.scan));
      add(output.init);
    }
    if (nest.body)
      addBody(nest);
  }

  KernelKey key;

private:
  void addBody(const Nest &nest) {
    DenseMap<Value, uint64_t> numbers;
    auto number = [&](Value value) {
      numbers.try_emplace(value, numbers.size());
    };
    llvm::for_each(nest.captured, number);
    llvm::for_each(nest.body->getArguments(), number);
    for (Operation &op : nest.body->front()) {
      add(op.getName().getAsOpaquePointer());
      // Properties and other attributes in one uniqued dictionary.
      add(op.getAttrDictionary().getAsOpaquePointer());
      add(uint64_t(op.getNumOperands()));
      for (Value operand : op.getOperands())
        add(numbers.lookup(operand));
      for (Value result : op.getResults()) {
        add(result.getType().getAsOpaquePointer());
        number(result);
      }
    }
  }
};

} // namespace

KernelKey structureOf(const Kernel &kernel) {
  KeyWriter writer;
  writer.add(uint64_t(kernel.parts.size()));
  for (const KernelPart &part : kernel.parts)
    writer.add(part);
  for (bool aligned : kernel.aligned)
    writer.add(uint64_t(aligned));
  for (bool live : kernel.liveOut)
    writer.add(uint64_t(live));
  for (bool isInternal : kernel.internal)
    writer.add(uint64_t(isInternal));
  return std::move(writer.key);
}

LLVM::LLVMFuncOp KernelLibrary::get(const Kernel &kernel, Location loc) {
  auto [entry, isNew] = kernels.try_emplace(structureOf(kernel));
  if (isNew)
    entry->second = emitKernel(
        module, ("tpc_kernel_" + Twine(kernels.size() - 1)).str(), kernel, loc);
  return entry->second;
}

} // namespace tpc::lower
