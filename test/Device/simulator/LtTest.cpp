// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of the simulated cuBLASLt against loops written here.
#include "TestDevice.h"
#include <cmath>
#include <cublasLt.h>

using namespace tpc::sim::test;
using testing::HasSubstr;

namespace {

/// D = op(A) op(B) in f32, column-major, with an epilogue.
struct Problem {
  int64_t m, n, k, batch = 1;
  bool transposeA = false, transposeB = false;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  int64_t pad = 0; // of the leading dimensions
};

class LtTest : public Device {
protected:
  void SetUp() override {
    Device::SetUp();
    ASSERT_EQ(cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
  }
  void TearDown() override {
    cublasLtDestroy(handle);
    Device::TearDown();
  }

  float *floats(size_t count) {
    return reinterpret_cast<float *>(allocate(count));
  }

  cublasLtMatrixLayout_t layout(int64_t rows, int64_t cols, int64_t ld,
                                const Problem &problem) {
    cublasLtMatrixLayout_t result;
    cublasLtMatrixLayoutCreate(&result, CUDA_R_32F, rows, cols, ld);
    auto count = static_cast<int32_t>(problem.batch);
    int64_t stride = ld * cols;
    cublasLtMatrixLayoutSetAttribute(result, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                     &count, sizeof count);
    cublasLtMatrixLayoutSetAttribute(
        result, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
        sizeof stride);
    return result;
  }

  /// Runs the problem on small integers; a[i] = i % 5 - 2, b[i] = i % 3 - 1.
  cublasStatus_t run(const Problem &problem) {
    int64_t aRows = problem.transposeA ? problem.k : problem.m;
    int64_t aCols = problem.transposeA ? problem.m : problem.k;
    int64_t bRows = problem.transposeB ? problem.n : problem.k;
    int64_t bCols = problem.transposeB ? problem.k : problem.n;
    lda = aRows + problem.pad, ldb = bRows + problem.pad;
    ldd = problem.m + problem.pad;
    a = fresh(lda * aCols * problem.batch, 5, -2);
    b = fresh(ldb * bCols * problem.batch, 3, -1);
    bias = fresh(problem.m, 7, -3);
    aOnDevice = upload(a);
    float *bOnDevice = upload(b), *biasOnDevice = upload(bias);
    d.assign(ldd * problem.n * problem.batch, -77);
    dOnDevice = upload(d);
    cublasLtMatrixLayout_t aLayout = layout(aRows, aCols, lda, problem);
    cublasLtMatrixLayout_t bLayout = layout(bRows, bCols, ldb, problem);
    cublasLtMatrixLayout_t dLayout = layout(problem.m, problem.n, ldd, problem);
    cublasLtMatmulDesc_t desc;
    cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
      cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof value);
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA,
        problem.transposeA ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB,
        problem.transposeB ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, problem.epilogue);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, biasOnDevice);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulPreferenceCreate(&preference);
    size_t most = 1024;
    cublasLtMatmulPreferenceSetAttribute(
        preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
        sizeof most);
    float *workspace = floats(256);
    cublasLtMatmulHeuristicResult_t result;
    int numResults = 0;
    cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle, desc, aLayout, bLayout, dLayout, dLayout, preference, 1,
        &result, &numResults);
    float one = 1, zero = 0;
    if (!status)
      status = cublasLtMatmul(
          handle, desc, &one, aOnDevice + shiftA, aLayout, bOnDevice, bLayout,
          &zero, isOnA ? aOnDevice : dOnDevice, dLayout,
          isOnA ? aOnDevice : dOnDevice, dLayout, &result.algo,
          workspace + shiftWorkspace,
          workspaceBytes < 0 ? result.workspaceSize : workspaceBytes,
          reinterpret_cast<cudaStream_t>(compute));
    cuStreamSynchronize(compute);
    cuMemcpyDtoH(d.data(), reinterpret_cast<CUdeviceptr>(dOnDevice),
                 d.size() * 4);
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatmulDescDestroy(desc);
    for (cublasLtMatrixLayout_t each : {aLayout, bLayout, dLayout})
      cublasLtMatrixLayoutDestroy(each);
    return status;
  }

  static std::vector<float> fresh(size_t count, int modulus, int least) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = static_cast<float>(static_cast<int>(i) % modulus + least);
    return values;
  }

  float *upload(const std::vector<float> &values) {
    float *result = floats(values.size());
    cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(result), values.data(),
                 values.size() * 4);
    return result;
  }

  float product(const Problem &problem, int64_t batch, int64_t i, int64_t j) {
    const float *aBatch =
        &a[batch * lda * (problem.transposeA ? problem.m : problem.k)];
    const float *bBatch =
        &b[batch * ldb * (problem.transposeB ? problem.k : problem.n)];
    float sum = 0;
    for (int64_t l = 0; l < problem.k; ++l)
      sum += (problem.transposeA ? aBatch[l + i * lda] : aBatch[i + l * lda]) *
             (problem.transposeB ? bBatch[j + l * ldb] : bBatch[l + j * ldb]);
    return sum;
  }

  cublasLtHandle_t handle;
  std::vector<float> a, b, d, bias;
  float *aOnDevice = nullptr, *dOnDevice = nullptr;
  int64_t lda = 0, ldb = 0, ldd = 0;
  int64_t workspaceBytes = -1;
  int64_t shiftA = 0,
          shiftWorkspace = 0; // of what the product is given, in floats
  bool isOnA = false;
};

