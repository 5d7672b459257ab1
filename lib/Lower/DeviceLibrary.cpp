// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes device kernels and what the manifest says of them.
#include "DeviceLibrary.h"
#include "DeviceEmitter.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc::lower {

/// What the manifest says beside the sizes of the launch.
static DictionaryAttr describe(OpBuilder &b, const DeviceKernel &kernel) {
  auto number = [&](StringRef key, int64_t value) {
    return b.getNamedAttr(key, b.getI64IntegerAttr(value));
  };
  const KernelTraffic &traffic = kernel.traffic;
  SmallVector<NamedAttribute> info = {
      b.getNamedAttr("kind", b.getStringAttr(kernel.kindName())),
      number("read_bytes", traffic.read),
      number("write_bytes", traffic.written),
      number("least_read_bytes", traffic.leastRead),
      number("least_write_bytes", traffic.leastWritten)};
  if (kernel.isSharedDynamic())
    info.push_back(number("shared_bytes", kernel.sharedBytes));
  return b.getDictionaryAttr(info);
}

int32_t DeviceLibrary::get(const Kernel &kernel, Location loc) {
  auto [entry, isNew] =
      kernels.try_emplace(structureOf(kernel), int32_t(kernels.size()));
  if (!isNew)
    return entry->second;
  auto b = OpBuilder::atBlockEnd(module.getBody());
  if (!device)
    device = gpu::GPUModuleOp::create(b, module.getLoc(), kDeviceModule);
  std::string name = ("tpc_kernel_" + Twine(entry->second)).str();
  DeviceKernel schedule = scheduleDeviceKernel(kernel, sharedLimit);
  gpu::GPUFuncOp function =
      DeviceEmitter(device, name, kernel, schedule, loc).emit();
  function->setAttr(kKernelInfo, describe(b, schedule));
  return entry->second;
}

} // namespace tpc::lower
