// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches the runtime's own kernels, and pieces of collectives with them.

#include "own_launch.h"
#include <algorithm>

namespace tpc::rt::cuda {

/// More blocks than any GPU runs at once; threads stride over the rest.
constexpr int64_t mostBlocks = 4096;

Status launchOwn(CudaDevice &device, int32_t stream, const std::string &kernel,
                 int64_t elements, int64_t *words) {
  if (elements == 0)
    return {};
  CUfunction function = nullptr;
  if (Status status = device.gpu()->ownKernel(kernel, function))
    return status;
  // One block may be as small as its work; of several all are full.
  int64_t block = std::min<int64_t>((elements + 31) / 32 * 32, ownBlock);
  int64_t blocks = std::min((elements + block - 1) / block, mostBlocks);
  words[0] = blocks * block;
  void *params[] = {words};
  TPC_CUDA_CHECKED(device, cuLaunchKernel, function,
                   static_cast<unsigned>(blocks), 1, 1,
                   static_cast<unsigned>(block), 1, 1, 0, device.stream(stream),
                   params, nullptr);
  return {};
}

static const char *kernelSuffix(Reduction reduction) {
  switch (reduction) {
  case Reduction::Sum:
    return "Sum";
  case Reduction::Max:
    return "Max";
  case Reduction::Min:
    return "Min";
  case Reduction::Prod:
    return "Prod";
  case Reduction::And:
    return "And";
  case Reduction::Or:
    return "Or";
  }
  return "";
}

static Status enqueueMove(CudaDevice &device, int32_t stream,
                          const std::string &kernel, int64_t elementSize,
                          const Transfer &transfer, size_t dim, MoveArgs args) {
  size_t left = transfer.extent.size() - dim;
  if (left <= mostDims) {
    args.numDims = static_cast<int32_t>(left);
    args.volume = 1;
    for (size_t i = 0; i < left; ++i) {
      args.extent[i] = transfer.extent[dim + i];
      args.targetStride[i] = transfer.dstStride[dim + i];
      args.sourceStride[i] = transfer.srcStride[dim + i];
      args.volume *= args.extent[i];
    }
    return launchOwn(device, stream, kernel, args.volume, args);
  }
  // More dims than a kernel takes: the outermost here.
  for (int64_t i = 0; i < transfer.extent[dim]; ++i) {
    if (Status status = enqueueMove(device, stream, kernel, elementSize,
                                    transfer, dim + 1, args))
      return status;
    args.target = static_cast<char *>(args.target) +
                  transfer.dstStride[dim] * elementSize;
    for (int32_t s = 0; s < args.numSources; ++s)
      args.sources[s] = static_cast<const char *>(args.sources[s]) +
                        transfer.srcStride[dim] * elementSize;
  }
  return {};
}

Status enqueueTransfer(CudaDevice &device, int32_t stream, DType dtype,
                       Reduction reduction, const Transfer &transfer,
                       void *target, const void *const *buffers) {
  int64_t size = dtypeSize(dtype);
  MoveArgs args{};
  args.target = static_cast<char *>(target) + transfer.dstOffset * size;
  for (int32_t rank : transfer.sources)
    args.sources[args.numSources++] =
        static_cast<const char *>(buffers[rank]) + transfer.srcOffset * size;
  if (args.numSources == 1 && transfer.extent.size() == 1) {
    TPC_CUDA_CHECKED(
        device, cuMemcpyAsync, address(args.target), address(args.sources[0]),
        static_cast<size_t>(transfer.extent[0] * size), device.stream(stream));
    return {};
  }
  return enqueueMove(
      device, stream,
      text("tpc_move_", dtypeName(dtype), "_", kernelSuffix(reduction)), size,
      transfer, 0, args);
}

} // namespace tpc::rt::cuda
