// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tpc-run from outside: exit status, what it prints, what it writes.

#include "tpc_rt/rt.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Set by CMake: a folder with bin/tpc-run and a stand-in for tpc-compile, and
/// the artifacts.
const std::string home = TPC_RUN_TEST_FOLDER;
const std::string artifact = home + "/artifacts/libartifact.so";

struct Result {
  int status;
  std::string out, err;
};

std::string contentOf(const std::string &file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

class Run : public testing::Test {
protected:
  Run() {
    char pattern[] = "/tmp/tpc-run-test-XXXXXX";
    folder = mkdtemp(pattern);
  }
  ~Run() override {
    if (std::system(("rm -rf " + folder).c_str()) != 0)
      ADD_FAILURE() << "cannot remove " << folder;
  }

  Result run(const std::string &arguments,
             const std::string &program = home + "/bin/tpc-run") {
    std::string command = program + " " + arguments + " > " + folder +
                          "/out 2> " + folder + "/err";
    int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status)) << command;
    return {WEXITSTATUS(status), contentOf(folder + "/out"),
            contentOf(folder + "/err")};
  }
  /// Expects a failure with a message that has `text`, and nothing else of
  /// weight.
  void expectError(const std::string &arguments, int status,
                   const std::string &text) {
    Result result = run(arguments);
    EXPECT_EQ(result.status, status) << arguments;
    EXPECT_THAT(result.err, StartsWith("tpc-run: error: ")) << arguments;
    EXPECT_THAT(result.err, HasSubstr(text)) << arguments;
    EXPECT_LE(std::count(result.err.begin(), result.err.end(), '\n'),
              status == 2 ? 2 : 1);
  }

  struct Named {
    std::string name;
    int32_t dtype;
    std::vector<int64_t> shape;
    std::vector<float> values;
  };
  std::string writeTensors(const std::string &file,
                           const std::vector<Named> &tensors) {
    std::vector<const char *> names;
    std::vector<tpc_rt_tensor_t *> handles;
    for (const Named &named : tensors) {
      tpc_rt_tensor_t *tensor = nullptr;
      require(tpc_rt_tensor_create(named.dtype,
                                   static_cast<int32_t>(named.shape.size()),
                                   named.shape.data(), &tensor));
      if (named.dtype == TPC_RT_F32)
        std::copy(named.values.begin(), named.values.end(),
                  static_cast<float *>(tpc_rt_tensor_data(tensor)));
      names.push_back(named.name.c_str());
      handles.push_back(tensor);
    }
    std::string path = folder + "/" + file;
    require(tpc_rt_file_write(path.c_str(), static_cast<int32_t>(names.size()),
                              names.data(), handles.data()));
    for (tpc_rt_tensor_t *tensor : handles)
      tpc_rt_tensor_release(tensor);
    return path;
  }
  std::vector<float> readTensor(const std::string &path,
                                const std::string &name) {
    tpc_rt_file_t *file = nullptr;
    require(tpc_rt_file_open(path.c_str(), &file));
    tpc_rt_tensor_t *tensor = nullptr;
    require(
        tpc_rt_file_read(file, tpc_rt_file_find(file, name.c_str()), &tensor));
    auto *data = static_cast<float *>(tpc_rt_tensor_data(tensor));
    std::vector<float> values(data, data + tpc_rt_tensor_count(tensor));
    tpc_rt_tensor_release(tensor);
    tpc_rt_file_release(file);
    return values;
  }
  static void require(tpc_rt_status_t *status) {
    EXPECT_EQ(status, nullptr) << tpc_rt_status_message(status);
    tpc_rt_status_release(status);
  }
  std::string writeText(const std::string &file, const std::string &text) {
    std::string path = folder + "/" + file;
    std::ofstream(path) << text;
    return path;
  }

  const Named x{"x", TPC_RT_F32, {4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 0, 1}};
  const Named w1{
      "w1", TPC_RT_F32, {5, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 2, 0, 1}};
  const Named w2{"w2", TPC_RT_F32, {2, 5}, {1, 2, 3, 4, 5, 5, 4, 3, 2, 1}};
  /// (x w1^T) w2^T
  const std::vector<float> y{63, 39, 162, 102, 261, 165, 27, 15};

  std::string folder;
};

} // namespace

