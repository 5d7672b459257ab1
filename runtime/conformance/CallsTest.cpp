// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global tensors given out to ranks and collected again.

#include "Harness.h"
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <gmock/gmock.h>

namespace tpc::rt::conformance {

namespace {

class Calls : public testing::TestWithParam<Backend> {};
TPC_RT_CONFORMANCE(Calls);

Owned<tpc_rt_tensor_t> makeTensor(int32_t dtype, const Shape &shape) {
  tpc_rt_tensor_t *tensor = nullptr;
  Outcome outcome = take(tpc_rt_tensor_create(
      dtype, static_cast<int32_t>(shape.size()), shape.data(), &tensor));
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return Owned<tpc_rt_tensor_t>(tensor);
}

Owned<tpc_rt_tensor_t> counting(int32_t dtype, const Shape &shape) {
  Owned<tpc_rt_tensor_t> tensor = makeTensor(dtype, shape);
  for (int64_t i = 0; i < volume(shape); ++i)
    store(dtype, tpc_rt_tensor_data(tensor.get()), i, i % 97 + 1);
  return tensor;
}

/// Every argument is copied to the result of the same number.
Program identity(const Mesh &mesh, const std::vector<ValueSpec> &values) {
  Program program;
  program.mesh = mesh;
  program.arguments = values;
  program.results = values;
  std::vector<int64_t> bytes;
  for (const ValueSpec &value : values)
    bytes.push_back(localVolume(mesh, value.placement, value.shape) *
                    tpc_rt_dtype_size(value.dtype));
  program.body = [bytes](tpc_rt_rank_t *rank, int64_t,
                         const void *const *arguments, void *const *results) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      std::vector<char> copy(bytes[i]);
      if (int32_t code = tpc_rt_read(rank, arguments[i], copy.data(), bytes[i]))
        return code;
      writeMemory(backends[0], results[i], copy.data(), bytes[i]);
    }
    return 0;
  };
  return program;
}

} // namespace

TEST_P(Calls, EveryPlacementGoesOutAndComesBack) {
  for (Mesh mesh : {Mesh{{"tp", 3}}, Mesh{{"dp", 2}, {"tp", 2}}})
    for (Shape shape : {Shape{5, 7}, Shape{1, 9}, Shape{0, 3}, Shape{4, 4}}) {
      std::vector<ValueSpec> values;
      for (const Placement &placement : allPlacements(mesh, 2, true)) {
        int32_t dtype = static_cast<int32_t>(values.size() % 9);
        values.push_back({"v" + std::to_string(values.size()),
                          dtype == TPC_RT_I1 ? TPC_RT_I32 : dtype, shape,
                          placement});
      }
      Program program = identity(mesh, values);
      Running running;
      Outcome outcome = running.start(GetParam(), program);
      ASSERT_TRUE(outcome.ok()) << outcome.message;
      for (size_t i = 0; i < values.size(); ++i)
        ASSERT_OK(tpc_rt_call_set_argument(
            running.call.get(), static_cast<int32_t>(i),
            counting(values[i].dtype, shape).get()));
      outcome = running.run();
      ASSERT_TRUE(outcome.ok()) << outcome.message;
      for (size_t i = 0; i < values.size(); ++i) {
        tpc_rt_tensor_t *raw = nullptr;
        ASSERT_OK(tpc_rt_call_get_result(running.call.get(),
                                         static_cast<int32_t>(i), &raw));
        Owned<tpc_rt_tensor_t> result(raw);
        Owned<tpc_rt_tensor_t> expected = counting(values[i].dtype, shape);
        EXPECT_EQ(
            std::memcmp(tpc_rt_tensor_data(result.get()),
                        tpc_rt_tensor_data(expected.get()),
                        volume(shape) * tpc_rt_dtype_size(values[i].dtype)),
            0)
            << values[i].placement.str(mesh);
        ASSERT_OK(tpc_rt_call_check_replicas(running.call.get(),
                                             static_cast<int32_t>(i)));
      }
    }
}

