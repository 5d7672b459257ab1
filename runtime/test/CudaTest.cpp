// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the device cuda says when something is wrong, on simulated GPUs. The
// simulator reads the environment once, so every case has a process of its own.

#include "Harness.h"
#include "host_image.h"
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace tpc::rt::conformance {

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;
using Json = nlohmann::json;

const Backend cuda{"cuda", "local"};

/// Runs `body` in a child with the variables set and gives what it returns.
std::string
inChild(const std::vector<std::pair<const char *, const char *>> &variables,
        const std::function<std::string()> &body) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    for (auto [name, value] : variables)
      setenv(name, value, 1);
    std::string text = body();
    ssize_t written = write(ends[1], text.data(), text.size());
    // No destructors: GPUs that have failed would add their findings.
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[512];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof(buffer))) > 0;)
    text.append(buffer, count);
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text;
  return text;
}

/// Skips where the driver is not the simulated one.
class Cuda : public testing::Test {
protected:
  void SetUp() override {
    std::string found = inChild({}, [] {
      void *driver = dlopen("libcuda.so.1", RTLD_NOW);
      bool isSimulated = driver && dlsym(driver, "tpc_sim_own_image");
      return std::string(isSimulated ? "yes" : "no");
    });
    if (found != "yes")
      GTEST_SKIP() << "needs the simulated driver";
  }
};

/// One GPU thread: adds 1 to a float.
void addOne(void **params) { **static_cast<float **>(params[0]) += 1; }

struct {
  tpc_sim_image head;
  tpc_sim_entry entry;
} image = {{TPC_SIM_MAGIC, 1, nullptr}, {"add_one", addOne, "b", 0}};
char noImage[64] = "not an image";

/// A module of one function on `ranks` ranks, with one kernel, whose manifest
/// `change` may alter.
struct Module {
  Program program;
  Owned<tpc_rt_module_t> module;
  Owned<tpc_rt_world_t> world;
  Owned<tpc_rt_call_t> call;
  double deadline = 20;

  explicit Module(int64_t ranks = 1) {
    program.mesh = {{"tp", ranks}};
    program.arguments = {{"x", TPC_RT_F32, {4}, {}}};
    program.results = {{"y", TPC_RT_F32, {6, 2}, {}}};
    program.body = [](auto...) { return 0; };
  }

  Outcome start(const std::function<void(Json &)> &change = [](Json &) {}) {
    static const Program *running;
    running = &program;
    Json json = Json::parse(program.manifest(cuda));
    json["images"] = {{{"arch", "host"},
                       {"kind", "host"},
                       {"symbol", "image"},
                       {"bytes", 64}}};
    json["kernels"] = {{{"name", "add_one"},
                        {"grid", {1, 1, 1}},
                        {"block", {1, 1, 1}},
                        {"shared_bytes", 0},
                        {"parameters", 1},
                        {"loc", "toy.py:17"},
                        {"kind", "point"},
                        {"read_bytes", 4},
                        {"write_bytes", 4},
                        {"least_read_bytes", 4},
                        {"least_write_bytes", 4}}};
    change(json);
    auto lookup = [](void *, const char *name) -> tpc_rt_function_t {
      std::string symbol = name;
      if (symbol == "image")
        return reinterpret_cast<tpc_rt_function_t>(&image);
      if (symbol == "no-image")
        return reinterpret_cast<tpc_rt_function_t>(&noImage);
      if (symbol == "missing")
        return nullptr;
      return [](tpc_rt_rank_t *rank, const void *const *arguments,
                void *const *results, void *) {
        return running->body(rank, tpc_rt_coordinate(rank, 0), arguments,
                             results);
      };
    };
    tpc_rt_module_t *rawModule = nullptr;
    Outcome outcome = take(
        tpc_rt_module_create(json.dump().c_str(), lookup, nullptr, &rawModule));
    module.reset(rawModule);
    if (!outcome.ok())
      return outcome;
    tpc_rt_world_options_t options{};
    options.size = sizeof(options);
    options.ranks = static_cast<int32_t>(program.mesh[0].size);
    options.device = cuda.device;
    options.deadline_seconds = deadline;
    tpc_rt_world_t *rawWorld = nullptr;
    outcome = take(tpc_rt_world_create(&options, &rawWorld));
    world.reset(rawWorld);
    if (!outcome.ok())
      return outcome;
    tpc_rt_call_t *rawCall = nullptr;
    outcome = take(tpc_rt_call_create(rawWorld, rawModule, 0, &rawCall));
    call.reset(rawCall);
    return outcome;
  }

