// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides what the command line of tpc-compile means, and what is wrong usage.

#include "Options.h"
#include "tpc/Support/CostModel.h"
#include "tpc/Target/DeviceCode.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tpc;

namespace {

/// LLVM's libraries bring options of their own, some with the names of ours.
/// None of them is for our users; only help and version stay.
void dropForeignOptions() {
  SmallVector<cl::Option *> foreign;
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (name != "help" && name != "help-list" && name != "version")
      foreign.push_back(option);
  for (cl::Option *option : foreign)
    option->removeArgument();
}

struct CommandLine {
  cl::OptionCategory program{"What to compile"};
  cl::OptionCategory plan{"How to plan"};
  cl::OptionCategory result{"What to write"};

  cl::opt<std::string> input{cl::Positional, cl::desc("model.mlir"),
                             cl::value_desc("FILE"), cl::cat(program)};
  cl::opt<std::string> mesh{"mesh",
                            cl::desc("Axes of the mesh and their sizes"),
                            cl::value_desc("NAME=SIZE,..."), cl::cat(program)};
  cl::list<std::string> place{
      "place",
      cl::desc("How arguments, results and gradients are stored; R alone: "
               "replicated. May be repeated, a later one wins"),
      cl::value_desc("GLOB=AXIS:P,..."), cl::cat(program)};
  cl::list<std::string> use{
      "use",
      cl::desc("How arguments are used, where that differs "
               "from how they are stored"),
      cl::value_desc("GLOB=AXIS:P,..."), cl::cat(program)};
  cl::list<std::string> grad{
      "grad",
      cl::desc("What to differentiate by: params, inputs, all or a name"),
      cl::value_desc("params|inputs|all|GLOB"), cl::cat(program)};
  cl::opt<std::string> accumulate{
      "accumulate",
      cl::desc("Run in a loop over K microbatches and reduce gradients behind "
               "it; of the named inputs, or of all that are no parameters"),
      cl::value_desc("K|K:GLOB,..."), cl::cat(program)};

  cl::opt<std::string> objective{
      "objective", cl::desc("What the plan minimises"),
      cl::value_desc("time|bytes|count"), cl::init("time"), cl::cat(plan)};
  cl::opt<std::string> targetSpec{
      "target-spec",
      cl::desc("The machine to plan for: cpu, h100, h200, a100 or a "
               "JSON file; unless given, cpu or h100 as --target has it"),
      cl::value_desc("SPEC"), cl::init("cpu"), cl::cat(plan)};

  cl::opt<std::string> bucket{
      "bucket",
      cl::desc("What travels together: the gathers and gradients of a block of "
               "the model, or each parameter alone"),
      cl::value_desc("block|parameter"), cl::init("block"), cl::cat(plan)};
  cl::opt<std::string> gatherReuse{
      "gather-reuse",
      cl::desc("Parameters that are gathered to be used: keep them for the "
               "backward pass, regather them there and in every loop, or "
               "(auto) as many as --memory-budget takes"),
      cl::value_desc("keep|regather|auto"), cl::init("keep"), cl::cat(plan)};
  cl::opt<std::string> memoryBudget{
      "memory-budget",
      cl::desc("Memory of one rank that the plan must fit, by its estimate; "
               "with K, M or G for 2^10, 2^20 or 2^30. Means "
               "--gather-reuse=auto"),
      cl::value_desc("BYTES"), cl::cat(plan)};
  cl::opt<std::string> planIn{
      "plan-in", cl::desc("Follow this plan instead of choosing one"),
      cl::value_desc("FILE"), cl::cat(plan)};
  cl::opt<std::string> planOut{"plan-out", cl::desc("Write the plan here"),
                               cl::value_desc("FILE"), cl::cat(plan)};

