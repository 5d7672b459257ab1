// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hands products to cuBLASLt, and to a kernel of our own those whose types or
// strides it does not take.
//
// cuBLASLt's matrices are column-major and a product's c is row-major, so what
// is computed is c^T = b^T a^T: the transpose of b comes first, and the rows of
// cuBLASLt's result are c's inner dim.

#include "matmul.h"
#include "own_launch.h"
#include <algorithm>

namespace tpc::rt::cuda {

namespace {

Status checkLt(const CudaDevice &device, cublasStatus_t status,
               const char *call) {
  if (status == CUBLAS_STATUS_SUCCESS)
    return {};
  // Where the GPU itself has failed any call of the driver says so.
  size_t free = 0, total = 0;
  TPC_CUDA_CHECKED(device, cuMemGetInfo, &free, &total);
  if (status == CUBLAS_STATUS_ALLOC_FAILED)
    return fail(TPC_RT_OUT_OF_MEMORY, device.gpu()->str(),
                " is out of memory: ", call, " needs some, ", free, " of ",
                total, " bytes are free");
  return fail(TPC_RT_RANK_FAILED, call, ": ", cublasLtGetStatusName(status),
              " (", cublasLtGetStatusString(status), ")");
}

#define TPC_LT(name, ...)                                                      \
  if (Status ltStatus = checkLt(device, name(__VA_ARGS__), #name))             \
  return ltStatus

std::optional<cudaDataType_t> typeOf(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return CUDA_R_32F;
  case DType::F64:
    return CUDA_R_64F;
  case DType::F16:
    return CUDA_R_16F;
  case DType::BF16:
    return CUDA_R_16BF;
  default:
    return std::nullopt;
  }
}

/// A matrix whose element (i, j) lies at i * rowStride + j * colStride.
struct Matrix {
  int64_t rows, cols, rowStride, colStride;
};

/// The same as cuBLASLt has it: columns, or rows, that begin `leading` elements
/// from each other.
struct Stored {
  bool isTransposed;
  int64_t leading;
};

std::optional<Stored> store(const Matrix &m) {
  // A stride along one element says nothing.
  int64_t leading = m.cols == 1 ? m.rows : m.colStride;
  if ((m.rowStride == 1 || m.rows == 1) && leading >= m.rows)
    return Stored{false, leading};
  leading = m.rows == 1 ? m.cols : m.rowStride;
  if ((m.colStride == 1 || m.cols == 1) && leading >= m.cols)
    return Stored{true, leading};
  return std::nullopt;
}

Matrix firstOf(const Product &p) { return {p.n, p.k, p.b.col, p.b.row}; }
Matrix secondOf(const Product &p) { return {p.k, p.m, p.a.col, p.a.row}; }
Matrix resultOf(const Product &p) { return {p.n, p.m, p.c.col, p.c.row}; }

/// cuBLASLt's rows are c's inner dim: its A has that, its B the other.
int32_t epilogueOf(int32_t flags) {
  int32_t epilogue = 0;
  for (auto [flag, bits] :
       {std::pair(TPC_RT_ADD_BIAS, int(CUBLASLT_EPILOGUE_BIAS)),
        std::pair(TPC_RT_RELU, int(CUBLASLT_EPILOGUE_RELU)),
        std::pair(TPC_RT_GELU, int(CUBLASLT_EPILOGUE_GELU)),
        std::pair(TPC_RT_WRITE_AUX, int(CUBLASLT_EPILOGUE_GELU_AUX)),
        std::pair(TPC_RT_RELU_GRADIENT, int(CUBLASLT_EPILOGUE_DRELU)),
        std::pair(TPC_RT_GELU_GRADIENT, int(CUBLASLT_EPILOGUE_DGELU)),
        std::pair(TPC_RT_SUM_INNER, int(CUBLASLT_EPILOGUE_BGRADA)),
        std::pair(TPC_RT_SUM_OUTER, int(CUBLASLT_EPILOGUE_BGRADB)),
        std::pair(TPC_RT_SUM_RESULT, int(CUBLASLT_EPILOGUE_DRELU_BGRAD) &
                                         ~int(CUBLASLT_EPILOGUE_DRELU))})
    if (flags & flag)
      epilogue |= bits;
  return epilogue ? epilogue : int(CUBLASLT_EPILOGUE_DEFAULT);
}

/// The largest power of two up to 256 that divides the address.
int64_t alignmentOf(const void *pointer) {
  uintptr_t bits = reinterpret_cast<uintptr_t>(pointer) | 256;
  return static_cast<int64_t>(bits & (~bits + 1));
}

} // namespace

struct Matmuls::Plan {
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t first = nullptr, second = nullptr, result = nullptr;
  cublasLtMatmulAlgo_t algorithm;
  /// False where cuBLASLt has no algorithm.
  bool isUsable = false;

