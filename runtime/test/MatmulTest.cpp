// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions and launches of the CPU device, through the ABI, against a plain
// triple loop.

#include "Harness.h"
#include <atomic>
#include <chrono>
#include <cmath>
#include <gmock/gmock.h>
#include <random>
#include <thread>

namespace tpc::rt::conformance {

namespace {

using testing::HasSubstr;

/// Runs `body` on one rank.
Outcome runOne(int threads, std::function<int32_t(tpc_rt_rank_t *)> body) {
  Program program;
  program.mesh = {{"tp", 1}};
  program.body = [&](tpc_rt_rank_t *rank, auto...) { return body(rank); };
  Running running;
  Outcome outcome = running.start(backends[0], program, 30, threads);
  return outcome.ok() ? running.run() : outcome;
}

/// How the two matrix dims of an operand lie in memory.
enum Layout { RowMajor, ColumnMajor, Padded, Strided };

/// A batch of matrices in a layout; index by (batch, row, column).
struct Operand {
  int32_t dtype;
  int64_t rows, cols;
  int64_t batch, row, col;
  std::vector<char> bytes;

  Operand(int32_t dtype, int64_t batches, int64_t rows, int64_t cols,
          Layout layout, bool isShared, std::mt19937 &random)
      : dtype(dtype), rows(rows), cols(cols) {
    row = layout == ColumnMajor ? 1 : layout == Padded ? cols + 3 : cols;
    col = layout == ColumnMajor ? rows : 1;
    if (layout == Strided) {
      row = 2 * cols + 5;
      col = 2;
    }
    int64_t extent =
        rows == 0 || cols == 0 ? 0 : (rows - 1) * row + (cols - 1) * col + 1;
    batch = isShared ? 0 : extent + 2;
    bytes.resize((batches * std::max<int64_t>(batch, 1) + extent + 1) *
                 tpc_rt_dtype_size(dtype));
    for (int64_t b = 0; b < (isShared ? 1 : batches); ++b)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j)
          store(dtype, bytes.data(), at(b, i, j),
                static_cast<int64_t>(random() % 5) - 2);
  }
  int64_t at(int64_t b, int64_t i, int64_t j) const {
    return b * batch + i * row + j * col;
  }
  int64_t get(int64_t b, int64_t i, int64_t j) const {
    return load(dtype, bytes.data(), at(b, i, j));
  }
};

struct Case {
  int32_t dtype;
  int64_t batches, m, n, k;
  Layout a, b, c;
  bool isShared = false;
  bool accumulate = false;
  int threads = 1;
};

/// Small integers: exact in every type, whatever the order of the sums.
void checkCase(const Case &t, std::mt19937 &random) {
  Operand a(t.dtype, t.batches, t.m, t.k, t.a, false, random);
  Operand b(t.dtype, t.batches, t.k, t.n, t.b, t.isShared, random);
  Operand c(t.dtype, t.batches, t.m, t.n, t.c, false, random);
  Operand before = c;
  tpc_rt_matmul_t desc{};
  desc.size = sizeof(desc);
  desc.dtype = desc.c_dtype = t.dtype;
  desc.accumulate = t.accumulate;
  desc.batch_rank = t.batches > 1 ? 2 : 0;
  desc.batch[0] = 1;
  desc.batch[1] = t.batches;
  desc.a_batch[1] = a.batch;
  desc.b_batch[1] = b.batch;
  desc.c_batch[1] = c.batch;
  desc.m = t.m;
  desc.n = t.n;
  desc.k = t.k;
  desc.a_row = a.row;
  desc.a_col = a.col;
  desc.b_row = b.row;
  desc.b_col = b.col;
  desc.c_row = c.row;
  desc.c_col = c.col;
  Outcome outcome = runOne(t.threads, [&](tpc_rt_rank_t *rank) {
    return tpc_rt_matmul(rank, &desc, a.bytes.data(), b.bytes.data(),
                         c.bytes.data(), nullptr, nullptr, nullptr);
  });
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  for (int64_t batch = 0; batch < t.batches; ++batch)
    for (int64_t i = 0; i < t.m; ++i)
      for (int64_t j = 0; j < t.n; ++j) {
        int64_t sum = t.accumulate ? before.get(batch, i, j) : 0;
        for (int64_t p = 0; p < t.k; ++p)
          sum += a.get(batch, i, p) * b.get(batch, p, j);
        char wrapped[8];
        store(t.dtype, wrapped, 0, sum);
        ASSERT_EQ(c.get(batch, i, j), load(t.dtype, wrapped, 0))
            << tpc_rt_dtype_name(t.dtype) << " " << t.batches << " x " << t.m
            << " " << t.n << " " << t.k << " layouts " << t.a << t.b << t.c
            << " accumulate " << t.accumulate;
        // What lies between the elements stays.
        store(t.dtype, c.bytes.data(), c.at(batch, i, j),
              before.get(batch, i, j));
      }
  EXPECT_EQ(c.bytes, before.bytes);
}

const int32_t matmulTypes[] = {TPC_RT_F32, TPC_RT_F64, TPC_RT_F16, TPC_RT_BF16,
                               TPC_RT_I8,  TPC_RT_I16, TPC_RT_I32, TPC_RT_I64};

} // namespace