  std::string run() {
    Outcome outcome = start();
    return outcome.ok() ? take(tpc_rt_call_run(call.get())).message
                        : outcome.message;
  }
};

std::string startMessage(const std::function<void(Json &)> &change) {
  Module module;
  return module.start(change).message;
}

int32_t addOneTo(tpc_rt_rank_t *rank, const void *memory) {
  int64_t args[] = {reinterpret_cast<int64_t>(memory)};
  return tpc_rt_kernel(rank, 0, args);
}

} // namespace

TEST_F(Cuda, AbsentDevices) {
  auto create = [] { return Module().start().message; };
  EXPECT_EQ(inChild({{"TPC_SIM_DRIVER_VERSION", "12040"}}, create),
            "no CUDA device is present: the driver is too old, it supports "
            "CUDA 12.4, and tpc, built with CUDA " CUDA_TEXT
            ", needs 13.0 or newer");
  EXPECT_EQ(inChild({{"TPC_SIM_DEVICES", "0"}}, create),
            "no CUDA device is present: the driver finds no device");
}

TEST_F(Cuda, KernelsRun) {
  EXPECT_EQ(inChild({},
                    [] {
                      Module module(2);
                      module.program.body = [](tpc_rt_rank_t *rank, int64_t,
                                               const void *const *,
                                               void *const *results) {
                        for (int i = 0; i < 3; ++i)
                          if (int32_t code = addOneTo(rank, results[0]))
                            return code;
                        float value = 0;
                        int32_t code = tpc_rt_read(rank, results[0], &value, 4);
                        return value == 3 ? code : 77;
                      };
                      return module.run();
                    }),
            "");
}

TEST_F(Cuda, ImagesThatDoNotFit) {
  auto ofArch = [](Json &json) {
    json["images"][0]["arch"] = "sm_90";
    json["images"][0]["kind"] = "cubin";
    json["images"].push_back({{"arch", "sm_100"},
                              {"kind", "ptx"},
                              {"symbol", "image"},
                              {"bytes", 64}});
  };
  EXPECT_EQ(inChild({{"TPC_SIM_CAPABILITY", "86"}},
                    [&] { return startMessage(ofArch); }),
            "the artifact has code for sm_90, PTX of sm_100, device 0 "
            "(simulated device 0) needs sm_86; compile with --gpu-arch=sm_86");
  EXPECT_EQ(inChild({{"TPC_SIM_CAPABILITY", "75"}},
                    [&] { return startMessage(ofArch); }),
            "device 0 (simulated device 0) has compute capability 7.5: "
            "artifacts are for 8.0 and above");
  auto message = [](auto change) {
    return inChild({}, [&] { return startMessage(change); });
  };
  EXPECT_EQ(
      message([](Json &json) { json["images"][0]["symbol"] = "missing"; }),
      "the artifact has no symbol \"missing\" for its image of host");
  EXPECT_EQ(message([](Json &json) {
              json["constants"] = {{{"symbol", "missing"}, {"bytes", 4}}};
            }),
            "the artifact has no symbol \"missing\" for a constant");
  EXPECT_EQ(message([](Json &json) { json["kernels"][0]["name"] = "other"; }),
            "the artifact's image of host has no kernel \"other\"");
  EXPECT_THAT(
      message([](Json &json) { json["images"][0]["symbol"] = "no-image"; }),
      StartsWith("cannot load the artifact's image of host on device 0 "
                 "(simulated device 0): cuModuleLoadDataEx: "
                 "CUDA_ERROR_NO_BINARY_FOR_GPU"));
}

TEST_F(Cuda, SharedMemoryOfBlocks) {
  auto start = [] {
    return startMessage(
        [](Json &json) { json["kernels"][0]["shared_bytes"] = 101 * 1024; });
  };
  EXPECT_EQ(inChild({}, start), "");
  EXPECT_EQ(inChild({{"TPC_SIM_SHARED", "101376"}}, start),
            "kernel add_one, point (toy.py:17) takes 103424 bytes of shared "
            "memory per block, device 0 (simulated device 0) has 101376; "
            "compile with --gpu-arch=host");
}