TEST_F(Run, FileToFile) {
  std::string inputs = writeTensors("in.safetensors", {x, w1, w2});
  std::string outputs = folder + "/out.safetensors";
  Result result =
      run(artifact + " -n 2 --inputs " + inputs + " --outputs " + outputs);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "y: f32 [4, 2] []: 63 39 162 102 261 165 ...\n");
  EXPECT_EQ(readTensor(outputs, "y"), y);
  std::string npy = folder + "/out.npy";
  result = run(artifact + " --inputs=" + inputs + " --outputs=" + npy +
               " --function forward --threads 2 --comm local --deadline 20");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(readTensor(npy, ""), y);
}

// A later file wins over an earlier one.
TEST_F(Run, NpyInputs) {
  std::string wrong = writeTensors("in.safetensors", {w1, w2, x});
  Named ones = w2;
  ones.values.assign(10, 1);
  std::string npy = writeTensors("w2.npy", {ones});
  Result result = run(artifact + " --inputs " + wrong + " --inputs w2=" + npy);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("17 17 "));
}

TEST_F(Run, RandomInputs) {
  Result first = run(artifact);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(run(artifact + " --seed 0").out, first.out);
  EXPECT_NE(run(artifact + " --seed 1").out, first.out);
  // Only what is missing is random.
  std::string zeros =
      writeTensors("x.safetensors", {{"x", TPC_RT_F32, {4, 3}, {}}});
  Result result = run(artifact + " --seed 3 --inputs " + zeros);
  EXPECT_EQ(result.out, "y: f32 [4, 2] []: 0 0 0 0 0 0 ...\n");
  result = run(artifact + " --function types --seed 5");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, testing::MatchesRegex(
                              "j: i32 \\[3\\] \\[\\]:( [01])+\n"
                              "not: i1 \\[4\\] \\[tp: S\\(0\\)\\]:( [01])+\n"));
}

TEST_F(Run, RepeatAndProfile) {
  std::string trace = folder + "/trace.json";
  Result result = run(artifact + " --repeat 3 --profile " + trace);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("(3 steps)"));
  nlohmann::json json = nlohmann::json::parse(contentOf(trace));
  int collectives = 0;
  for (const auto &event : json["traceEvents"])
    collectives += event["name"] == "all_reduce over [tp] of \"y\" (toy.py:12)";
  // One run and three repeats, on two ranks.
  EXPECT_EQ(collectives, 8);
}

TEST_F(Run, Streams) {
  for (std::string how : {"auto", "inline", "threads"})
    EXPECT_EQ(run(artifact + " --streams=" + how).status, 0) << how;
  expectError(artifact + " --streams sideways", 2,
              "--streams: expected auto, inline or threads, got \"sideways\"");
}

TEST_F(Run, Help) {
  Result result = run("--help");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, StartsWith("usage: tpc-run "));
}

TEST_F(Run, WrongUsage) {
  expectError("", 2, "expected an artifact or a model");
  expectError(artifact + " --wrong", 2, "unknown option \"--wrong\"");
  expectError(artifact + " more.so", 2, "unknown option \"more.so\"");
  expectError(artifact + " -n 0", 2,
              "-n: expected an integer from 1 to 4096, got \"0\"");
  expectError(artifact + " -n two", 2,
              "-n: expected an integer from 1 to 4096, got \"two\"");
  expectError(artifact + " -n", 2, "-n: expected a value");
  expectError(artifact + " --seed -1", 2, "--seed: expected an integer from 0");
  expectError(artifact + " --threads 0", 2, "--threads: expected an integer");
  expectError(artifact + " --repeat 0", 2, "--repeat: expected an integer");
  expectError(artifact + " --deadline 0", 2,
              "--deadline: expected a number of seconds above 0, got \"0\"");
  expectError(artifact + " --deadline soon", 2, "got \"soon\"");
  expectError(artifact + " --comm mpi", 2,
              "--comm: expected local or nccl, got \"mpi\"");
  expectError(artifact + " --inputs " + writeTensors("x.npy", {x}), 2,
              "since a .npy file holds no name");
}