TEST_P(Calls, ArgumentsArePaddedWithZeros) {
  Mesh mesh{{"tp", 2}};
  Program program =
      identity(mesh, {{"x", TPC_RT_F32, {3, 2}, Placement{{{0, 0}}}}});
  Running running;
  ASSERT_TRUE(running.start(GetParam(), program).ok());
  void *buffer = tpc_rt_call_argument_buffer(running.call.get(), 1, 0);
  float padded[4] = {9, 9, 9, 9};
  writeMemory(GetParam(), buffer, padded, sizeof(padded));
  ASSERT_OK(tpc_rt_call_set_argument(running.call.get(), 0,
                                     counting(TPC_RT_F32, {3, 2}).get()));
  readMemory(GetParam(), padded, buffer, sizeof(padded));
  EXPECT_EQ(padded[0], 5);
  EXPECT_EQ(padded[1], 6);
  EXPECT_EQ(padded[2], 0);
  EXPECT_EQ(padded[3], 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer) % 64, 0u);
  EXPECT_EQ(tpc_rt_call_argument_buffer(running.call.get(), 2, 0), nullptr);
  EXPECT_EQ(tpc_rt_call_result_buffer(running.call.get(), 0, 1), nullptr);
}

TEST_P(Calls, BooleansAreZeroOrOne) {
  Program program = identity({{"tp", 1}}, {{"x", TPC_RT_I1, {3}, {}}});
  Running running;
  ASSERT_TRUE(running.start(GetParam(), program).ok());
  Owned<tpc_rt_tensor_t> tensor = makeTensor(TPC_RT_I1, {3});
  std::memcpy(tpc_rt_tensor_data(tensor.get()), "\x02\x00\x80", 3);
  ASSERT_OK(tpc_rt_call_set_argument(running.call.get(), 0, tensor.get()));
  char values[3];
  readMemory(GetParam(), values,
             tpc_rt_call_argument_buffer(running.call.get(), 0, 0), 3);
  EXPECT_EQ(std::memcmp(values, "\x01\x00\x01", 3), 0);
}

TEST_P(Calls, WrongTensors) {
  Program program = identity({{"tp", 2}}, {{"x", TPC_RT_F32, {3, 2}, {}}});
  Running running;
  ASSERT_TRUE(running.start(GetParam(), program).ok());
  auto set = [&](int32_t index, Owned<tpc_rt_tensor_t> tensor) {
    return take(tpc_rt_call_set_argument(running.call.get(), index,
                                         tensor.get()))
        .message;
  };
  EXPECT_EQ(set(0, makeTensor(TPC_RT_F32, {2, 3})),
            "argument \"x\": expected shape [3, 2], got [2, 3]");
  EXPECT_EQ(set(0, makeTensor(TPC_RT_I32, {3, 2})),
            "argument \"x\": expected element type f32, got i32");
  EXPECT_EQ(set(1, makeTensor(TPC_RT_F32, {3, 2})),
            "expected an argument below 1, got 1");
  tpc_rt_tensor_t *none = nullptr;
  EXPECT_EQ(take(tpc_rt_call_get_result(running.call.get(), 1, &none)).message,
            "expected a result below 1, got 1");
}

TEST_P(Calls, ReplicasThatDifferAreFound) {
  Mesh mesh{{"dp", 2}, {"tp", 2}};
  Program program =
      identity(mesh, {{"y", TPC_RT_F32, {4, 6}, Placement{{{1, 1}}}}});
  Running running;
  ASSERT_TRUE(running.start(GetParam(), program).ok());
  ASSERT_TRUE(running.run().ok());
  // dp=1, tp=1: columns 3 to 5; row 2, column 4.
  auto *values =
      static_cast<float *>(tpc_rt_call_result_buffer(running.call.get(), 3, 0));
  float one = 1;
  writeMemory(GetParam(), &values[2 * 3 + 1], &one, sizeof(one));
  Outcome outcome = take(tpc_rt_call_check_replicas(running.call.get(), 0));
  EXPECT_EQ(outcome.code, TPC_RT_MISMATCH);
  EXPECT_EQ(outcome.message, "result \"y\": ranks 1 and 3 hold replicas that "
                             "differ, first at [2, 4]");
}

