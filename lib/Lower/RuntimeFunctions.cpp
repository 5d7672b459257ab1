// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares the entry points of the runtime as abi.def lists them.
#include "EmitHost.h"

using namespace mlir;

namespace tpc::lower {

namespace {

enum class AbiType { I32, I64, PTR };

struct Entry {
  StringRef name;
  AbiType result;
  SmallVector<AbiType> parameters;
};

const SmallVector<Entry> &entries() {
  constexpr AbiType I32 = AbiType::I32, I64 = AbiType::I64;
  constexpr AbiType PTR = AbiType::PTR;
  static const SmallVector<Entry> table = {
#define TPC_RT_ENTRY(name, result, ...) {#name, result, {__VA_ARGS__}},
#include "tpc_rt/abi.def"
  };
  return table;
}

} // namespace

LLVM::LLVMFuncOp getRuntimeFunction(ModuleOp module, StringRef name) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  const Entry *entry = llvm::find_if(
      entries(), [&](const Entry &entry) { return entry.name == name; });
  assert(entry != entries().end() && "not an entry point of the runtime");
  MLIRContext *context = module.getContext();
  auto toType = [&](AbiType type) -> Type {
    if (type == AbiType::PTR)
      return LLVM::LLVMPointerType::get(context);
    return IntegerType::get(context, type == AbiType::I32 ? 32 : 64);
  };
  auto type = LLVM::LLVMFunctionType::get(
      toType(entry->result), llvm::map_to_vector(entry->parameters, toType));
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
}

} // namespace tpc::lower
