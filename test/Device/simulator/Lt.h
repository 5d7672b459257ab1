// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The objects of cuBLASLt, and a product as its loops need it.
#ifndef TPC_TEST_DEVICE_SIMULATOR_LT_H
#define TPC_TEST_DEVICE_SIMULATOR_LT_H

#include "Simulator.h"
#include <cstring>

namespace tpc::sim {

/// Attributes by number, as the setters were given them.
struct Attributes {
  std::map<int, std::vector<char>> values;

  template <typename T> T get(int attribute, T otherwise) const {
    auto it = values.find(attribute);
    if (it == values.end() || it->second.size() != sizeof(T))
      return otherwise;
    T value;
    memcpy(&value, it->second.data(), sizeof value);
    return value;
  }
  void set(int attribute, const void *data, size_t bytes) {
    auto *from = static_cast<const char *>(data);
    values[attribute].assign(from, from + bytes);
  }
};

/// A batch of matrices in memory.
struct Matrix {
  char *data = nullptr;
  cudaDataType_t type = CUDA_R_32F;
  int64_t rows = 0, cols = 0;
  int64_t ld = 0;
  bool rowMajor = false;
  int64_t batch = 1, batchStride = 0;

  int64_t offset(int64_t b, int64_t row, int64_t col) const {
    return b * batchStride + (rowMajor ? row * ld + col : row + col * ld);
  }
};

Matrix matrixOf(const Attributes &layout, const void *data);
/// Bytes of an element, or 0 for a type that the loops do not know.
int64_t elementBytes(cudaDataType_t type);
double loadElement(const Matrix &matrix, int64_t element);
void storeElement(const Matrix &matrix, int64_t element, double value);

struct Product {
  Matrix a, b, c, d;
  bool transposeA = false, transposeB = false;
  double alpha = 1, beta = 0;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  int epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  Matrix bias; // one column: read, or written by a gradient
  Matrix aux;  // what the gradient of an activation needs
  char *workspace = nullptr;
  int64_t workspaceBytes = 0;

  int64_t k() const { return transposeA ? a.rows : a.cols; }
};

/// Why the product cannot be, or null.
const char *whyRefused(const Product &product);
/// Checks what it reads and writes and does it.
void multiply(const Product &product, const ActorPtr &actor);

} // namespace tpc::sim

#endif // TPC_TEST_DEVICE_SIMULATOR_LT_H