  ~Plan() {
    for (cublasLtMatrixLayout_t layout : {first, second, result})
      if (layout)
        cublasLtMatrixLayoutDestroy(layout);
    if (desc)
      cublasLtMatmulDescDestroy(desc);
  }
};

Matmuls::Matmuls(CudaDevice &device) : device(device) {}

Matmuls::~Matmuls() {
  plans.clear();
  // What frees waits for the GPU.
  if (device.gpu()->isStuck())
    return;
  if (handle)
    cublasLtDestroy(handle);
}

/// When the first product comes: many programs have none.
Status Matmuls::open() {
  if (!handle)
    TPC_LT(cublasLtCreate, &handle);
  return {};
}

static Status makeLayout(const CudaDevice &device,
                         cublasLtMatrixLayout_t &layout, DType dtype,
                         const Matrix &matrix, const Stored &stored,
                         int64_t batch, int64_t batchStride) {
  uint64_t rows = stored.isTransposed ? matrix.cols : matrix.rows;
  uint64_t cols = stored.isTransposed ? matrix.rows : matrix.cols;
  TPC_LT(cublasLtMatrixLayoutCreate, &layout, *typeOf(dtype), rows, cols,
         stored.leading);
  if (batch == 1)
    return {};
  int32_t count = static_cast<int32_t>(batch);
  TPC_LT(cublasLtMatrixLayoutSetAttribute, layout,
         CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count));
  TPC_LT(cublasLtMatrixLayoutSetAttribute, layout,
         CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &batchStride,
         sizeof(batchStride));
  return {};
}

Status Matmuls::makePlan(const ProductAt &at, const Epilogue &epilogue,
                         Plan &plan) {
  const Product &p = at.product;
  std::optional<Stored> first = store(firstOf(p)), second = store(secondOf(p)),
                        result = store(resultOf(p));
  bool isFloat = typeOf(p.dtype) && typeOf(p.resultType);
  if (!isFloat || p.k == 0 || !first || !second || !result ||
      result->isTransposed || p.batch > std::numeric_limits<int32_t>::max())
    return {};
  bool isDouble = p.dtype == DType::F64;
  cublasComputeType_t compute =
      isDouble ? CUBLAS_COMPUTE_64F
      : p.dtype == DType::F32 && (epilogue.flags & TPC_RT_TF32)
          ? CUBLAS_COMPUTE_32F_FAST_TF32
          : CUBLAS_COMPUTE_32F;
  TPC_LT(cublasLtMatmulDescCreate, &plan.desc, compute,
         isDouble ? CUDA_R_64F : CUDA_R_32F);
  auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
    return checkLt(device,
                   cublasLtMatmulDescSetAttribute(plan.desc, attribute, &value,
                                                  sizeof(value)),
                   "cublasLtMatmulDescSetAttribute");
  };
  auto operation = [](const Stored &stored) -> int32_t {
    return stored.isTransposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  if (Status status = set(CUBLASLT_MATMUL_DESC_TRANSA, operation(*first)))
    return status;
  if (Status status = set(CUBLASLT_MATMUL_DESC_TRANSB, operation(*second)))
    return status;
  if (Status status =
          set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogueOf(epilogue.flags)))
    return status;
  if (epilogue.bias)
    if (Status status = set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, epilogue.bias))
      return status;
  if (epilogue.aux) {
    if (Status status =
            set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, epilogue.aux))
      return status;
    if (Status status =
            set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, epilogue.auxStride))
      return status;
  }
  if (Status status = makeLayout(device, plan.first, p.dtype, firstOf(p),
                                 *first, p.batch, p.b.batch))
    return status;
  if (Status status = makeLayout(device, plan.second, p.dtype, secondOf(p),
                                 *second, p.batch, p.a.batch))
    return status;
  if (Status status = makeLayout(device, plan.result, p.resultType, resultOf(p),
                                 *result, p.batch, p.c.batch))
    return status;

  cublasLtMatmulPreference_t preference = nullptr;
  TPC_LT(cublasLtMatmulPreferenceCreate, &preference);
  std::unique_ptr<cublasLtMatmulPreferenceOpaque_t,
                  cublasStatus_t (*)(cublasLtMatmulPreference_t)>
      owner(preference, cublasLtMatmulPreferenceDestroy);
  auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute,
                    auto value) {
    return checkLt(device,
                   cublasLtMatmulPreferenceSetAttribute(preference, attribute,
                                                        &value, sizeof(value)),
                   "cublasLtMatmulPreferenceSetAttribute");
  };
  // Partial sums of 16-bit results would be rounded in between.
  for (auto [attribute, value] :
       {std::pair(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                  uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE)),
        std::pair(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                  uint32_t(alignmentOf(at.b))),
        std::pair(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                  uint32_t(alignmentOf(at.a))),
        std::pair(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                  uint32_t(alignmentOf(at.c))),
        std::pair(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
                  uint32_t(alignmentOf(at.c)))})
    if (Status status = prefer(attribute, value))
      return status;
  if (Status status = prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                             uint64_t(epilogue.workspaceBytes)))
    return status;
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle, plan.desc, plan.first, plan.second, plan.result, plan.result,
      preference, 1, &found, &count);
  if (status != CUBLAS_STATUS_NOT_SUPPORTED)
    if (Status failure =
            checkLt(device, status, "cublasLtMatmulAlgoGetHeuristic"))
      return failure;
  plan.isUsable = status == CUBLAS_STATUS_SUCCESS && count > 0 &&
                  found.state == CUBLAS_STATUS_SUCCESS;
  plan.algorithm = found.algo;
  return {};
}