TEST_F(Run, LibrariesOfDevicesThatDoNotFit) {
  std::string program = folder + "/bin/tpc-run";
  auto error = [&](const std::string &library) {
    std::string command = "mkdir -p " + folder + "/bin " + folder + "/lib && " +
                          "cp " + home + "/bin/tpc-run " + folder +
                          "/bin/ && " + "cp -L " + home + "/lib/libtpc_rt.so " +
                          folder + "/lib/ && cp " + library + " " + folder +
                          "/lib/libtpc_rt_cuda.so";
    EXPECT_EQ(std::system(command.c_str()), 0);
    Result result =
        run(home + "/artifacts/libartifact-cuda.so --seed 1", program);
    EXPECT_EQ(result.status, 1);
    return result.err;
  };
  EXPECT_THAT(
      error(writeText("text.so", "text")),
      AllOf(HasSubstr("cannot load \""), HasSubstr("/libtpc_rt_cuda.so\": ")));
  // A library that is linked with one that is not there.
  std::string lacks =
      "cd " + folder + " && echo 'int x;' > x.c && " +
      "clang-22 -shared -Wl,-soname,libcublasLt.so.77 x.c -o gone.so && " +
      "clang-22 -shared -Wl,--no-as-needed x.c ./gone.so -o lacks.so";
  ASSERT_EQ(std::system(lacks.c_str()), 0);
  EXPECT_THAT(error(folder + "/lacks.so"),
              AllOf(HasSubstr("libcublasLt.so.77: cannot open"),
                    HasSubstr("; it needs cuBLASLt of the CUDA toolkit, whose "
                              "folder must be in LD_LIBRARY_PATH")));
  EXPECT_THAT(error(artifact), HasSubstr("/libtpc_rt_cuda.so\" has no symbol "
                                         "tpc_rt_device_plugin"));
  EXPECT_THAT(error(home + "/artifacts/libplugin.so"),
              AllOf(HasSubstr("\" is of tpc 0.0.1 with ABI version 99, this "
                              "runtime of tpc "),
                    HasSubstr("; install both from one build")));
}

TEST_F(Run, WhatLaunchersSay) {
  // The artifact is for the cpu: whatever is right so far fails there.
  const std::string nccl = artifact + " --comm nccl";
  expectError(
      nccl, 1,
      "use --comm local, or compile for --target cuda (this process has "
      "all ranks, since no launcher is seen: none of TPC_RANK, RANK "
      "(torchrun), OMPI_COMM_WORLD_RANK (mpirun), PMI_RANK (mpirun), "
      "SLURM_PROCID (srun) is set)");
  auto with = [&](const std::string &variables, const std::string &text) {
    SCOPED_TRACE(variables);
    Result result = run(nccl + " --deadline 0.2",
                        "env " + variables + " " + home + "/bin/tpc-run");
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.err, HasSubstr(text));
  };
  with("RANK=0", "RANK is set and WORLD_SIZE is not");
  with("RANK=2 WORLD_SIZE=2",
       "RANK: expected an integer from 0 to 1, got \"2\"");
  with("SLURM_PROCID=x SLURM_NTASKS=2",
       "SLURM_PROCID: expected an integer from 0 to 1, got \"x\"");
  with("RANK=1 WORLD_SIZE=2",
       "several processes: expected MASTER_ADDR and MASTER_PORT, where rank 0 "
       "is reached, or TPC_RENDEZVOUS, a file that all processes see");
  const std::string port = "MASTER_ADDR=127.0.0.1 MASTER_PORT=9 ";
  with(
      port + "RANK=1 WORLD_SIZE=4",
      "the artifact is compiled for 2 ranks (mesh tp=2), WORLD_SIZE (torchrun) "
      "is 4");
  with(port + "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1",
       "the artifact is compiled for 2 ranks (mesh tp=2), OMPI_COMM_WORLD_SIZE "
       "(mpirun) is 1");
  // Each launcher's own way to the port, and what is said explicitly goes
  // first.
  with(port + "RANK=1 WORLD_SIZE=2 LOCAL_RANK=0",
       "rank 1 could not reach rank 0 at 127.0.0.1:9 within 0.2 seconds: ");
  with(port + "RANK=1 WORLD_SIZE=2 TORCHELASTIC_RUN_ID=none",
       "rank 1 could not reach rank 0 at 127.0.0.1:10 within");
  with(port + "SLURM_PROCID=1 SLURM_NTASKS=2", "could not reach rank 0 at ");
  with(port + "PMI_RANK=1 PMI_SIZE=2", "could not reach rank 0 at ");
  with(port + "TPC_RANK=1 TPC_WORLD_SIZE=2 RANK=7 WORLD_SIZE=9",
       "rank 1 could not reach rank 0 at ");
  with("RANK=1 WORLD_SIZE=2 TPC_JOB=j TPC_RENDEZVOUS=" + folder + "/meet",
       "rank 1 found no rendezvous file \"" + folder + "/meet\" within 0.2");
  with("SLURM_PROCID=0 SLURM_NTASKS=2 SLURM_JOB_ID=8 SLURM_STEP_ID=1 "
       "TPC_RENDEZVOUS=" +
           writeText("old", "tpc rendezvous 1\njob  8.1\nport 1\nhost h\n"),
       "is there already, of job \"8.1\"; remove it");
  Result result =
      run(writeText("m.mlir", "model") + " --comm nccl",
          "env " + port + "RANK=1 WORLD_SIZE=2 " + home + "/bin/tpc-run");
  EXPECT_THAT(result.err, HasSubstr("in every process; compile it once with "
                                    "tpc-compile and run the artifact"));
  // Without it all processes would do the same.
  auto launched = [&](const char *variables, const std::string &what) {
    return run(what,
               std::string("env ") + variables + " " + home + "/bin/tpc-run");
  };
  result = launched("RANK=1 WORLD_SIZE=9", artifact);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err,
              HasSubstr("this is one of 9 processes, as WORLD_SIZE (torchrun) "
                        "says, and each would run all ranks: start one, or "
                        "give --comm local if that is what you want"));
  result =
      launched("RANK=1 WORLD_SIZE=9", home + "/artifacts/libartifact-cuda.so");
  EXPECT_THAT(result.err, HasSubstr("all ranks: give --comm nccl, or give"));
  result = launched("RANK=1 WORLD_SIZE=9", artifact + " --comm local");
  EXPECT_EQ(result.status, 0);
  // One process, or variables of something else.
  for (const char *variables : {"RANK=0 WORLD_SIZE=1", "RANK=me", "RANK=3",
                                "SLURM_PROCID=0 SLURM_NTASKS=4"})
    EXPECT_EQ(launched(variables, artifact).status, 0) << variables;
}