  cl::opt<std::string> target{"target", cl::desc("What to compile for"),
                              cl::value_desc("cpu|cuda"), cl::init("cpu"),
                              cl::cat(result)};
  cl::opt<bool> tf32{"tf32",
                     cl::desc("With --target cuda: products of f32 may round "
                              "their factors to TF32"),
                     cl::cat(result)};
  cl::list<std::string> gpuArch{
      "gpu-arch", cl::CommaSeparated,
      cl::desc("With --target cuda: the processors to make code for, and PTX "
               "of the newest; unless given, sm_80, sm_90 and sm_100 as far as "
               "ptxas knows them; host: functions of the process, for tests "
               "without a GPU"),
      cl::value_desc("sm_NN,..."), cl::cat(result)};
  cl::opt<std::string> cudaPath{
      "cuda-path",
      cl::desc("Where the CUDA toolkit is; unless given, where CUDA_HOME, "
               "CUDA_PATH or PATH have it, or /usr/local/cuda"),
      cl::value_desc("DIR"), cl::cat(result)};
  cl::opt<std::string> attention{
      "attention",
      cl::desc("With --target cuda, attention as calls of cuDNN: auto (where "
               "it can, if tpc was built with it), fused (or it is an error), "
               "unfused"),
      cl::value_desc("MODE"), cl::init("auto"), cl::cat(result)};
  cl::opt<std::string> cpu{
      "mcpu",
      cl::desc("The processor to compile for; native: this "
               "machine's"),
      cl::value_desc("NAME"), cl::init("native"), cl::cat(result)};
  cl::opt<std::string> output{"o", cl::desc("Where to write the artifact"),
                              cl::value_desc("FILE"), cl::cat(result)};
  cl::opt<std::string> emit{
      "emit",
      cl::desc("Form of the artifact: lib (shared library), obj, exe, llvm "
               "(text), ptx (text of the device's part)"),
      cl::value_desc("lib|obj|exe|llvm|ptx"), cl::init("lib"), cl::cat(result)};
  cl::opt<std::string> stopAfter{
      "stop-after",
      cl::desc("Print the program as it is behind a stage, and stop"),
      cl::value_desc("STAGE"), cl::cat(result)};
  cl::opt<std::string> report{
      "report", cl::desc("Print the collective report to stdout"),
      cl::value_desc("text|json"), cl::ValueOptional, cl::cat(result)};
  cl::opt<bool> trace{"trace",
                      cl::desc("With --report: shapes and placements of every "
                               "operation"),
                      cl::cat(result)};
  cl::opt<bool> timing{
      "timing",
      cl::desc("Print the seconds of every stage to stderr as a "
               "line of JSON"),
      cl::cat(result)};
};

[[noreturn]] void usage(const Twine &message) {
  errs() << "tpc-compile: " << message << "\n";
  exit(2);
}

/// Entries joined for a pass option; ';' is what separates them there.
std::string joinEntries(ArrayRef<std::string> entries, StringRef flag) {
  for (StringRef entry : entries)
    if (entry.contains(';'))
      usage(flag + ": expected no ';' in '" + entry + "'; repeat the flag");
  return join(entries, ";");
}

/// K or K:GLOB,...
void parseAccumulate(StringRef text, PipelineOptions &options) {
  auto [number, inputs] = text.split(':');
  if (number.getAsInteger(10, options.microbatches) ||
      options.microbatches < 1 || (text.contains(':') && inputs.empty()))
    usage("--accumulate: expected K or K:GLOB,... with K at least 1, got '" +
          text + "'");
  options.batchInputs = inputs.str();
}

/// Sets what --gather-reuse and --memory-budget say together.
void parseMemory(const CommandLine &line, PipelineOptions &options) {
  options.gatherReuse = line.gatherReuse;
  if (!is_contained(ArrayRef<StringRef>{"keep", "regather", "auto"},
                    StringRef(line.gatherReuse)))
    usage("--gather-reuse: expected keep, regather or auto, got '" +
          line.gatherReuse + "'");
  if (!line.memoryBudget.getNumOccurrences()) {
    if (line.gatherReuse == "auto")
      usage("--gather-reuse=auto needs --memory-budget BYTES");
    return;
  }
  if (line.gatherReuse.getNumOccurrences() && line.gatherReuse != "auto")
    usage("--memory-budget needs --gather-reuse=auto, got " + line.gatherReuse);
  options.gatherReuse = "auto";
  StringRef text = line.memoryBudget;
  unsigned shift = StringSwitch<unsigned>(text.take_back())
                       .Case("K", 10)
                       .Case("M", 20)
                       .Case("G", 30)
                       .Default(0);
  int64_t number;
  if ((shift ? text.drop_back() : text).getAsInteger(10, number) ||
      number <= 0 || number > std::numeric_limits<int64_t>::max() >> shift)
    usage("--memory-budget: expected a positive number of bytes, as 1048576, "
          "1024K, 1M or 1G, got '" +
          line.memoryBudget + "'");
  options.memoryBudget = number << shift;
}

/// Sets what --target and the flags that go with it say.
void parseTarget(const CommandLine &line, CompileOptions &options) {
  if (line.target != "cpu" && line.target != "cuda")
    usage("--target: expected cpu or cuda, got '" + line.target + "'");
  bool isCuda = line.target == "cuda";
  options.pipeline.target = line.target;
  if (isCuda && !line.targetSpec.getNumOccurrences())
    options.pipeline.targetSpec = "h100";
  for (StringRef arch : line.gpuArch) {
    if (!is_contained(deviceArchs(), arch))
      usage("--gpu-arch: expected names among " + join(deviceArchs(), ", ") +
            ", got '" + arch + "'");
    options.device.archs.push_back(arch.str());
    options.pipeline.hostImage |= arch == "host";
  }
  options.pipeline.sharedLimit = sharedMemoryLimit(options.device.archs);
  if (isCuda)
    options.pipeline.productWorkspace =
        productWorkspaceBytes(options.device.archs);
  options.device.cudaPath = line.cudaPath;
  if (!isCuda && line.gpuArch.getNumOccurrences())
    usage("--gpu-arch needs --target cuda");
  if (!isCuda && line.cudaPath.getNumOccurrences())
    usage("--cuda-path needs --target cuda");
}

} // namespace

