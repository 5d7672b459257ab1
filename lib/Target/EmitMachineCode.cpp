// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates, optimises and emits a lowered module for one processor.
#include "EmitMachineCode.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

namespace tpc {

namespace {

Expected<std::unique_ptr<TargetMachine>>
createMachine(const EmitOptions &options) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  InitializeNativeTargetAsmParser();
  Triple triple(sys::getDefaultTargetTriple());
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  assert(target && "LLVM generates code for where it runs");
  std::string cpu = options.cpu, features;
  if (cpu == "native") {
    cpu = sys::getHostCPUName().str();
    SmallVector<std::string> list;
    for (const auto &feature : sys::getHostCPUFeatures())
      list.push_back((feature.second ? "+" : "-") + feature.first().str());
    llvm::sort(list);
    features = llvm::join(list, ",");
  } else if (std::unique_ptr<MCSubtargetInfo> info(
                 target->createMCSubtargetInfo(triple, "", ""));
             !info->isCPUStringValid(cpu)) {
    return createStringError(
        "unknown processor '" + cpu +
        "': expected \"native\" or a name that `llc -mcpu=help` "
        "lists");
  }
  CodeGenOptLevel level = CodeGenOpt::getLevel(std::min(options.optLevel, 3u))
                              .value_or(CodeGenOptLevel::Default);
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(triple, cpu, features, TargetOptions(),
                                  Reloc::PIC_, std::nullopt, level));
  assert(machine && "LLVM generates code for where it runs");
  return std::move(machine);
}

void addManifest(Module &module, StringRef manifest) {
  Constant *text = ConstantDataArray::getString(module.getContext(), manifest);
  new GlobalVariable(module, text->getType(), /*isConstant=*/true,
                     GlobalValue::ExternalLinkage, text,
                     "tpc_artifact_manifest");
}

/// Every image under its symbol.
void addImages(Module &module, const DeviceCode &code) {
  for (const DeviceImage &image : code.images) {
    if (image.content.empty())
      continue;
    Constant *bytes = ConstantDataArray::getString(
        module.getContext(), image.content, /*AddNull=*/false);
    auto *global =
        new GlobalVariable(module, bytes->getType(), /*isConstant=*/true,
                           GlobalValue::ExternalLinkage, bytes, image.symbol);
    global->setAlignment(Align(64));
  }
}

} // namespace

void optimizeModule(Module &module, TargetMachine &machine, unsigned level) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = level >= 2;
  tuning.LoopInterleaving = level >= 2;
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  OptimizationLevel levels[] = {OptimizationLevel::O0, OptimizationLevel::O1,
                                OptimizationLevel::O2, OptimizationLevel::O3};
  OptimizationLevel chosen = levels[std::min(level, 3u)];
  ModulePassManager passes =
      level == 0 ? builder.buildO0DefaultPipeline(chosen)
                 : builder.buildPerModuleDefaultPipeline(chosen);
  passes.run(module, modules);
}

Expected<MachineModule> MachineModule::create(mlir::ModuleOp lowered,
                                              StringRef manifest,
                                              const EmitOptions &options) {
  MachineModule result;
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(options);
  if (!machine)
    return machine.takeError();
  result.machine = std::move(*machine);

  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  // Which leaves out the device module.
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  lowered.getContext()->appendDialectRegistry(registry);
  result.context = std::make_unique<LLVMContext>();
  result.module = mlir::translateModuleToLLVMIR(lowered, *result.context);
  if (!result.module)
    return createStringError("translation to LLVM IR failed; this is a bug of "
                             "tpc in the lower stage");
  Module &module = *result.module;
  module.setTargetTriple(result.machine->getTargetTriple());
  module.setDataLayout(result.machine->createDataLayout());
  if (!manifest.empty())
    addManifest(module, manifest);
  if (options.device)
    addImages(module, *options.device);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (function.getName().starts_with("tpc_fn_")) {
      // The program itself: thousands of calls in a row, nothing to optimise.
      function.addFnAttr(Attribute::OptimizeNone);
      function.addFnAttr(Attribute::NoInline);
    } else if (result.machine->getTargetTriple().isX86()) {
      // Kernels are loops over long arrays: the widest registers pay.
      function.addFnAttr("prefer-vector-width", "512");
    }
  }
  attachVectorMath(module, *result.machine);
  optimizeModule(module, *result.machine, options.optLevel);
  return std::move(result);
}

std::string MachineModule::text() const {
  std::string text;
  raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

Expected<SmallVector<char, 0>> MachineModule::object() {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  [[maybe_unused]] bool writesNone = machine->addPassesToEmitFile(
      passes, stream, nullptr, CodeGenFileType::ObjectFile);
  assert(!writesNone && "object files are what it writes");
  passes.run(*module);
  return std::move(bytes);
}

} // namespace tpc