TEST_F(Run, ProcessesThatMeetAndFail) {
  const std::string each = "TPC_WORLD_SIZE=2 TPC_RENDEZVOUS=" + folder +
                           "/meet " + home + "/bin/tpc-run " + artifact +
                           " --comm nccl";
  // Rank 0 waits for rank 1 and passes on its exit status.
  Result result = run("'TPC_RANK=1 " + each + " & TPC_RANK=0 " + each +
                          "; a=$?; wait $!; "
                          "exit $((10 * a + $?))'",
                      "sh -c");
  EXPECT_EQ(result.status, 11) << result.err;
  EXPECT_THAT(result.err,
              HasSubstr("unsupported: communicator \"nccl\" between "
                        "ranks on the cpu"));
}

TEST_F(Run, DryRunsPrintTheCommandsOfARank) {
  Result result = run(artifact + " --dry-run --rank 1");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out,
            "function \"forward\" on rank 1 of 2 (mesh tp=2), target cpu\n"
            "argument \"x\" f32 [4, 3] 48 bytes\n"
            "argument \"w1\" f32 [3, 3] 36 bytes\n"
            "argument \"w2\" f32 [2, 3] 24 bytes\n"
            "result \"y\" f32 [4, 2] 32 bytes\n"
            "workspace 256 bytes\n"
            "compute: matmul f32 4 x 3 x 3: \"x\", \"w1\" -> workspace\n"
            "compute: matmul f32 4 x 2 x 3: workspace, \"w2\" -> "
            "workspace+48\n"
            "compute: all_reduce over [tp] of \"y\" (toy.py:12) 32 bytes: "
            "workspace+48 -> \"y\"\n");
  result = run(home + "/artifacts/libartifact-cuda.so --dry-run");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("recorded as a graph in the second run\n"));
  expectError(artifact + " --dry-run --rank 2", 1,
              "expected a rank below 2, got 2");
  expectError(artifact + " --rank 1", 2, "--rank needs --dry-run");
  expectError(artifact + " --dry-run --check", 2,
              "--dry-run runs nothing: --check has nothing to compare");
  expectError(artifact + " --dry-run --outputs y.npy", 2,
              "--dry-run runs nothing: --outputs has nothing to write");
  expectError(artifact + " --dry-run --profile p.json", 2,
              "--dry-run runs nothing: --profile has nothing to show");
  expectError(artifact + " --dry-run --repeat 3", 2,
              "--dry-run runs nothing: --repeat has nothing to time");
  expectError(artifact + " --dry-run -n 3", 1,
              "the artifact is compiled for 2 ranks");
  Result failing = run(artifact + " --dry-run --function fails --rank 1");
  EXPECT_EQ(failing.status, 1);
  EXPECT_THAT(failing.err,
              HasSubstr("rank 1 failed in function \"fails\": its function "
                        "returned code 42"));
}

