// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products as plain loops: operands are unpacked, multiplied and added in f64,
// so that what a test sees of rounding comes from elsewhere, and what the
// epilogue wants is done element by element.
#include "Lt.h"
#include "Number.h"
#include <cmath>

namespace tpc::sim {

int64_t elementBytes(cudaDataType_t type) {
  switch (type) {
  case CUDA_R_64F:
    return 8;
  case CUDA_R_32F:
    return 4;
  case CUDA_R_16F:
  case CUDA_R_16BF:
    return 2;
  default:
    return 0;
  }
}

template <typename T> static T *at(const Matrix &matrix, int64_t element) {
  return reinterpret_cast<T *>(matrix.data) + element;
}

double loadElement(const Matrix &matrix, int64_t element) {
  switch (matrix.type) {
  case CUDA_R_64F:
    return *at<double>(matrix, element);
  case CUDA_R_32F:
    return *at<float>(matrix, element);
  case CUDA_R_16F:
    return *at<Float16>(matrix, element);
  default:
    return *at<BFloat16>(matrix, element);
  }
}

void storeElement(const Matrix &matrix, int64_t element, double value) {
  auto narrow = static_cast<float>(value);
  switch (matrix.type) {
  case CUDA_R_64F:
    *at<double>(matrix, element) = value;
    break;
  case CUDA_R_32F:
    *at<float>(matrix, element) = narrow;
    break;
  case CUDA_R_16F:
    *at<Float16>(matrix, element) = Float16(narrow);
    break;
  default:
    *at<BFloat16>(matrix, element) = BFloat16(narrow);
  }
}

/// Bits of the epilogue; GELU and its gradient are 32 and 64.
static bool has(const Product &product, int bit) {
  return product.epilogue & bit;
}

static bool reluGradient(const Product &product) { return has(product, 8); }

static bool geluGradient(const Product &product) { return has(product, 64); }

/// Of an activation: kept for the gradient, or read by it.
static bool hasAux(const Product &product) { return has(product, 128); }

static bool auxIsMask(const Product &product) {
  return has(product, 2) || reluGradient(product);
}

const char *whyRefused(const Product &product) {
  constexpr int kKnown = 2 | 4 | 8 | 16 | 32 | 64 | 128 | 256 | 512;
  for (const Matrix *matrix :
       {&product.a, &product.b, &product.c, &product.d}) {
    if (!elementBytes(matrix->type))
      return "an element type that is not f64, f32, f16 or bf16";
    if (matrix->ld < (matrix->rowMajor ? matrix->cols : matrix->rows))
      return "a leading dimension that is less than a column";
    if (matrix->batch != product.d.batch)
      return "operands with different numbers of batches";
  }
  const Matrix &a = product.a, &b = product.b, &d = product.d;
  if (a.type != b.type || product.c.type != d.type)
    return "operands of different types";
  if ((product.compute == CUBLAS_COMPUTE_64F) != (a.type == CUDA_R_64F) ||
      (d.type == CUDA_R_64F) != (a.type == CUDA_R_64F))
    return "a type that the computation does not take";
  int64_t m = product.transposeA ? a.cols : a.rows;
  int64_t kOfB = product.transposeB ? b.cols : b.rows;
  int64_t n = product.transposeB ? b.rows : b.cols;
  if (m != d.rows || n != d.cols || kOfB != product.k())
    return "shapes that do not go together";
  if (product.epilogue != CUBLASLT_EPILOGUE_DEFAULT &&
      (product.epilogue & ~kKnown))
    return "an epilogue that there is not";
  if (hasAux(product) && (!product.aux.data || product.aux.ld < d.rows ||
                          product.aux.ld % (auxIsMask(product) ? 128 : 8) != 0))
    return "an auxiliary matrix that is missing or not aligned";
  if (has(product, 4 | 16 | 256 | 512) && !product.bias.data)
    return "no bias";
  // As the library is known to have it: the summed dim is not contiguous.
  if ((has(product, 256) && product.transposeA) ||
      (has(product, 512) && !product.transposeB))
    return "sums of an operand along its contiguous dim";
  if (product.epilogue != CUBLASLT_EPILOGUE_DEFAULT && d.rowMajor)
    return "an epilogue on a row-major matrix";
  return nullptr;
}

static bool access(const ActorPtr &actor, const Matrix &matrix, int32_t kind) {
  Memory &memory = Simulator::get().memory;
  int64_t bytes = elementBytes(matrix.type);
  int64_t lines = matrix.rowMajor ? matrix.rows : matrix.cols;
  int64_t length = matrix.rowMajor ? matrix.cols : matrix.rows;
  bool ok = true;
  for (int64_t batch = 0; batch < matrix.batch; ++batch) {
    const char *first = matrix.data + batch * matrix.batchStride * bytes;
    if (matrix.ld == length) {
      ok &= memory.access(actor, first, lines * length * bytes, kind);
      continue;
    }
    for (int64_t line = 0; line < lines; ++line)
      ok &= memory.access(actor, first + line * matrix.ld * bytes,
                          length * bytes, kind);
  }
  return ok;
}

static bool accessAll(const Product &product, const ActorPtr &actor) {
  bool ok = access(actor, product.a, TPC_SIM_READ);
  ok &= access(actor, product.b, TPC_SIM_READ);
  if (product.beta != 0)
    ok &= access(actor, product.c, TPC_SIM_READ);
  ok &= access(actor, product.d, TPC_SIM_WRITE);
  if (has(product, 4))
    ok &= access(actor, product.bias, TPC_SIM_READ);
  if (has(product, 16 | 256 | 512))
    ok &= access(actor, product.bias, TPC_SIM_WRITE);
  Memory &memory = Simulator::get().memory;
  if (hasAux(product)) {
    bool reads = reluGradient(product) || geluGradient(product);
    const Matrix &aux = product.aux;
    int64_t unit = auxIsMask(product) ? 8 : 1; // bits or elements
    int64_t bytes = auxIsMask(product) ? 1 : elementBytes(aux.type);
    for (int64_t batch = 0; batch < product.d.batch; ++batch)
      ok &= memory.access(actor,
                          aux.data + batch * aux.batchStride / unit * bytes,
                          aux.ld / unit * product.d.cols * bytes,
                          reads ? TPC_SIM_READ : TPC_SIM_WRITE);
  }
  if (product.workspaceBytes > 0) {
    ok &= memory.access(actor, product.workspace, product.workspaceBytes,
                        TPC_SIM_WRITE);
    if (ok)
      memset(product.workspace, 0xfb, product.workspaceBytes);
  }
  return ok;
}

/// op(matrix) of one batch, row-major.
static std::vector<double> unpack(const Matrix &matrix, int64_t batch,
                                  bool transpose, bool tf32) {
  int64_t rows = transpose ? matrix.cols : matrix.rows;
  int64_t cols = transpose ? matrix.rows : matrix.cols;
  std::vector<double> result(rows * cols);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) {
      double value =
          loadElement(matrix, transpose ? matrix.offset(batch, j, i)
                                        : matrix.offset(batch, i, j));
      result[i * cols + j] =
          tf32 ? roundToTf32(static_cast<float>(value)) : value;
    }
  return result;
}

