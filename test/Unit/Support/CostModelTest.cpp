// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Costs add and compare as integers; machine descriptions read and written.

#include "tpc/Support/CostModel.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace tpc;

static const char *good = R"({
  "name": "toy",
  "peak_flops": {"f64": 1e9, "f32": 2e9, "f16": 4e9, "bf16": 4e9, "int": 1e9},
  "memory_bandwidth": 1e9, "launch_overhead": 1e-6,
  "link": {"latency": 1e-5, "bandwidth": 1e8},
  "axes": {"dp": {"latency": 1e-4, "bandwidth": 1e7}}
})";

static std::string problem(llvm::StringRef text) {
  llvm::Expected<MachineDescription> machine =
      MachineDescription::parse(text, "toy.json");
  return machine ? "" : llvm::toString(machine.takeError());
}

static std::string withChange(llvm::StringRef before, llvm::StringRef after) {
  std::string text = good;
  size_t at = text.find(before.str());
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, before.size(), after.str());
}

TEST(Cost, ComparesFromTheFirstNumber) {
  Cost a{{1, 9, 9}}, b{{2, 0, 0}}, c{{1, 9, 10}};
  EXPECT_TRUE(a < b);
  EXPECT_TRUE(a < c);
  EXPECT_FALSE(c < a);
  EXPECT_EQ(a + b, (Cost{{3, 9, 9}}));
}

TEST(Cost, InfinityAbsorbs) {
  EXPECT_TRUE((Cost::infinity() + Cost{{1, 2, 3}}).isInfinite());
  EXPECT_TRUE((Cost::infinity() + Cost::infinity()).isInfinite());
  EXPECT_FALSE(Cost().isInfinite());
  EXPECT_TRUE((Cost{{1, 2, 3}} < Cost::infinity()));
}

TEST(Cost, TimesCountsRunsOfALoop) {
  EXPECT_EQ((Cost{{1, 2, 3}} * 7), (Cost{{7, 14, 21}}));
  EXPECT_EQ((Cost{{1, 2, 3}} * 0), Cost());
  EXPECT_TRUE((Cost::infinity() * 0).isInfinite());
  // Too much to count can still be done.
  int64_t many = int64_t(1) << 40;
  EXPECT_FALSE((Cost{{many, many, many}} * many).isInfinite());
  EXPECT_TRUE((Cost{{many, 0, 0}} * 7 < Cost{{many, 0, 0}} * many));
}

TEST(Cost, ObjectivesOrderTheSameNumbers) {
  EXPECT_EQ(makeCost(Objective::Time, 2e-6, 100, 1), (Cost{{2000000, 0, 0}}));
  EXPECT_EQ(makeCost(Objective::Bytes, 2e-6, 100, 1),
            (Cost{{100, 2000000, 0}}));
  EXPECT_EQ(makeCost(Objective::Count, 2e-6, 100, 1),
            (Cost{{1, 100, 2000000}}));
  EXPECT_EQ(makeComputeCost(Objective::Bytes, 1e-12), (Cost{{0, 1, 0}}));
  EXPECT_FALSE(makeCost(Objective::Time, 1e300, 0, 0).isInfinite());
}

TEST(Cost, ObjectiveNames) {
  for (Objective objective :
       {Objective::Time, Objective::Bytes, Objective::Count})
    EXPECT_EQ(parseObjective(stringify(objective)), objective);
  EXPECT_FALSE(parseObjective("speed"));
}

TEST(Machine, ComputeIsTheSlowerOfArithmeticAndMemory) {
  MachineDescription toy =
      llvm::cantFail(MachineDescription::parse(good, "toy"));
  EXPECT_DOUBLE_EQ(toy.computeSeconds(2e9, 8, ComputeClass::F32), 1 + 1e-6);
  EXPECT_DOUBLE_EQ(toy.computeSeconds(2e9, 8, ComputeClass::F64), 2 + 1e-6);
  EXPECT_DOUBLE_EQ(toy.computeSeconds(1, 1000000000, ComputeClass::F32),
                   1 + 1e-6);
}