TEST_P(Calls, WrongEntriesOfFiles) {
  Program program = identity({{"tp", 2}}, {{"x", TPC_RT_F32, {2}, {}}});
  Running running;
  ASSERT_TRUE(running.start(GetParam(), program).ok());
  std::string path = testing::TempDir() + "/tpc-calls.npy";
  Owned<tpc_rt_tensor_t> tensor = counting(TPC_RT_F32, {2});
  const char *name = "x";
  tpc_rt_tensor_t *pointer = tensor.get();
  ASSERT_OK(tpc_rt_file_write(path.c_str(), 1, &name, &pointer));
  tpc_rt_file_t *file = nullptr;
  ASSERT_OK(tpc_rt_file_open(path.c_str(), &file));
  EXPECT_TRUE(
      take(tpc_rt_call_read_argument(running.call.get(), 0, file, 0)).ok());
  EXPECT_EQ(
      take(tpc_rt_call_read_argument(running.call.get(), 0, file, 1)).message,
      "expected an entry below 1, got 1");
  EXPECT_EQ(take(tpc_rt_file_read(file, 2, &pointer)).message,
            "expected an entry below 1, got 2");
  tpc_rt_file_entry_t entry{};
  EXPECT_EQ(take(tpc_rt_file_entry(file, 0, &entry)).message,
            "tpc_rt_file_entry_t: size is not set");
  entry.size = sizeof(entry);
  EXPECT_EQ(take(tpc_rt_file_entry(file, -1, &entry)).message,
            "expected an entry below 1, got -1");
  tpc_rt_file_release(file);
  std::remove(path.c_str());
}

TEST_P(Calls, Inspection) {
  Program program = identity({{"dp", 2}, {"tp", 2}},
                             {{"x", TPC_RT_F16, {5, 2}, Placement{{{1, 0}}}}});
  Owned<tpc_rt_module_t> module;
  ASSERT_OK(program.create(module));
  EXPECT_STREQ(tpc_rt_module_mesh(module.get()), "dp=2,tp=2");
  EXPECT_STREQ(tpc_rt_module_fingerprint(module.get()), "0123456789abcdef");
  EXPECT_EQ(tpc_rt_module_manifest(module.get()), program.manifest());
  EXPECT_EQ(tpc_rt_module_rank_count(module.get()), 4);
  EXPECT_EQ(tpc_rt_module_function_count(module.get()), 1);
  EXPECT_EQ(tpc_rt_module_find_function(module.get(), "forward"), 0);
  EXPECT_EQ(tpc_rt_module_find_function(module.get(), "backward"), -1);
  EXPECT_STREQ(tpc_rt_module_function_name(module.get(), 0), "forward");
  EXPECT_EQ(tpc_rt_module_function_name(module.get(), 1), nullptr);
  EXPECT_EQ(tpc_rt_module_argument_count(module.get(), 1), 0);
  tpc_rt_value_t value{};
  EXPECT_EQ(take(tpc_rt_module_argument(module.get(), 0, 0, &value)).message,
            "tpc_rt_value_t: size is not set");
  value.size = sizeof(value);
  ASSERT_OK(tpc_rt_module_result(module.get(), 0, 0, &value));
  EXPECT_STREQ(value.name, "x");
  EXPECT_EQ(value.dtype, TPC_RT_F16);
  EXPECT_EQ(value.local_shape[0], 3);
  EXPECT_EQ(value.local_bytes, 12);
  EXPECT_STREQ(value.placement, "[tp: S(0)]");
  EXPECT_EQ(take(tpc_rt_module_argument(module.get(), 1, 0, &value)).message,
            "no such function");
  EXPECT_EQ(take(tpc_rt_module_result(module.get(), 0, 1, &value)).message,
            "expected a number below 1, got 1");
  // A caller that knows less of the struct gets what it knows.
  tpc_rt_value_t old{};
  old.size = offsetof(tpc_rt_value_t, name);
  ASSERT_OK(tpc_rt_module_argument(module.get(), 0, 0, &old));
  EXPECT_EQ(old.dtype, TPC_RT_F16);
  EXPECT_EQ(old.name, nullptr);
}

TEST(Tensors, WrongCreation) {
  tpc_rt_tensor_t *tensor = nullptr;
  int64_t shape[] = {int64_t(1) << 40, int64_t(1) << 40};
  EXPECT_EQ(take(tpc_rt_tensor_create(0, 2, shape, &tensor)).message,
            "expected a shape of fewer than 2^63 bytes, got [1099511627776, "
            "1099511627776]");
  EXPECT_EQ(take(tpc_rt_tensor_create(9, 0, nullptr, &tensor)).message,
            "expected an element type from 0 to 8, got 9");
  EXPECT_EQ(take(tpc_rt_tensor_create(0, -1, nullptr, &tensor)).message,
            "expected a rank of at least 0, got -1");
  int64_t huge[] = {int64_t(1) << 60};
  EXPECT_EQ(take(tpc_rt_tensor_create(0, 1, huge, &tensor)).code,
            TPC_RT_OUT_OF_MEMORY);
}

} // namespace tpc::rt::conformance