TEST_F(Cuda, MemoryThatIsShort) {
  std::string text = inChild({{"TPC_SIM_MEMORY", "1000000"}}, [] {
    return startMessage(
        [](Json &json) { json["functions"][0]["workspace_bytes"] = 2000000; });
  });
  EXPECT_THAT(
      text, AllOf(HasSubstr("rank 0: device 0 (simulated device 0) is out of "
                            "memory: 2000000 bytes are needed, "),
                  HasSubstr(" of 1000000 are free; function \"forward\" needs "
                            "2000064 bytes per rank, 16 for arguments, 48 for "
                            "results and 2000000 of workspace; the largest are "
                            "the workspace with 2000000 bytes, result \"y\" "
                            "f32 [6, 2] with 48 bytes, argument \"x\"")));
}

TEST_F(Cuda, ProductsThatCannotBe) {
  auto multiply = [](std::function<void(tpc_rt_matmul_t &)> change,
                     bool hasBias = true) {
    return [=] {
      Module module;
      module.program.body = [&](tpc_rt_rank_t *rank, int64_t,
                                const void *const *arguments,
                                void *const *results) {
        tpc_rt_matmul_t desc{};
        desc.size = sizeof(desc);
        desc.dtype = desc.c_dtype = TPC_RT_F32;
        desc.m = desc.n = desc.k = 2;
        desc.a_row = desc.b_row = desc.c_row = 2;
        desc.a_col = desc.b_col = desc.c_col = 1;
        change(desc);
        auto *bias = const_cast<void *>(arguments[0]);
        return tpc_rt_matmul(rank, &desc, arguments[0], arguments[0],
                             results[0], hasBias ? bias : nullptr, nullptr,
                             nullptr);
      };
      return module.run();
    };
  };
  EXPECT_EQ(inChild({}, multiply([](auto &) {})), "");
  EXPECT_EQ(inChild({}, multiply([](auto &d) { d.c_dtype = 77; })),
            "rank 0: matmul: expected the type of a result, got 77");
  EXPECT_EQ(
      inChild({}, multiply([](auto &d) { d.c_dtype = TPC_RT_I64; })),
      "rank 0: matmul: a product of f32 with a result of type i64 is not done");
  EXPECT_EQ(inChild({}, multiply([](auto &d) {
                      d.flags = TPC_RT_ADD_BIAS;
                      d.batch_rank = 2;
                      d.batch[0] = d.batch[1] = 2;
                      d.a_batch[1] = 1;
                    })),
            "rank 0: matmul: a product with flags 2 and a batch that is not "
            "one stride");
  // What cuBLASLt does not take is done by kernels of our own.
  EXPECT_EQ(inChild({}, multiply([](auto &d) {
                      d.flags = TPC_RT_ADD_BIAS;
                      d.a_row = d.a_col = 0;
                    })),
            "");
  auto withFlags = [&](int32_t flags) {
    return inChild({}, multiply([=](auto &d) { d.flags = flags; }));
  };
  for (int32_t flags : std::vector<int32_t>{
           TPC_RT_WRITE_AUX, TPC_RT_SUM_RESULT, TPC_RT_RELU | TPC_RT_GELU,
           TPC_RT_ADD_BIAS | TPC_RT_SUM_INNER,
           TPC_RT_SUM_INNER | TPC_RT_SUM_OUTER,
           TPC_RT_SUM_INNER | TPC_RT_GELU_GRADIENT, 1024})
    EXPECT_EQ(withFlags(flags), "rank 0: matmul: a product with flags " +
                                    std::to_string(flags) + " is not done");
  auto noBias = [](auto &d) { d.flags = TPC_RT_ADD_BIAS; };
  EXPECT_EQ(inChild({}, multiply(noBias, false)),
            "rank 0: matmul: expected a bias with flags 2");
  EXPECT_EQ(inChild({}, multiply([](auto &d) {
                      d.dtype = d.c_dtype = TPC_RT_BF16;
                      d.flags = TPC_RT_ADD_BIAS;
                      d.a_row = d.a_col = 0;
                    })),
            "rank 0: matmul: a product with flags 2 needs 8 bytes of "
            "workspace, got 0");
  EXPECT_EQ(withFlags(TPC_RT_GELU_GRADIENT),
            "rank 0: matmul: expected aux with flags 64");
  EXPECT_EQ(inChild({}, multiply([](auto &d) {
                      d.flags = TPC_RT_ADD_BIAS;
                      d.accumulate = 1;
                    })),
            "rank 0: matmul: a product of f32 that is added to c with flags 2 "
            "is not done");
}