TEST_F(LtTest, AllLayoutsMultiply) {
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true})
      for (int64_t pad : {0, 3}) {
        Problem problem = {5, 4, 3, 2, transposeA, transposeB};
        problem.pad = pad;
        ASSERT_EQ(run(problem), CUBLAS_STATUS_SUCCESS);
        for (int64_t batch = 0; batch < 2; ++batch)
          for (int64_t i = 0; i < 5; ++i)
            for (int64_t j = 0; j < 4; ++j)
              EXPECT_EQ(d[(batch * 4 + j) * ldd + i],
                        product(problem, batch, i, j));
        // What lies between columns is left alone.
        if (pad)
          EXPECT_EQ(d[5], -77);
      }
}

TEST_F(LtTest, EpiloguesFollowTheProduct) {
  Problem problem = {5, 4, 3};
  for (uint32_t epilogue :
       {CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU,
        CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU_BIAS}) {
    problem.epilogue = epilogue;
    ASSERT_EQ(run(problem), CUBLAS_STATUS_SUCCESS);
    for (int64_t i = 0; i < 5; ++i)
      for (int64_t j = 0; j < 4; ++j) {
        float value = product(problem, 0, i, j);
        if (epilogue & CUBLASLT_EPILOGUE_BIAS)
          value += bias[i];
        if (epilogue & CUBLASLT_EPILOGUE_RELU)
          value = std::max(value, 0.f);
        if (epilogue & CUBLASLT_EPILOGUE_GELU)
          value = 0.5f * value *
                  (1 + std::tanh(0.79788456f *
                                 (value + 0.044715f * value * value * value)));
        EXPECT_NEAR(d[j * ldd + i], value, 1e-6) << epilogue;
      }
  }
}

TEST_F(LtTest, WhatDoesNotFitIsRefused) {
  Problem problem = {5, 4, 3};
  workspaceBytes = 1;
  EXPECT_EQ(run(problem), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_THAT(found(), HasSubstr("too little workspace"));
  tpc_sim_reset();
  workspaceBytes = -1;
  problem.epilogue = CUBLASLT_EPILOGUE_RELU_AUX;
  EXPECT_EQ(run(problem), CUBLAS_STATUS_NOT_SUPPORTED);
}

TEST_F(LtTest, AddressesFollowTheAlgorithm) {
  Problem problem = {5, 4, 3};
  auto expect = [&](const char *text) {
    EXPECT_EQ(run(problem), CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_THAT(found(), HasSubstr(text));
    tpc_sim_reset();
  };
  shiftA = 1;
  expect("addresses that are less aligned than its algorithm was told");
  shiftA = 0;
  shiftWorkspace = 1;
  expect("a workspace that is not aligned to 16 bytes");
  shiftWorkspace = 0;
  isOnA = true;
  expect("a result or a workspace that lies on an operand");
}

TEST_F(LtTest, OperandsStayInTheirAllocation) {
  Environment environment({{"TPC_SIM_FAULT", "size:4"}});
  EXPECT_EQ(run({5, 4, 3}), CUBLAS_STATUS_SUCCESS);
  EXPECT_THAT(found(), HasSubstr("cublasLtMatmul"));
  tpc_sim_reset();
}

} // namespace