TEST_F(Run, WrongPrograms) {
  expectError("none.so", 1,
              "cannot read the artifact \"none.so\": No such file");
  expectError(writeText("text.so", "text"), 1, "\" is not a tpc artifact: ");
  std::ostringstream whole;
  whole << std::ifstream(artifact, std::ios::binary).rdbuf();
  for (size_t bytes : {70, 2000, 9000})
    expectError(writeText("cut.so", whole.str().substr(0, bytes)), 1,
                "\" is not a tpc artifact: the file is cut short");
  expectError(
      home + "/lib/libtpc_rt.so", 1,
      "\" is not a tpc artifact: it has no symbol tpc_artifact_manifest");
  expectError(home + "/artifacts/libartifact-cuda.so", 1,
              "the artifact is compiled for CUDA and this installation has no "
              "libtpc_rt_cuda.so; build tpc with the CUDA toolkit");
  expectError(home + "/artifacts/libartifact-abi.so", 1,
              "the artifact has ABI version 99, this runtime has ABI version "
              "3; compile the model again");
  expectError(home + "/artifacts/libartifact-json.so", 1,
              "manifest: not valid JSON");
  expectError(home + "/artifacts/libartifact-symbol.so", 1,
              "the artifact has no symbol \"missing\" for its function \"f\"");
  expectError(artifact + " -n 4", 1,
              "the artifact is compiled for 2 ranks (mesh tp=2), -n is 4");
  expectError(home + "/artifacts/libartifact-first.so", 1,
              "the artifact has several functions, choose one with --function: "
              "predict, unequal, ");
  expectError(artifact + " --function backward", 1,
              "--function: expected one of forward, unequal, fails, dies, "
              "sleeps, types, got \"backward\"");
}

TEST_F(Run, WrongInputs) {
  auto with = [&](const std::string &file) {
    return artifact + " --inputs " + file;
  };
  expectError(with(writeTensors("a.safetensors", {x, w1})), 1,
              "argument \"w2\" is in no inputs file; --seed gives random "
              "values to those that are missing");
  Named other = x;
  other.shape = {3, 4};
  expectError(with(writeTensors("b.safetensors", {other, w1, w2})), 1,
              "argument \"x\": expected shape [4, 3], got [3, 4]");
  other = x;
  other.dtype = TPC_RT_F64;
  expectError(with(writeTensors("c.safetensors", {other, w1, w2})), 1,
              "argument \"x\": expected element type f32, got f64");
  std::string whole = contentOf(writeTensors("d.safetensors", {x, w1, w2}));
  expectError(
      with(writeText("e.safetensors", whole.substr(0, whole.size() - 1))), 1,
      "truncated: tensor \"w2\" ends at byte ");
  whole = contentOf(writeTensors("x.npy", {x}));
  std::string npy = writeText("y.npy", whole.substr(0, whole.size() - 1));
  expectError(artifact + " --seed 1 --inputs x=" + npy, 1,
              "truncated: shape [4, 3] of <f4 takes 48 bytes");
  expectError(with("none.safetensors"), 1, "cannot open \"none.safetensors\"");
  expectError(with(writeText("f.safetensors", "nothing of the kind")), 1,
              "not a .safetensors or .npy file");
  npy = writeTensors("v.npy", {x});
  expectError(artifact + " --seed 1 --inputs v=" + npy, 1,
              "--inputs: expected an argument of the function (x, w1, w2), "
              "got \"v\"");
  std::string header =
      R"({"x":{"dtype":"U16","shape":[4,3],"data_offsets":[0,24]}})";
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  expectError(
      artifact + " --seed 1 --inputs " +
          writeText("g.safetensors", bytes + header + std::string(24, 'x')),
      1, "argument \"x\": expected element type f32, got U16");
}

