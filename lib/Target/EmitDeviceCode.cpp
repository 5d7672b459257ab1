// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the device module in the NVVM dialect to PTX and cubins.
//
// The module is translated once, with what it calls of libdevice linked in;
// then every processor optimises and assembles a copy of its own, in parallel.
#include "CudaToolkit.h"
#include "EmitMachineCode.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tpc/Target/DeviceCode.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace tpc {

namespace {

constexpr StringRef kHost = "host";

Expected<std::unique_ptr<TargetMachine>> createMachine(StringRef arch,
                                                       unsigned optLevel) {
  Triple triple("nvptx64-nvidia-cuda");
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  assert(target && "looked for when tpc is configured");
  CodeGenOptLevel level = CodeGenOpt::getLevel(std::min(optLevel, 3u))
                              .value_or(CodeGenOptLevel::Default);
  // Without a feature the version of PTX is the least that knows the processor,
  // which all assemblers and drivers for it read.
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, arch, "", TargetOptions(), std::nullopt, std::nullopt, level));
}

/// Links what `module` calls of libdevice into it.
Error linkDeviceLibrary(Module &module, const CudaToolkit &toolkit) {
  if (none_of(module, [](const Function &function) {
        return function.isDeclaration() &&
               function.getName().starts_with("__nv_");
      }))
    return Error::success();
  Expected<std::string> path = toolkit.deviceLibrary();
  if (!path)
    return path.takeError();
  auto isNone = [&](const Twine &why) {
    return createStringError("'" + *path +
                             "' is not libdevice of CUDA 9 or newer: " + why);
  };
  auto buffer = MemoryBuffer::getFile(*path);
  if (!buffer)
    return isNone(buffer.getError().message());
  auto library =
      getOwningLazyBitcodeModule(std::move(*buffer), module.getContext());
  if (!library)
    return isNone(toString(library.takeError()));
  // Without a handler LLVM ends the process.
  std::string why;
  module.getContext().setDiagnosticHandlerCallBack(
      [](const DiagnosticInfo *info, void *text) {
        raw_string_ostream stream(*static_cast<std::string *>(text));
        DiagnosticPrinterRawOStream printer(stream);
        info->print(printer);
      },
      &why);
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  if (Linker::linkModules(
          module, std::move(*library), Linker::LinkOnlyNeeded,
          [](Module &linked, const StringSet<> &added) {
            internalizeModule(linked, [&](const GlobalValue &value) {
              return !value.hasName() || !added.contains(value.getName());
            });
          }))
    return isNone(why);
  for (Function &function : module) {
    if (!function.getName().starts_with("__nv_"))
      continue;
    if (function.isDeclaration())
      return isNone("it has no function " + function.getName());
    // A call would save and restore registers; slow paths stay calls.
    if (!function.hasFnAttribute(Attribute::NoInline))
      function.addFnAttr(Attribute::AlwaysInline);
  }
  return Error::success();
}

/// The device module as bitcode.
Expected<std::string> translate(mlir::gpu::GPUModuleOp device,
                                const DeviceOptions &options,
                                const CudaToolkit &toolkit) {
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  device.getContext()->appendDialectRegistry(registry);
  LLVMContext context;
  std::unique_ptr<Module> module =
      mlir::translateModuleToLLVMIR(device, context);
  if (!module)
    return createStringError("translation of the device module to LLVM IR "
                             "failed; this is a bug of tpc in the lower stage");
  Expected<std::unique_ptr<TargetMachine>> machine =
      createMachine("sm_80", options.optLevel);
  if (!machine)
    return machine.takeError();
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  if (Error error = linkDeviceLibrary(*module, toolkit))
    return std::move(error);
  std::string bitcode;
  raw_string_ostream stream(bitcode);
  WriteBitcodeToFile(*module, stream);
  return std::move(bitcode);
}

Expected<std::string> makePTX(StringRef bitcode, StringRef arch,
                              const DeviceOptions &options) {
  LLVMContext context;
  Expected<std::unique_ptr<Module>> module =
      parseBitcodeFile(MemoryBufferRef(bitcode, "device"), context);
  if (!module)
    return module.takeError();
  Expected<std::unique_ptr<TargetMachine>> machine =
      createMachine(arch, options.optLevel);
  if (!machine)
    return machine.takeError();
  optimizeModule(**module, **machine, options.optLevel);
  SmallString<0> ptx;
  raw_svector_ostream stream(ptx);
  legacy::PassManager passes;
  [[maybe_unused]] bool writesNone = (*machine)->addPassesToEmitFile(
      passes, stream, nullptr, CodeGenFileType::AssemblyFile);
  assert(!writesNone && "PTX is what it writes");
  passes.run(**module);
  return ptx.str().str();
}

/// What became of one processor.
struct ArchResult {
  std::string ptx;
  Assembled assembled;
  std::string error;
};

ArchResult makeArch(StringRef bitcode, StringRef arch, StringRef assembler,
                    const DeviceOptions &options) {
  ArchResult result;
  Expected<std::string> ptx = makePTX(bitcode, arch, options);
  if (!ptx) {
    result.error = toString(ptx.takeError());
    return result;
  }
  result.ptx = std::move(*ptx);
  Expected<Assembled> assembled = assemble(assembler, arch, result.ptx);
  if (assembled)
    result.assembled = std::move(*assembled);
  else
    result.error = toString(assembled.takeError());
  return result;
}