TEST(Matmul, EveryTypeAndLayout) {
  std::mt19937 random(1);
  for (int32_t dtype : matmulTypes)
    for (Layout a : {RowMajor, ColumnMajor, Padded, Strided})
      for (Layout b : {RowMajor, ColumnMajor, Padded, Strided})
        for (Layout c : {RowMajor, ColumnMajor, Padded})
          for (bool accumulate : {false, true})
            checkCase({dtype, 1, 5, 7, 3, a, b, c, false, accumulate}, random);
}

TEST(Matmul, ExtentsFrom0To3AndOnes) {
  std::mt19937 random(2);
  for (int32_t dtype : {TPC_RT_F32, TPC_RT_F64, TPC_RT_BF16})
    for (int64_t m = 0; m <= 3; ++m)
      for (int64_t n = 0; n <= 3; ++n)
        for (int64_t k = 0; k <= 3; ++k)
          for (Layout layout : {RowMajor, ColumnMajor, Padded})
            for (bool accumulate : {false, true})
              checkCase({dtype, 1, m, n, k, layout, layout, layout, false,
                         accumulate},
                        random);
}

TEST(Matmul, Batches) {
  std::mt19937 random(3);
  for (int32_t dtype : {TPC_RT_F32, TPC_RT_F64, TPC_RT_F16, TPC_RT_BF16})
    for (int64_t m : {1, 6})
      for (bool isShared : {false, true})
        for (Layout layout : {RowMajor, ColumnMajor, Padded})
          for (bool accumulate : {false, true})
            checkCase({dtype, 5, m, 7, 4, layout, layout, layout, isShared,
                       accumulate},
                      random);
}

TEST(Matmul, BlocksAndThreads) {
  std::mt19937 random(4);
  for (int32_t dtype : matmulTypes)
    for (int threads : {1, 3}) {
      // i8 wraps; 16-bit floats stay exact up to sums of 256 and 2048.
      int64_t k = dtype == TPC_RT_BF16 || dtype == TPC_RT_F16 ? 20 : 300;
      checkCase({dtype, 1, 150, 131, k, RowMajor, ColumnMajor, RowMajor, false,
                 true, threads},
                random);
      checkCase({dtype, 1, 33, 300, k, ColumnMajor, RowMajor, ColumnMajor,
                 false, false, threads},
                random);
      checkCase({dtype, 7, 40, 50, k, RowMajor, RowMajor, RowMajor, false,
                 false, threads},
                random);
    }
}

// 16-bit floats are accumulated in f32: 4096 ones are 4096, where a sum kept in
// bf16 would stop at 256 and one in f16 at 2048.
TEST(Matmul, SixteenBitFloatsAreAccumulatedInF32) {
  for (int32_t dtype : {TPC_RT_F16, TPC_RT_BF16}) {
    const int64_t k = 4096;
    std::vector<uint16_t> a(k), b(k);
    uint16_t c = 0;
    for (int64_t i = 0; i < k; ++i) {
      store(dtype, a.data(), i, 1);
      store(dtype, b.data(), i, 1);
    }
    tpc_rt_matmul_t desc{};
    desc.size = sizeof(desc);
    desc.dtype = desc.c_dtype = dtype;
    desc.m = desc.n = 1;
    desc.k = k;
    desc.a_row = k;
    desc.a_col = desc.b_row = desc.b_col = desc.c_row = desc.c_col = 1;
    ASSERT_TRUE(runOne(1, [&](tpc_rt_rank_t *rank) {
                  return tpc_rt_matmul(rank, &desc, a.data(), b.data(), &c,
                                       nullptr, nullptr, nullptr);
                }).ok());
    EXPECT_EQ(load(dtype, &c, 0), k);
  }
}

TEST(Matmul, BatchesOfManyDims) {
  // batch 2 x 3 x 2, the middle one broadcast in a; b transposed over batches.
  std::vector<double> a(2 * 2 * 6), b(2 * 3 * 2 * 6), c(2 * 3 * 2 * 4, -1);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<double>(i % 7);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<double>(i % 5);
  tpc_rt_matmul_t desc{};
  desc.size = sizeof(desc);
  desc.dtype = desc.c_dtype = TPC_RT_F64;
  desc.batch_rank = 3;
  int64_t batch[3] = {2, 3, 2}, aBatch[3] = {12, 0, 6}, bBatch[3] = {6, 24, 12},
          cBatch[3] = {24, 8, 4};
  for (int i = 0; i < 3; ++i) {
    desc.batch[i] = batch[i];
    desc.a_batch[i] = aBatch[i];
    desc.b_batch[i] = bBatch[i];
    desc.c_batch[i] = cBatch[i];
  }
  desc.m = 2;
  desc.n = 2;
  desc.k = 3;
  desc.a_row = 3;
  desc.a_col = 1;
  desc.b_row = 2;
  desc.b_col = 1;
  desc.c_row = 2;
  desc.c_col = 1;
  ASSERT_TRUE(runOne(1, [&](tpc_rt_rank_t *rank) {
                return tpc_rt_matmul(rank, &desc, a.data(), b.data(), c.data(),
                                     nullptr, nullptr, nullptr);
              }).ok());
  for (int64_t x = 0; x < 2; ++x)
    for (int64_t y = 0; y < 3; ++y)
      for (int64_t z = 0; z < 2; ++z)
        for (int64_t i = 0; i < 2; ++i)
          for (int64_t j = 0; j < 2; ++j) {
            double sum = 0;
            for (int64_t p = 0; p < 3; ++p)
              sum += a[x * 12 + z * 6 + i * 3 + p] *
                     b[x * 6 + y * 24 + z * 12 + p * 2 + j];
            EXPECT_EQ(c[x * 24 + y * 8 + z * 4 + i * 2 + j], sum);
          }
}