CompileOptions tpc::parseCommandLine(int argc, char **argv) {
  dropForeignOptions();
  CommandLine line;
  std::string errors;
  raw_string_ostream errorStream(errors);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "compiles a model for one device into a program for a mesh of "
          "ranks\n",
          &errorStream)) {
    errs() << errors;
    exit(2);
  }

  CompileOptions options;
  if (line.input.empty())
    usage("expected a model file; see tpc-compile --help");
  options.input = line.input;
  options.output = line.output;
  options.cpu = line.cpu;
  options.trace = line.trace;
  options.timing = line.timing;
  options.pipeline.mesh = line.mesh;
  options.pipeline.place = joinEntries(line.place, "--place");
  options.pipeline.use = joinEntries(line.use, "--use");
  options.pipeline.grad = joinEntries(line.grad, "--grad");
  options.pipeline.objective = line.objective;
  options.pipeline.targetSpec = line.targetSpec;
  options.pipeline.planIn = line.planIn;
  options.pipeline.planOut = line.planOut;

  if (line.accumulate.getNumOccurrences())
    parseAccumulate(line.accumulate, options.pipeline);
  options.pipeline.bucket = line.bucket;
  if (line.bucket != "block" && line.bucket != "parameter")
    usage("--bucket: expected block or parameter, got '" + line.bucket + "'");
  if (!parseObjective(line.objective))
    usage("--objective: expected time, bytes or count, got '" + line.objective +
          "'");
  parseMemory(line, options.pipeline);
  parseTarget(line, options);
  options.pipeline.tf32 = line.tf32;
  options.pipeline.attention = line.attention;
  options.pipeline.hasAttentionLibrary = TPC_HAS_ATTENTION;
  if (line.attention != "auto" && line.attention != "fused" &&
      line.attention != "unfused")
    usage("--attention: expected auto, fused or unfused, got '" +
          line.attention + "'");
  if (line.attention.getNumOccurrences() && line.target != "cuda")
    usage("--attention needs --target cuda");
  if (line.tf32 && line.target != "cuda")
    usage("--tf32 needs --target cuda");
  if (line.report.getNumOccurrences()) {
    if (line.report == "json")
      options.report = CompileOptions::Report::Json;
    else if (line.report == "text" || line.report.empty())
      options.report = CompileOptions::Report::Text;
    else
      usage("--report: expected text or json, got '" + line.report + "'");
  }
  if (line.trace && options.report == CompileOptions::Report::None)
    usage("--trace needs --report");
  if (line.emit == "lib")
    options.emit = CompileOptions::Emit::Library;
  else if (line.emit == "obj")
    options.emit = CompileOptions::Emit::Object;
  else if (line.emit == "exe")
    options.emit = CompileOptions::Emit::Executable;
  else if (line.emit == "llvm")
    options.emit = CompileOptions::Emit::LLVMIR;
  else if (line.emit == "ptx")
    options.emit = CompileOptions::Emit::PTX;
  else
    usage("--emit: expected lib, obj, exe, llvm or ptx, got '" + line.emit +
          "'");
  if (line.emit == "ptx" && line.target != "cuda")
    usage("--emit=ptx needs --target cuda");
  if (line.emit.getNumOccurrences() && line.output.empty())
    usage("--emit needs -o FILE");
  if (line.stopAfter.getNumOccurrences()) {
    options.stopAfter = parseStage(line.stopAfter);
    if (!options.stopAfter) {
      std::string names;
      for (Stage stage : allStages())
        names += (names.empty() ? "" : ", ") + stageName(stage).str();
      usage("--stop-after: expected one of " + names + ", got '" +
            line.stopAfter + "'");
    }
    if (options.report != CompileOptions::Report::None)
      usage("--stop-after prints the program where --report prints the "
            "report; "
            "give one of them");
  }
  // Pricing the next best plans is worth its time only where it is shown.
  options.pipeline.alternatives =
      options.report != CompileOptions::Report::None;
  return options;
}