TEST_F(Run, WrongOutputs) {
  expectError(artifact + " --outputs " + folder + "/y.txt", 2,
              "--outputs: expected a file name ending in .safetensors or .npy");
  expectError(artifact + " --no-cuda-graph", 1,
              "--no-cuda-graph: the artifact is compiled for cpu");
  expectError(artifact + " --profile " + folder + "/none/p.json", 1,
              "--profile: cannot write \"" + folder + "/none/p.json\": No ");
  expectError(artifact + " --outputs " + folder + "/none/y.npy", 1,
              "cannot write ");
  expectError(artifact + " --profile " + folder + "/none/trace.json", 1,
              "cannot write ");
}

TEST_F(Run, RanksThatFail) {
  const std::string label = "all_reduce over [tp] of \"y\" (toy.py:12)";
  expectError(artifact + " --function fails", 1,
              "rank 1 did not take part in " + label +
                  ": its function returned code 42");
  expectError(artifact + " --function dies", 1,
              "rank 1 did not take part in " + label + ": its thread ended");
  expectError(artifact + " --function sleeps --deadline 0.3", 1,
              "rank 0 waited 0.3 seconds for rank 1 in " + label);
}

TEST_F(Run, CheckAgainstReference) {
  Result result = run(artifact + " --check --function forward");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("check y: largest error "));
  EXPECT_THAT(result.out, HasSubstr("; within tolerance"));
  std::string inputs = writeTensors("in.safetensors", {x, w1, w2});
  result = run(artifact + " --check --inputs " + inputs);
  EXPECT_THAT(result.out, HasSubstr("check y: largest error 0 absolute, 0 "
                                    "relative; within tolerance"));
  result =
      run(home + "/artifacts/libartifact-wrong.so --check --inputs " + inputs);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("BEYOND TOLERANCE"));
  EXPECT_EQ(result.err, "tpc-run: error: --check: results differ from the "
                        "one-device program\n");
}

TEST_F(Run, CheckThatCannotBeDone) {
  expectError(artifact + " --check --function unequal", 1,
              "result \"y\": ranks 0 and 1 hold replicas that differ, first "
              "at [2, 1]");
  expectError(artifact + " --check --function types", 1,
              "the reference program has no function \"types\"");
  expectError(home + "/artifacts/libartifact-renamed.so --check", 1,
              "the reference program has no result \"y\"");
  expectError(home + "/artifacts/libartifact-reshaped.so --check", 1,
              "the reference program has another type for result \"y\"");
  setenv("TMPDIR", "/nowhere", 1);
  expectError(artifact, 1, "cannot make the folder /nowhere/tpc-run-");
  unsetenv("TMPDIR");
  expectError(home + "/artifacts/libartifact-bare.so --check", 1,
              "--check: the artifact carries no reference program");
}

TEST_F(Run, ModelsAreCompiledFirst) {
  Result result = run("--mesh tp=2 " + writeText("m.mlir", "parallel") +
                      " -n 2 --place 'x=R' --report --seed 4");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("compiles with: --mesh tp=2 --place x=R "
                                     "--report -o OUT\ny: f32 "));
  result = run(writeText("m.mlir", "broken"));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, StartsWith("error: broken\ntpc-run: error: "
                                     "tpc-compile failed on "));
  EXPECT_EQ(run(writeText("m.mlir", "usage")).status, 2);
  EXPECT_THAT(run(writeText("m.mlir", "killed")).err,
              HasSubstr("tpc-compile was ended by signal 9"));
  result = run(writeText("m.mlir", "model"), home + "/lonely/tpc-run");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot run \"tpc-compile\", which "
                                    "compiles "));
}

TEST_F(Run, ExecutableThatCarriesItsArtifact) {
  std::string inputs = writeTensors("in.safetensors", {x, w1, w2});
  Result result = run("--inputs " + inputs + " -n 2", home + "/bin/linked");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "y: f32 [4, 2] []: 63 39 162 102 261 165 ...\n");
  result = run("--wrong", home + "/bin/linked");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("unknown option \"--wrong\""));
}