static double gelu(double x) {
  constexpr double k = 0.7978845608028654; // sqrt(2 / pi)
  return 0.5 * x * (1 + std::tanh(k * (x + 0.044715 * x * x * x)));
}

static double geluSlope(double x) {
  constexpr double k = 0.7978845608028654;
  double t = std::tanh(k * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * k * (1 + 3 * 0.044715 * x * x);
}

/// What the epilogue makes of one element.
static double finish(const Product &product, int64_t batch, int64_t i,
                     int64_t j, double value) {
  const Matrix &aux = product.aux;
  int64_t place = batch * aux.batchStride + i + j * aux.ld;
  if (has(product, 4))
    value += loadElement(product.bias, product.bias.offset(batch, i, 0));
  char *byte = aux.data ? aux.data + place / 8 : nullptr;
  auto bit = static_cast<char>(1 << (place & 7));
  if (reluGradient(product))
    return *byte & bit ? value : 0;
  if (geluGradient(product))
    return value * geluSlope(loadElement(aux, place));
  if (has(product, 2)) {
    if (hasAux(product))
      // Zero counts as positive: not what most programs mean.
      *byte = static_cast<char>(value >= 0 ? *byte | bit : *byte & ~bit);
    return value > 0 ? value : 0;
  }
  if (has(product, 32)) {
    if (hasAux(product))
      storeElement(aux, place, value);
    return gelu(value);
  }
  return value;
}

static void multiplyBatch(const Product &product, int64_t batch) {
  int64_t m = product.d.rows, n = product.d.cols, k = product.k();
  bool tf32 = product.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  std::vector<double> a = unpack(product.a, batch, product.transposeA, tf32);
  std::vector<double> b = unpack(product.b, batch, product.transposeB, tf32);
  std::vector<double> row(n);
  std::vector<double> rowSums(m, 0);
  for (int64_t i = 0; i < m; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j)
        row[j] += a[i * k + l] * b[l * n + j];
    for (int64_t j = 0; j < n; ++j) {
      double value = product.alpha * row[j];
      if (product.beta != 0)
        value += product.beta *
                 loadElement(product.c, product.c.offset(batch, i, j));
      value = finish(product, batch, i, j, value);
      rowSums[i] += value;
      storeElement(product.d, product.d.offset(batch, i, j), value);
    }
  }
  auto sum = [&](const std::vector<double> &of, int64_t count, int64_t outer,
                 int64_t inner) {
    for (int64_t i = 0; i < count; ++i) {
      double total = 0;
      for (int64_t l = 0; l < k; ++l)
        total += of[i * outer + l * inner];
      storeElement(product.bias, product.bias.offset(batch, i, 0), total);
    }
  };
  if (has(product, 16))
    for (int64_t i = 0; i < m; ++i)
      storeElement(product.bias, product.bias.offset(batch, i, 0), rowSums[i]);
  if (has(product, 256))
    sum(a, m, k, 1);
  if (has(product, 512))
    sum(b, n, 1, n);
}

void multiply(const Product &product, const ActorPtr &actor) {
  if (!accessAll(product, actor))
    return;
  for (int64_t batch = 0; batch < product.d.batch; ++batch)
    multiplyBatch(product, batch);
}

} // namespace tpc::sim