TEST_F(Cuda, ProductsThatFail) {
  auto multiply = [] {
    Module module;
    module.program.body = [](tpc_rt_rank_t *rank, int64_t,
                             const void *const *arguments,
                             void *const *results) {
      tpc_rt_matmul_t desc{};
      desc.size = sizeof(desc);
      desc.dtype = desc.c_dtype = TPC_RT_F32;
      desc.m = desc.n = desc.k = 2;
      desc.a_row = desc.b_row = desc.c_row = 2;
      desc.a_col = desc.b_col = desc.c_col = 1;
      int32_t code = addOneTo(rank, results[0]);
      return code ? code
                  : tpc_rt_matmul(rank, &desc, arguments[0], arguments[0],
                                  results[0], nullptr, nullptr, nullptr);
    };
    return module.run();
  };
  EXPECT_THAT(inChild({{"TPC_SIM_FAULT", "no-room"}}, multiply),
              MatchesRegex("rank 0: matmul: device 0 .simulated device 0. is "
                           "out of memory: cublasLtMatmul needs some, [0-9]+ "
                           "of 1073741824 bytes are free"));
  EXPECT_THAT(
      inChild({{"TPC_SIM_FAULT", "sticky"}, {"TPC_SIM_SCHEDULE", "eager"}},
              multiply),
      MatchesRegex("rank 0: .*device 0 .simulated device 0. has failed: .*, at "
                   "or before matmul 2 x 2 x 2 behind kernel add_one, point "
                   ".toy.py:17."));
}

/// A product of nothing is zero, and so are the sums that come with it.
TEST_F(Cuda, SumsOfNothing) {
  auto multiply = [](int32_t flags, int64_t m) {
    return [=]() -> std::string {
      Module module;
      module.program.body = [=](tpc_rt_rank_t *rank, int64_t,
                                const void *const *arguments,
                                void *const *results) {
        tpc_rt_matmul_t desc{};
        desc.size = sizeof(desc);
        desc.dtype = desc.c_dtype = TPC_RT_F32;
        desc.m = m;
        desc.n = 2;
        desc.a_row = desc.b_row = desc.c_row = 2;
        desc.a_col = desc.b_col = desc.c_col = 1;
        desc.flags = flags;
        desc.aux_stride = 2;
        // What is there before shows that something is written.
        auto *bias = const_cast<void *>(arguments[0]);
        int32_t code = addOneTo(rank, bias);
        if (code == 0)
          code = tpc_rt_matmul(rank, &desc, arguments[0], arguments[0],
                               results[0], bias,
                               static_cast<char *>(results[0]) + 16, nullptr);
        float sums[2] = {7, 7};
        if (code == 0)
          code = tpc_rt_read(rank, bias, sums, sizeof(sums));
        return code ? code : sums[0] == 0 && sums[1] == 0 ? 0 : 9;
      };
      return module.run();
    };
  };
  for (int32_t flags : {int32_t(TPC_RT_SUM_INNER), int32_t(TPC_RT_SUM_OUTER),
                        TPC_RT_GELU_GRADIENT | TPC_RT_SUM_RESULT})
    EXPECT_EQ(inChild({}, multiply(flags, 2)), "");
  EXPECT_EQ(inChild({}, multiply(TPC_RT_SUM_INNER, 0)),
            "rank 0: matmul: a product without results with flags 128 is not "
            "done");
}