Status Matmuls::findPlan(const ProductAt &at, const Epilogue &epilogue,
                         Plan *&plan) {
  const Product &p = at.product;
  Key key = {static_cast<int64_t>(p.dtype),
             static_cast<int64_t>(p.resultType),
             epilogue.flags,
             epilogue.auxStride,
             p.batch,
             p.m,
             p.n,
             p.k,
             p.a.batch,
             p.a.row,
             p.a.col,
             p.b.batch,
             p.b.row,
             p.b.col,
             p.c.batch,
             p.c.row,
             p.c.col,
             alignmentOf(at.a),
             alignmentOf(at.b),
             alignmentOf(at.c),
             alignmentOf(epilogue.bias),
             alignmentOf(epilogue.aux),
             alignmentOf(epilogue.workspace),
             epilogue.workspaceBytes};
  auto it = plans.find(key);
  if (it == plans.end()) {
    auto fresh = std::make_unique<Plan>();
    if (Status status = makePlan(at, epilogue, *fresh))
      return status;
    it = plans.emplace(key, std::move(fresh)).first;
  }
  plan = it->second.get();
  return {};
}

Status Matmuls::runPlan(const ProductAt &at, const Epilogue &epilogue,
                        Plan &plan) {
  // One plan serves products with different pointers.
  if (epilogue.bias)
    TPC_LT(cublasLtMatmulDescSetAttribute, plan.desc,
           CUBLASLT_MATMUL_DESC_BIAS_POINTER, &epilogue.bias,
           sizeof(epilogue.bias));
  if (epilogue.aux)
    TPC_LT(cublasLtMatmulDescSetAttribute, plan.desc,
           CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &epilogue.aux,
           sizeof(epilogue.aux));
  float one = 1, accumulate = at.product.accumulate ? 1 : 0;
  double wideOne = 1, wideAccumulate = accumulate;
  bool isDouble = at.product.dtype == DType::F64;
  cublasStatus_t status = cublasLtMatmul(
      handle, plan.desc, isDouble ? static_cast<void *>(&wideOne) : &one, at.b,
      plan.first, at.a, plan.second,
      isDouble ? static_cast<void *>(&wideAccumulate) : &accumulate, at.c,
      plan.result, at.c, plan.result, &plan.algorithm, epilogue.workspace,
      epilogue.workspaceBytes,
      reinterpret_cast<cudaStream_t>(device.stream(TPC_RT_COMPUTE)));
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) {
    plan.isUsable = false;
    return {};
  }
  return checkLt(device, status, "cublasLtMatmul");
}

