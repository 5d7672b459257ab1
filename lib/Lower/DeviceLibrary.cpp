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

FailureOr<int32_t> DeviceLibrary::get(const Kernel &kernel, Location loc,
                                      int64_t launches) {
  auto [known, isNew] = kernels.try_emplace(
      structureOf(kernel), Entry{int32_t(kernels.size()), {}, 0});
  Entry &entry = known->second;
  auto b = OpBuilder::atBlockEnd(module.getBody());
  if (isNew) {
    if (!device)
      device = gpu::GPUModuleOp::create(b, module.getLoc(), kDeviceModule);
    std::string name = ("tpc_kernel_" + Twine(entry.number)).str();
    DeviceKernel schedule = scheduleDeviceKernel(kernel, sharedLimit);
    constexpr int64_t kMaxGrid = std::numeric_limits<int32_t>::max();
    if (schedule.grid > kMaxGrid) {
      kernels.erase(known);
      return emitError(loc) << "unsupported: a kernel of " << schedule.grid
                            << " blocks, of which a launch has at most "
                            << kMaxGrid << "; shard the tensor";
    }
    size_t parameters =
        llvm::count(kernel.internal, false) + hostScalarTypes(kernel).size();
    if (parameters > kMaxParameters) {
      kernels.erase(known);
      return emitError(loc)
             << "unsupported: a kernel with " << parameters
             << " operands, of which a launch takes at most " << kMaxParameters
             << "; compute it in several operations";
    }
    assert(schedule.sharedBytes <= sharedLimit && "a block has no such memory");
    entry.function = DeviceEmitter(device, name, kernel, schedule, loc).emit();
    entry.function->setAttr(kKernelInfo, describe(b, schedule));
  }
  // Beside what is said of one launch: how many a call of each function has.
  entry.launches += launches;
  NamedAttrList info(
      entry.function->getAttrOfType<DictionaryAttr>(kKernelInfo));
  info.set("launches", b.getI64IntegerAttr(entry.launches));
  entry.function->setAttr(kKernelInfo, info.getDictionary(b.getContext()));
  return entry.number;
}

} // namespace tpc::lower