/// The processors asked for but the host, oldest first.
std::vector<std::string> realArchs(const DeviceOptions &options) {
  std::vector<std::string> archs;
  for (StringRef arch : deviceArchs().drop_back())
    if (is_contained(options.archs, arch))
      archs.push_back(arch.str());
  if (options.archs.empty())
    archs = {"sm_80", "sm_90", "sm_100"};
  return archs;
}

void initializeCodeGenerator() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

mlir::gpu::GPUModuleOp findDeviceModule(mlir::ModuleOp lowered) {
  auto devices = lowered.getOps<mlir::gpu::GPUModuleOp>();
  return devices.empty() ? mlir::gpu::GPUModuleOp() : *devices.begin();
}

} // namespace

ArrayRef<StringRef> deviceArchs() {
  static const StringRef archs[] = {"sm_80",  "sm_86",  "sm_87",  "sm_89",
                                    "sm_90",  "sm_100", "sm_103", "sm_110",
                                    "sm_120", "sm_121", kHost};
  return archs;
}

/// As the table of technical specifications in the CUDA programming guide has
/// them: the memory of a multiprocessor less 1 KiB.
int64_t sharedMemoryLimit(ArrayRef<std::string> archs) {
  auto ofArch = [](StringRef arch) {
    return StringSwitch<int64_t>(arch)
        .Cases({"sm_86", "sm_89", "sm_120", "sm_121"}, 99 << 10)
        .Cases({"sm_80", "sm_87"}, 163 << 10)
        .Default(227 << 10);
  };
  constexpr int64_t kDefault = 163 << 10;
  int64_t least = INT64_MAX;
  for (StringRef arch : archs)
    if (arch != kHost)
      least = std::min(least, ofArch(arch));
  return least == INT64_MAX ? kDefault : least;
}

int64_t productWorkspaceBytes(ArrayRef<std::string> archs) {
  constexpr int64_t kMiB = int64_t(1) << 20;
  DeviceOptions options;
  options.archs.assign(archs.begin(), archs.end());
  int64_t bytes = 4 * kMiB;
  for (StringRef arch : realArchs(options)) {
    int number = 0;
    if (!arch.drop_front(3).getAsInteger(10, number) && number >= 90)
      bytes = 32 * kMiB;
  }
  return bytes;
}

Error emitPTX(mlir::ModuleOp lowered, StringRef path,
              const DeviceOptions &options) {
  initializeCodeGenerator();
  mlir::gpu::GPUModuleOp device = findDeviceModule(lowered);
  std::vector<std::string> archs = realArchs(options);
  if (archs.empty())
    return createStringError(
        "expected a processor to write PTX for, got host alone");
  if (!device)
    return writeFile(path, "");
  Expected<std::string> bitcode =
      translate(device, options, CudaToolkit(options.cudaPath));
  if (!bitcode)
    return bitcode.takeError();
  Expected<std::string> ptx = makePTX(*bitcode, archs.back(), options);
  if (!ptx)
    return ptx.takeError();
  return writeFile(path, *ptx);
}

Expected<DeviceCode> emitDeviceCode(mlir::ModuleOp lowered,
                                    const DeviceOptions &options) {
  DeviceCode code;
  mlir::gpu::GPUModuleOp device = findDeviceModule(lowered);
  if (!device)
    return code;
  std::vector<std::string> archs = realArchs(options);
  if (!archs.empty()) {
    initializeCodeGenerator();
    CudaToolkit toolkit(options.cudaPath);
    Expected<std::string> assembler = toolkit.assembler();
    if (!assembler)
      return assembler.takeError();
    Expected<std::string> bitcode = translate(device, options, toolkit);
    if (!bitcode)
      return bitcode.takeError();
    std::vector<ArchResult> results(archs.size());
    {
      DefaultThreadPool pool(hardware_concurrency(archs.size()));
      for (size_t number = 0; number < archs.size(); ++number)
        pool.async([&, number] {
          results[number] =
              makeArch(*bitcode, archs[number], *assembler, options);
        });
      pool.wait();
    }
    size_t newest = archs.size();
    for (auto [number, result] : enumerate(results)) {
      StringRef arch = archs[number];
      if (!result.error.empty())
        return createStringError(result.error);
      if (result.assembled.isUnknownArch) {
        // The default is what there is.
        if (options.archs.empty())
          continue;
        return createStringError(
            "'" + *assembler + "' does not know " + arch +
            ": leave it out of --gpu-arch, or give a newer CUDA "
            "toolkit with --cuda-path");
      }
      newest = number;
      code.images.push_back(
          {arch.str(), "cubin", "", std::move(result.assembled.cubin), 0});
      for (auto &[kernel, statistics] : result.assembled.statistics)
        code.statistics[kernel][arch.str()] = statistics;
    }
    if (newest == archs.size())
      return createStringError(
          "'" + *assembler +
          "' knows none of sm_80, sm_90 and sm_100: give a newer "
          "CUDA toolkit with --cuda-path");
    // The driver wants it terminated.
    code.images.push_back({archs[newest], "ptx", "",
                           results[newest].ptx + std::string(1, '\0'), 0});
  }
  for (auto [number, image] : enumerate(code.images)) {
    image.symbol = "tpc_image_" + std::to_string(number);
    image.bytes = image.content.size();
  }
  if (auto image = lowered.lookupSymbol<mlir::LLVM::GlobalOp>("tpc_image_host"))
    code.images.push_back(
        {kHost.str(), kHost.str(), image.getSymName().str(), "",
         int64_t(mlir::DataLayout(lowered).getTypeSize(image.getType()))});
  return code;
}

} // namespace tpc
