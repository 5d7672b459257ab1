// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does what cuBLASLt has no algorithm for, in the order of its epilogues.

#include "epilogue.h"
#include "own_launch.h"

namespace tpc::rt::cuda {

constexpr int32_t activations = TPC_RT_RELU | TPC_RT_GELU;
constexpr int32_t gradients = TPC_RT_RELU_GRADIENT | TPC_RT_GELU_GRADIENT;
constexpr int32_t operandSums = TPC_RT_SUM_INNER | TPC_RT_SUM_OUTER;
constexpr int32_t sums = operandSums | TPC_RT_SUM_RESULT;

Status checkEpilogue(const Epilogue &epilogue) {
  int32_t flags = epilogue.flags & ~TPC_RT_TF32;
  auto isOneOf = [&](int32_t set) {
    int32_t bits = flags & set;
    return (bits & (bits - 1)) == 0;
  };
  constexpr int32_t forward = TPC_RT_ADD_BIAS | activations | TPC_RT_WRITE_AUX;
  bool fits = (flags & ~(forward | gradients | sums)) == 0 &&
              isOneOf(activations) && isOneOf(gradients) && isOneOf(sums) &&
              !((flags & forward) && (flags & (gradients | sums))) &&
              !((flags & operandSums) && (flags & gradients)) &&
              !((flags & TPC_RT_WRITE_AUX) && !(flags & TPC_RT_GELU)) &&
              !((flags & TPC_RT_SUM_RESULT) && !(flags & gradients));
  if (!fits)
    return fail(TPC_RT_UNSUPPORTED, "a product with flags ", epilogue.flags,
                " is not done");
  if ((flags & (TPC_RT_ADD_BIAS | sums)) && !epilogue.bias)
    return fail(TPC_RT_INVALID_ARGUMENT, "expected a bias with flags ",
                epilogue.flags);
  if ((flags & (TPC_RT_WRITE_AUX | gradients)) && !epilogue.aux)
    return fail(TPC_RT_INVALID_ARGUMENT, "expected aux with flags ",
                epilogue.flags);
  return {};
}

/// Sums of the columns of a matrix, in parts where there are too few columns to
/// keep a GPU busy.
static Status addRows(CudaDevice &device, const void *matrix, DType dtype,
                      DType resultType, int64_t count, int64_t length,
                      int64_t stride, const Epilogue &epilogue) {
  constexpr int64_t fewThreads = 1 << 16, shortest = 64;
  int64_t parts =
      std::min(fewThreads / std::max<int64_t>(1, length), count / shortest);
  parts = std::min(parts, epilogue.workspaceBytes / (4 * length));
  auto kernel = [](DType from, DType to) {
    return text("tpc_sum_", dtypeName(from), "_", dtypeName(to));
  };
  // Of no rows the sums are zeros.
  SumArgs args{0,
               matrix,
               epilogue.bias,
               count,
               length,
               stride,
               std::max<int64_t>(1, count),
               0};
  if (parts > 1) {
    args.chunk = (count + parts - 1) / parts;
    args.sums = epilogue.workspace;
    parts = (count + args.chunk - 1) / args.chunk;
    if (Status status =
            launchOwn(device, TPC_RT_COMPUTE, kernel(dtype, DType::F32),
                      parts * length, args))
      return status;
    args = {0, epilogue.workspace, epilogue.bias, parts, length, length, parts,
            0};
    dtype = DType::F32;
  }
  return launchOwn(device, TPC_RT_COMPUTE, kernel(dtype, resultType), length,
                   args);
}

bool isElementwise(const Epilogue &epilogue) {
  return epilogue.flags &
         (TPC_RT_ADD_BIAS | activations | TPC_RT_WRITE_AUX | gradients);
}

Status enqueueRows(CudaDevice &device, const ProductAt &at,
                   const Epilogue &epilogue, float *sums, int64_t stride,
                   int64_t begin, int64_t end) {
  const Product &p = at.product;
  int64_t size = dtypeSize(p.resultType);
  bool isMask = epilogue.flags & TPC_RT_RELU_GRADIENT;
  auto *aux = static_cast<char *>(epilogue.aux);
  if (aux)
    aux += isMask ? begin * epilogue.auxStride / 8
                  : begin * epilogue.auxStride * size;
  EpilogueArgs args{0,
                    sums,
                    at.c + begin * p.c.row * size,
                    epilogue.bias,
                    aux,
                    end - begin,
                    p.n,
                    stride,
                    p.c.row,
                    epilogue.auxStride,
                    epilogue.flags};
  return launchOwn(device, TPC_RT_COMPUTE,
                   text("tpc_epilogue_", dtypeName(p.resultType)),
                   (end - begin) * p.n, args);
}

Status enqueueTotals(CudaDevice &device, const float *sums, int64_t count,
                     int64_t length, bool isFirst, float *totals) {
  return launchOwn(
      device, TPC_RT_COMPUTE, "tpc_sum_f32_f32", length,
      SumArgs{0, sums, totals, count, length, length, count, !isFirst});
}

Status enqueueSums(CudaDevice &device, const ProductAt &at,
                   const Epilogue &epilogue, const float *totals) {
  const Product &p = at.product;
  if (totals)
    return addRows(device, totals, DType::F32, p.resultType, 1, p.n, p.n,
                   epilogue);
  if (epilogue.flags & TPC_RT_SUM_RESULT)
    return addRows(device, at.c, p.resultType, p.resultType, p.m, p.n, p.c.row,
                   epilogue);
  if (epilogue.flags & TPC_RT_SUM_INNER)
    return addRows(device, at.b, p.dtype, p.resultType, p.k, p.n, p.b.row,
                   epilogue);
  if (epilogue.flags & TPC_RT_SUM_OUTER)
    return addRows(device, at.a, p.dtype, p.resultType, p.k, p.m, p.a.col,
                   epilogue);
  return {};
}

} // namespace tpc::rt::cuda