Status Matmuls::runOwnKernel(const ProductAt &at) {
  const Product &p = at.product;
  ProductArgs args{0,
                   at.a,
                   at.b,
                   at.c,
                   p.batch,
                   p.m,
                   p.n,
                   p.k,
                   {p.a.batch, p.a.row, p.a.col},
                   {p.b.batch, p.b.row, p.b.col},
                   {p.c.batch, p.c.row, p.c.col},
                   p.accumulate};
  return launchOwn(
      device, TPC_RT_COMPUTE,
      text("tpc_product_", dtypeName(p.dtype), "_", dtypeName(p.resultType)),
      p.batch * p.m * p.n, args);
}

Status Matmuls::runBare(const ProductAt &at, const Epilogue &epilogue) {
  Epilogue bare = epilogue;
  bare.flags &= TPC_RT_TF32;
  bare.auxStride = 0;
  bare.bias = bare.aux = nullptr;
  Plan *plan = nullptr;
  if (Status status = findPlan(at, bare, plan))
    return status;
  if (plan->isUsable)
    if (Status status = runPlan(at, bare, *plan))
      return status;
  return plan->isUsable ? Status() : runOwnKernel(at);
}

Status Matmuls::runInParts(const ProductAt &at, const Epilogue &epilogue) {
  const Product &p = at.product;
  bool isWide = p.resultType == DType::F32;
  if (isWide || !isElementwise(epilogue)) {
    if (Status status = runBare(at, epilogue))
      return status;
  }
  if (!isElementwise(epilogue))
    return enqueueSums(device, at, epilogue, nullptr);
  // The sums of a 16-bit result are rounded once, behind the epilogue: as many
  // rows of them as the workspace holds are made at a time, and behind them
  // lie their totals.
  bool hasTotals = !isWide && epilogue.flags & TPC_RT_SUM_RESULT;
  int64_t rows = isWide ? p.m : epilogue.workspaceBytes / (4 * p.n) - hasTotals;
  if (rows <= 0)
    return fail(TPC_RT_UNSUPPORTED, "a product with flags ", epilogue.flags,
                " needs ", 4 * p.n * (1 + hasTotals),
                " bytes of workspace, got ", epilogue.workspaceBytes);
  rows = std::min(rows, p.m);
  float *totals = hasTotals
                      ? static_cast<float *>(epilogue.workspace) + rows * p.n
                      : nullptr;
  for (int64_t batch = 0; batch < p.batch; ++batch) {
    ProductAt one = at;
    one.product.batch = 1;
    one.a += batch * p.a.batch * dtypeSize(p.dtype);
    one.b += batch * p.b.batch * dtypeSize(p.dtype);
    one.c += batch * p.c.batch * dtypeSize(p.resultType);
    for (int64_t begin = 0; begin < p.m; begin += rows) {
      int64_t end = std::min(begin + rows, p.m);
      auto *sums = reinterpret_cast<float *>(one.c);
      int64_t stride = p.c.row;
      if (!isWide) {
        ProductAt part = one;
        part.product.m = end - begin;
        part.product.resultType = DType::F32;
        part.product.c = {0, p.n, 1};
        part.a += begin * p.a.row * dtypeSize(p.dtype);
        part.c = static_cast<char *>(epilogue.workspace);
        if (Status status = runBare(part, {epilogue.flags & TPC_RT_TF32}))
          return status;
        sums = reinterpret_cast<float *>(part.c);
        stride = p.n;
      }
      if (Status status =
              enqueueRows(device, one, epilogue, sums, stride, begin, end))
        return status;
      if (totals)
        if (Status status = enqueueTotals(device, sums, end - begin, p.n,
                                          begin == 0, totals))
          return status;
    }
  }
  return enqueueSums(device, at, epilogue, totals);
}