TEST(Matmul, WrongDescriptors) {
  auto run = [](auto change) {
    tpc_rt_matmul_t desc{};
    desc.size = sizeof(desc);
    desc.m = desc.n = desc.k = 1;
    change(desc);
    float a = 0, b = 0, c = 0;
    return runOne(1,
                  [&](tpc_rt_rank_t *rank) {
                    return tpc_rt_matmul(rank, &desc, &a, &b, &c, nullptr,
                                         nullptr, nullptr);
                  })
        .message;
  };
  EXPECT_EQ(run([](auto &d) { d.size = 8; }),
            "rank 0: matmul: expected a descriptor of 304 bytes, got 8");
  EXPECT_EQ(run([](auto &d) { d.dtype = TPC_RT_I1; }),
            "rank 0: matmul: element type i1 is not supported");
  EXPECT_EQ(run([](auto &d) { d.dtype = 12; }),
            "rank 0: matmul: element type 12 is not supported");
  EXPECT_EQ(run([](auto &d) { d.batch_rank = 7; }),
            "rank 0: matmul: expected a batch rank from 0 to 6, got 7");
  EXPECT_EQ(run([](auto &d) { d.k = -1; }),
            "rank 0: matmul: negative extent in 1 x 1 x -1");
  EXPECT_EQ(run([](auto &d) {
              d.batch_rank = 1;
              d.batch[0] = -2;
            }),
            "rank 0: matmul: negative batch -2");
  EXPECT_EQ(run([](auto &d) { d.c_dtype = TPC_RT_BF16; }),
            "rank 0: matmul: a product of f32 with a result of type 3 and "
            "flags 0 is not done by the cpu");
  EXPECT_EQ(run([](auto &d) { d.flags = TPC_RT_TF32; }), "");
  EXPECT_EQ(run([](auto &d) { d.flags = TPC_RT_TF32 | TPC_RT_ADD_BIAS; }),
            "rank 0: matmul: a product of f32 with a result of type 0 and "
            "flags 3 is not done by the cpu");
}

TEST(Attention, IsNotDoneByTheCpu) {
  tpc_rt_attention_t desc{};
  desc.size = sizeof(desc);
  EXPECT_EQ(runOne(1,
                   [&](tpc_rt_rank_t *rank) {
                     return tpc_rt_attention(rank, &desc, nullptr, nullptr);
                   })
                .message,
            "rank 0: attention: not done by this device");
}

TEST(Launch, AThreadThatIsLate) {
  Program program;
  program.mesh = {{"tp", 1}};
  program.body = [&](tpc_rt_rank_t *rank, auto...) {
    return tpc_rt_launch(
        rank,
        [](void *const *, int64_t begin, int64_t) {
          if (begin > 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1400));
        },
        2, 1000000, nullptr);
  };
  Running running;
  ASSERT_TRUE(running.start(backends[0], program, 1, 2).ok());
  Outcome outcome = running.run();
  EXPECT_EQ(outcome.code, TPC_RT_TIMEOUT);
  EXPECT_EQ(outcome.rank, 0);
  EXPECT_EQ(outcome.message, "a thread did not finish its share of a kernel "
                             "within 1 seconds");
}

TEST(Launch, CoversTheExtentOnce) {
  for (int threads : {1, 2, 5})
    for (int64_t extent : {0, 1, 4, 1000, 4097})
      for (int64_t cost : {1, 1000}) {
        std::vector<std::atomic<int>> counts(extent);
        void *args[] = {counts.data()};
        ASSERT_TRUE(runOne(threads, [&](tpc_rt_rank_t *rank) {
                      return tpc_rt_launch(
                          rank,
                          [](void *const *args, int64_t begin, int64_t end) {
                            auto *counts =
                                static_cast<std::atomic<int> *>(args[0]);
                            for (int64_t i = begin; i < end; ++i)
                              ++counts[i];
                          },
                          extent, cost, args);
                    }).ok());
        for (auto &count : counts)
          ASSERT_EQ(count, 1);
      }
}

} // namespace tpc::rt::conformance