TEST(Machine, StepsPayLatencyAndBandwidthOfTheSlowestAxis) {
  MachineDescription toy =
      llvm::cantFail(MachineDescription::parse(good, "toy"));
  Mesh mesh = llvm::cantFail(Mesh::parse("dp=2,tp=2,one=1"));
  auto seconds = [&](llvm::StringRef from, llvm::StringRef to) {
    llvm::SmallVector<int64_t> shape = {1000, 1000};
    std::optional<Step> step =
        classifyStep(mesh, shape, llvm::cantFail(Placement::parse(from, mesh)),
                     llvm::cantFail(Placement::parse(to, mesh)));
    return toy.stepSeconds(mesh, shape, 1, *step);
  };
  EXPECT_DOUBLE_EQ(seconds("tp:S(0)", ""), 1e-5 + 500000 / 1e8);
  EXPECT_DOUBLE_EQ(seconds("dp:S(0)", ""), 1e-4 + 500000 / 1e7);
  EXPECT_DOUBLE_EQ(seconds("dp:S(0),tp:S(1)", ""), 1e-4 + 750000 / 1e7);
  // Two peers.
  EXPECT_DOUBLE_EQ(seconds("dp:S(0),tp:S(0)", "tp:S(0)"), 2e-4 + 500000 / 1e7);
  // Local steps, and a group of one: a kernel.
  EXPECT_DOUBLE_EQ(seconds("", "tp:S(0)"), 1e-6 + 1000000 / 1e9);
  EXPECT_DOUBLE_EQ(seconds("one:P(sum)", ""), 1e-6 + 2000000 / 1e9);
  EXPECT_FALSE(toy.isUniform(mesh));
  toy.axisLinks.clear();
  EXPECT_TRUE(toy.isUniform(mesh));
}

TEST(Machine, PresetsRoundTripThroughJson) {
  for (llvm::StringRef name : MachineDescription::presetNames()) {
    MachineDescription machine = *MachineDescription::preset(name);
    machine.axisLinks["dp"] = {1e-3, 5e8};
    std::string text = llvm::formatv("{0:2}", machine.toJson());
    MachineDescription again =
        llvm::cantFail(MachineDescription::parse(text, name));
    EXPECT_EQ(again.toJson(), machine.toJson());
    EXPECT_EQ(again.name, name);
  }
  EXPECT_FALSE(MachineDescription::preset("abacus"));
}

TEST(Machine, LoadsFilesAndPresets) {
  EXPECT_EQ(llvm::cantFail(MachineDescription::load("h100")).name, "h100");
  llvm::SmallString<128> path;
  int file = -1;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("machine", "json", file, path));
  {
    llvm::raw_fd_ostream out(file, /*shouldClose=*/true);
    out << good;
  }
  EXPECT_EQ(llvm::cantFail(MachineDescription::load(path)).name, "toy");
  llvm::sys::fs::remove(path);
  EXPECT_EQ(
      llvm::toString(MachineDescription::load("abacus").takeError()),
      "expected a machine description, one of a100, cpu, h100, h200 or a JSON "
      "file, got \"abacus\": No such file or directory");
}

TEST(Machine, SaysWhatIsWrong) {
  EXPECT_EQ(problem(good), "");
  EXPECT_EQ(problem("[1]"), "toy.json: expected a JSON object");
  EXPECT_EQ(problem("{"), "toy.json: [1:1, byte=1]: Expected object key");
  EXPECT_EQ(problem(withChange("\"name\": \"toy\"", "\"name\": 1")),
            "toy.json: expected a string in \"name\"");
  EXPECT_EQ(problem(withChange("\"f32\": 2e9, ", "")),
            "toy.json: expected a number in \"peak_flops.f32\"");
  EXPECT_EQ(problem(withChange("\"f32\": 2e9", "\"f32\": 0")),
            "toy.json: expected a number above 0 in \"peak_flops.f32\", got "
            "0.00");
  EXPECT_EQ(problem(withChange("1e-6", "-1")),
            "toy.json: expected a number not below 0 in \"launch_overhead\", "
            "got -1.00");
  EXPECT_EQ(problem(withChange("\"int\"", "\"int4\"")),
            "toy.json: expected a number in \"peak_flops.int\"");
  EXPECT_EQ(problem(withChange("\"name\"", "\"color\": 1, \"name\"")),
            "toy.json: unknown field \"color\"");
  EXPECT_EQ(problem(withChange("{\"latency\": 1e-5, \"bandwidth\": 1e8}", "7")),
            "toy.json: expected an object in \"link\"");
  EXPECT_EQ(problem(withChange("\"bandwidth\": 1e7", "\"bandwith\": 1e7")),
            "toy.json: unknown field \"axes.dp.bandwith\"");
}