/// Results of 1.0029 and -1, of which bf16 makes 1 and -1: their sums are made
/// before that, however few rows the workspace has room for. All values are
/// bf16's: the upper halves of floats.
TEST_F(Cuda, SumsOfRoundedResults) {
  constexpr int64_t rows = 256, columns = 8;
  auto multiply = [](int64_t workspaceBytes) {
    return [=]() -> std::string {
      Module module;
      Program &program = module.program;
      program.arguments = {{"a", TPC_RT_BF16, {rows, 2}, {}},
                           {"b", TPC_RT_BF16, {2, columns}, {}},
                           {"mask", TPC_RT_I8, {rows}, {}}};
      program.results = {{"c", TPC_RT_BF16, {rows, columns}, {}},
                         {"sums", TPC_RT_BF16, {columns}, {}},
                         {"workspace", TPC_RT_I8, {workspaceBytes}, {}}};
      program.body = [=](tpc_rt_rank_t *rank, int64_t,
                         const void *const *arguments, void *const *results) {
        tpc_rt_matmul_t desc{};
        desc.size = sizeof(desc);
        desc.dtype = desc.c_dtype = TPC_RT_BF16;
        desc.m = rows;
        desc.n = columns;
        desc.k = 2;
        desc.a_row = 2;
        desc.b_row = desc.c_row = desc.aux_stride = columns;
        desc.a_col = desc.b_col = desc.c_col = 1;
        desc.flags = TPC_RT_RELU_GRADIENT | TPC_RT_SUM_RESULT;
        desc.workspace_bytes = workspaceBytes;
        return tpc_rt_matmul(rank, &desc, arguments[0], arguments[1],
                             results[0], results[1],
                             const_cast<void *>(arguments[2]), results[2]);
      };
      Outcome outcome = module.start();
      auto set = [&](int32_t index, auto valueOf) {
        const auto &argument = program.arguments[index];
        tpc_rt_tensor_t *raw = nullptr;
        (void)take(tpc_rt_tensor_create(argument.dtype, argument.shape.size(),
                                        argument.shape.data(), &raw));
        Owned<tpc_rt_tensor_t> owned(raw);
        for (int64_t i = 0; i < tpc_rt_tensor_count(raw); ++i) {
          auto value = static_cast<float>(valueOf(i));
          if (argument.dtype == TPC_RT_I8)
            static_cast<int8_t *>(tpc_rt_tensor_data(raw))[i] =
                static_cast<int8_t>(value);
          else
            std::memcpy(static_cast<char *>(tpc_rt_tensor_data(raw)) + 2 * i,
                        reinterpret_cast<const char *>(&value) + 2, 2);
        }
        if (outcome.ok())
          outcome =
              take(tpc_rt_call_set_argument(module.call.get(), index, raw));
      };
      set(0, [](int64_t i) { return i % 4 == 3 ? 0 : i % 4 == 2 ? -1 : 1; });
      set(1, [](int64_t i) { return i < columns ? 1 : 3. / 1024; });
      set(2, [](int64_t) { return -1; });
      if (outcome.ok())
        outcome = take(tpc_rt_call_run(module.call.get()));
      std::string text = outcome.message;
      for (int32_t index = 0; index < 2 && outcome.ok(); ++index) {
        tpc_rt_tensor_t *raw = nullptr;
        outcome = take(tpc_rt_call_get_result(module.call.get(), index, &raw));
        Owned<tpc_rt_tensor_t> owned(raw);
        for (int64_t i : {0, 7}) {
          float value = 0;
          std::memcpy(reinterpret_cast<char *>(&value) + 2,
                      static_cast<char *>(tpc_rt_tensor_data(raw)) + 2 * i, 2);
          text += testing::PrintToString(value) + " ";
        }
      }
      return text;
    };
  };
  for (const char *epilogues : {"0", "1"})
    for (int64_t bytes : {4 * 8 * 2, 4 * 8 * 101, 1 << 20})
      EXPECT_EQ(inChild({{"TPC_SIM_EPILOGUES", epilogues}}, multiply(bytes)),
                "1 1 0.375 0.375 ")
          << epilogues << " " << bytes;
  EXPECT_EQ(inChild({{"TPC_SIM_EPILOGUES", "0"}}, multiply(63)),
            "rank 0: matmul: a product with flags 544 needs 64 bytes of "
            "workspace, got 63");
}