Status Matmuls::run(const tpc_rt_matmul_t &desc, const void *a, const void *b,
                    void *c, void *bias, void *aux, void *workspace) {
  if (Status status = open())
    return status;
  std::vector<ProductAt> products;
  if (Status status = normaliseMatmul(desc, a, b, c, products))
    return status;
  Epilogue epilogue{desc.flags, desc.aux_stride, bias,
                    aux,        workspace,       desc.workspace_bytes};
  if (Status status = checkEpilogue(epilogue))
    return status;
  bool isBatched = products.size() > 1 ||
                   (!products.empty() && products[0].product.batch > 1);
  constexpr int32_t unbatched =
      ~(TPC_RT_TF32 | TPC_RT_ADD_BIAS | TPC_RT_RELU | TPC_RT_GELU);
  if ((!epilogue.isNone() && products.size() > 1) ||
      (isBatched && (desc.flags & unbatched)))
    return fail(TPC_RT_UNSUPPORTED, "a product with flags ", desc.flags,
                " and a batch that is not one stride");
  bool hasWideResult = desc.c_dtype == TPC_RT_F32 &&
                       (desc.dtype == TPC_RT_F16 || desc.dtype == TPC_RT_BF16);
  if (desc.c_dtype != desc.dtype && !hasWideResult)
    return fail(TPC_RT_UNSUPPORTED, "a product of ",
                dtypeName(static_cast<DType>(desc.dtype)),
                " with a result of type ",
                dtypeName(static_cast<DType>(desc.c_dtype)), " is not done");
  bool hasEpilogues =
      typeOf(static_cast<DType>(desc.c_dtype)) && desc.c_dtype != TPC_RT_F64;
  if (!epilogue.isNone() && (!hasEpilogues || desc.accumulate))
    return fail(TPC_RT_UNSUPPORTED, "a product of ",
                dtypeName(static_cast<DType>(desc.dtype)),
                desc.accumulate ? " that is added to c" : "", " with flags ",
                desc.flags, " is not done");
  constexpr int32_t sums =
      TPC_RT_SUM_INNER | TPC_RT_SUM_OUTER | TPC_RT_SUM_RESULT;
  if (products.empty() && (desc.flags & sums))
    return fail(TPC_RT_UNSUPPORTED, "a product without results with flags ",
                desc.flags, " is not done");
  for (const ProductAt &at : products) {
    if (epilogue.isNone()) {
      if (Status status = runBare(at, epilogue))
        return status;
      continue;
    }
    Plan *plan = nullptr;
    if (Status status = findPlan(at, epilogue, plan))
      return status;
    if (plan->isUsable)
      if (Status status = runPlan(at, epilogue, *plan))
        return status;
    if (plan->isUsable)
      continue;
    if (Status status = runInParts(at, epilogue))
      return status;
  }
  return {};
}

} // namespace tpc::rt::cuda
