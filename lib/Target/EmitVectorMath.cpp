// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which math functions have vector variants in glibc's libmvec (at most 4 units
// in the last place off, special values as the scalar ones).
//
// LLVM's own table for this library lacks 512-bit variants and half of the
// functions, so the variants are attached here, to libm calls and to the
// intrinsics that stand for them alike.
#include "EmitMachineCode.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/VFABIDemangler.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace tpc {

namespace {

/// A call of the function `name` of libm on floats or doubles.
struct MathCall {
  StringRef name;
  bool isDouble;
};

/// The number of operands of a function with vector variants, else 0.
unsigned vectorArity(StringRef name) {
  return StringSwitch<unsigned>(name)
      .Cases({"acos", "acosh", "asin", "asinh", "atan", "atanh"}, 1)
      .Cases({"cbrt", "cos", "cosh", "erf", "erfc", "exp"}, 1)
      .Cases({"exp10", "exp2", "expm1", "log", "log10", "log1p"}, 1)
      .Cases({"log2", "sin", "sinh", "tan", "tanh"}, 1)
      .Cases({"atan2", "hypot", "pow"}, 2)
      .Default(0);
}

std::optional<MathCall> toMathCall(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  Type *type = call.getType();
  if (!callee || !(type->isFloatTy() || type->isDoubleTy()))
    return std::nullopt;
  StringRef name = callee->getName();
  if (name.consume_front("llvm."))
    name.consume_back(type->isFloatTy() ? ".f32" : ".f64");
  else if (type->isFloatTy())
    name.consume_back("f");
  if (vectorArity(name) != call.arg_size())
    return std::nullopt;
  return MathCall{name, type->isDoubleTy()};
}

/// A set of vector registers: its letter in the names and its width.
struct VectorSet {
  char letter;
  unsigned bits;
};

SmallVector<VectorSet> vectorSets(TargetMachine &machine) {
  const MCSubtargetInfo &target = *machine.getMCSubtargetInfo();
  SmallVector<VectorSet> sets = {{'b', 128}};
  if (target.checkFeatures("+avx2"))
    sets.push_back({'d', 256});
  if (target.checkFeatures("+avx512f"))
    sets.push_back({'e', 512});
  return sets;
}

} // namespace

void attachVectorMath(Module &module, TargetMachine &machine) {
  if (machine.getTargetTriple().getArch() != Triple::x86_64 ||
      !machine.getTargetTriple().isGNUEnvironment())
    return;
  SmallVector<VectorSet> sets = vectorSets(machine);
  SmallVector<GlobalValue *> variants;
  for (Function &function : module) {
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      std::optional<MathCall> math;
      if (!call || !(math = toMathCall(*call)))
        continue;
      // Nothing here reads errno.
      call->setDoesNotAccessMemory();
      call->setDoesNotThrow();
      call->addFnAttr(Attribute::WillReturn);
      SmallVector<std::string> mappings;
      for (VectorSet set : sets) {
        unsigned lanes = set.bits / (math->isDouble ? 64 : 32);
        std::string shape =
            std::to_string(lanes) + std::string(call->arg_size(), 'v') + "_";
        std::string variant = (Twine("_ZGV") + Twine(set.letter) + "N" + shape +
                               math->name + (math->isDouble ? "" : "f"))
                                  .str();
        mappings.push_back((Twine("_ZGV_LLVM_N") + shape +
                            call->getCalledFunction()->getName() + "(" +
                            variant + ")")
                               .str());
        if (module.getFunction(variant))
          continue;
        auto *vector = FixedVectorType::get(call->getType(), lanes);
        auto *type = FunctionType::get(
            vector, SmallVector<Type *>(call->arg_size(), vector), false);
        auto *declaration = Function::Create(type, GlobalValue::ExternalLinkage,
                                             variant, module);
        declaration->setDoesNotAccessMemory();
        declaration->setDoesNotThrow();
        declaration->setWillReturn();
        variants.push_back(declaration);
      }
      VFABI::setVectorVariantNames(call, mappings);
    }
  }
  // Unused so far, and yet to be kept until the vectoriser has run.
  if (!variants.empty())
    appendToCompilerUsed(module, variants);
}

} // namespace tpc