TEST_F(Cuda, CollectivesThatCannotBe) {
  auto reduce = [](int64_t ranks) {
    return [=] {
      Module module(ranks);
      module.program.collectives = {
          {"all_reduce", {0}, {{TPC_RT_F32, {4}, {{{0, -1}}}, {}}}}};
      module.program.body = [](tpc_rt_rank_t *rank, int64_t,
                               const void *const *arguments,
                               void *const *results) {
        return tpc_rt_collective(rank, TPC_RT_COMPUTE, 0, 1, arguments,
                                 results);
      };
      Outcome outcome =
          module.start([](Json &json) { json["kernels"] = Json::array(); });
      return outcome.ok() ? take(tpc_rt_call_run(module.call.get())).message
                          : outcome.message;
    };
  };
  EXPECT_EQ(inChild({{"TPC_SIM_DEVICES", "2"}}, reduce(2)), "");
  EXPECT_EQ(
      inChild({{"TPC_SIM_DEVICES", "2"}, {"TPC_SIM_PEERS", "0"}}, reduce(2)),
      "device 0 (simulated device 0) cannot reach the memory of device 1 "
      "(simulated device 1): communicator \"local\" needs that; use "
      "nccl");
  EXPECT_EQ(inChild({{"TPC_SIM_CAPABILITY", "75"}}, reduce(2)),
            "device 0 (simulated device 0) is none that this runtime has "
            "kernels for: expected compute capability 8.0 or above, got 7.5");
  EXPECT_EQ(inChild({}, reduce(65)),
            "all_reduce over [tp] of \"v\" (model.py:7): communicator "
            "\"local\" joins at most 64 ranks on a GPU, got 65; use nccl");
}

TEST_F(Cuda, DevicesThatFailInTheMiddleOfAStep) {
  auto step = [] {
    Module module;
    module.program.readsOnHost = false;
    module.program.body = [](tpc_rt_rank_t *rank, int64_t, const void *const *,
                             void *const *results) {
      return addOneTo(rank, results[0]);
    };
    std::string text = module.run();
    for (int i = 0; i < 2 && text.empty(); ++i)
      text = take(tpc_rt_call_run(module.call.get())).message;
    return text;
  };
  // At once, then when what was recorded is replayed for the first and the
  // second time.
  EXPECT_EQ(inChild({{"TPC_SIM_FAULT", "sticky:3"}}, step), "");
  for (const char *fault : {"sticky:1", "sticky:2"})
    EXPECT_THAT(
        inChild({{"TPC_SIM_FAULT", fault}}, step),
        AllOf(StartsWith("rank 0: device 0 (simulated device 0) has failed: "
                         "cuStreamQuery: CUDA_ERROR_"),
              HasSubstr(", in the recorded function \"forward\"; "
                        "--no-cuda-graph tells which operation")));
  EXPECT_THAT(inChild({{"TPC_SIM_FAULT", "sticky"}}, step),
              AllOf(StartsWith("rank 0: device 0 (simulated device 0) has "
                               "failed: cuStreamQuery: CUDA_ERROR_"),
                    HasSubstr(", at or before kernel add_one, point "
                              "(toy.py:17)")));
  EXPECT_THAT(inChild({{"TPC_SIM_FAULT", "uncorrectable"}}, step),
              AllOf(HasSubstr("CUDA_ERROR_ECC_UNCORRECTABLE"),
                    HasSubstr(", at or before kernel add_one, point "
                              "(toy.py:17)")));
}

/// The call and the world are given back as usual: nothing may wait for the
/// GPU.
TEST_F(Cuda, DevicesThatNeverEnd) {
  auto step = [] {
    Module module(2);
    module.deadline = 0.3;
    module.program.body = [](tpc_rt_rank_t *rank, int64_t, const void *const *,
                             void *const *results) {
      return addOneTo(rank, results[0]);
    };
    std::string message = module.run();
    auto start = std::chrono::steady_clock::now();
    message += "; again: " + take(tpc_rt_call_run(module.call.get())).message;
    module.call.reset();
    module.world.reset();
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    return message + (seconds.count() < 10 ? "; at once" : "; late");
  };
  EXPECT_THAT(
      inChild({{"TPC_SIM_FAULT", "endless"}}, step),
      MatchesRegex(
          "rank [01]: device 0 \\(simulated device 0\\) has not finished "
          "within 0.3 seconds, at or before kernel add_one, point "
          "\\(toy.py:17\\); again: .*device 0 \\(simulated device 0\\) is "
          "still at work that did not end in time; at once"));
}

} // namespace tpc::rt::conformance
