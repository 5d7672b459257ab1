// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes pipelines from the order of stages.

#include "tpc/Pipeline/Pipeline.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "tpc/Autodiff/Passes.h"
#include "tpc/Import/Passes.h"
#include "tpc/Lower/Passes.h"
#include "tpc/Partition/Passes.h"
#include "tpc/Place/Passes.h"
#include "tpc/Plan/Passes.h"
#include "tpc/Redistribute/Passes.h"
#include "tpc/Schedule/Passes.h"

using namespace mlir;
using namespace tpc;

ArrayRef<Stage> tpc::allStages() {
  static const Stage stages[] = {
#define TPC_STAGE(ENUM, NAME, MEANING) Stage::ENUM,
#include "tpc/Pipeline/Stages.def"
  };
  return stages;
}

StringRef tpc::stageName(Stage stage) {
  switch (stage) {
#define TPC_STAGE(ENUM, NAME, MEANING)                                         \
  case Stage::ENUM:                                                            \
    return NAME;
#include "tpc/Pipeline/Stages.def"
  }
  llvm_unreachable("covered switch");
}

StringRef tpc::stageMeaning(Stage stage) {
  switch (stage) {
#define TPC_STAGE(ENUM, NAME, MEANING)                                         \
  case Stage::ENUM:                                                            \
    return MEANING;
#include "tpc/Pipeline/Stages.def"
  }
  llvm_unreachable("covered switch");
}

std::optional<Stage> tpc::parseStage(StringRef name) {
  for (Stage stage : allStages())
    if (stageName(stage) == name)
      return stage;
  return std::nullopt;
}

void tpc::buildStagePipeline(OpPassManager &pm, Stage stage,
                             const PipelineOptions &options) {
  switch (stage) {
  case Stage::Import:
    buildImportPipeline(pm);
    return;
  case Stage::Place: {
    ApplyPlacementsPassOptions place;
    place.mesh = options.mesh;
    place.place = options.place;
    place.use = options.use;
    place.grad = options.grad;
    pm.addPass(createApplyPlacementsPass(place));
    return;
  }
  case Stage::Autodiff:
    buildAutodiffPipeline(pm, options.microbatches, options.batchInputs);
    return;
  case Stage::Plan: {
    // First: the planner sees which moves are to be shared.
    RegatherParametersPassOptions regather;
    regather.reuse = options.gatherReuse;
    regather.memoryBudget = options.memoryBudget;
    regather.objective = options.objective;
    regather.targetSpec = options.targetSpec;
    regather.productWorkspace = options.productWorkspace;
    pm.addPass(createRegatherParametersPass(regather));
    PlanPlacementsPassOptions plan;
    plan.objective = options.objective;
    plan.targetSpec = options.targetSpec;
    plan.productWorkspace = options.productWorkspace;
    plan.alternatives = options.alternatives;
    plan.planIn = options.planIn;
    plan.planOut = options.planOut;
    pm.addPass(createPlanPlacementsPass(plan));
    // Two uses of one constant in one placement share it again.
    pm.addPass(createCSEPass());
    pm.addPass(createVerifyPlacementsPass());
    return;
  }
  case Stage::Redistribute: {
    LowerRedistributesPassOptions redistribute;
    redistribute.objective = options.objective;
    redistribute.targetSpec = options.targetSpec;
    // First: it may ask for redistributes.
    pm.addPass(createExpandDataMovementPass());
    pm.addPass(createLowerRedistributesPass(redistribute));
    // Identical collectives become one.
    pm.addPass(createCSEPass());
    pm.addPass(createVerifyPlacementsPass());
    return;
  }
  case Stage::Partition:
    pm.addPass(createPartitionPass());
    // Encodings are gone: upstream's clean-up is safe again. A branch that only
    // chooses stays one: a select on tensors would compute both sides.
    pm.addPass(createCanonicalizerPass(
        GreedyRewriteConfig(),
        {"(anonymous namespace)::ConvertTrivialIfToSelect"}));
    pm.addPass(createCSEPass());
    return;
  case Stage::Schedule:
    pm.addPass(createBucketCollectivesPass({options.bucket}));
    return;
  case Stage::Lower:
    buildLowerPipeline(pm,
                       {options.target, options.tf32, options.productWorkspace,
                        options.hostImage, options.attention,
                        options.hasAttentionLibrary, options.sharedLimit});
    return;
  }
}

void tpc::buildPipeline(OpPassManager &pm, Stage last,
                        const PipelineOptions &options) {
  for (Stage stage : allStages()) {
    buildStagePipeline(pm, stage, options);
    if (stage == last)
      return;
  }
}

namespace {
struct TextOptions : public PassPipelineOptions<TextOptions> {
  Option<std::string> mesh{*this, "mesh", llvm::cl::desc("NAME=SIZE,..."),
                           llvm::cl::init("")};
  Option<std::string> place{*this, "place",
                            llvm::cl::desc("GLOB=axis:P,...;GLOB=..."),
                            llvm::cl::init("")};
  Option<std::string> use{*this, "use",
                          llvm::cl::desc("GLOB=axis:P,...;GLOB=..."),
                          llvm::cl::init("")};
  Option<std::string> grad{*this, "grad",
                           llvm::cl::desc("params, inputs, all or GLOBs"),
                           llvm::cl::init("")};
  Option<int64_t> accumulate{*this, "accumulate",
                             llvm::cl::desc("number of microbatches"),
                             llvm::cl::init(1)};
  Option<std::string> batchInputs{
      *this, "batch-inputs",
      llvm::cl::desc("GLOB,... of the inputs with a batch"),
      llvm::cl::init("")};
  Option<std::string> bucket{*this, "bucket",
                             llvm::cl::desc("block or parameter"),
                             llvm::cl::init("block")};
  Option<std::string> objective{*this, "objective",
                                llvm::cl::desc("time, bytes or count"),
                                llvm::cl::init("time")};
  Option<std::string> targetSpec{*this, "target-spec",
                                 llvm::cl::desc("preset or JSON file"),
                                 llvm::cl::init("cpu")};
  Option<std::string> target{*this, "target", llvm::cl::desc("cpu or cuda"),
                             llvm::cl::init("cpu")};
  Option<bool> tf32{*this, "tf32",
                    llvm::cl::desc("products of f32 may use TF32"),
                    llvm::cl::init(false)};
  Option<bool> hostImage{*this, "host-image",
                         llvm::cl::desc("kernels also as host functions"),
                         llvm::cl::init(false)};
  Option<std::string> attention{*this, "attention",
                                llvm::cl::desc("auto, fused or unfused"),
                                llvm::cl::init("auto")};
  Option<int64_t> sharedLimit{*this, "shared-limit",
                              llvm::cl::desc("shared memory of a block"),
                              llvm::cl::init(163 << 10)};
  Option<std::string> gatherReuse{*this, "gather-reuse",
                                  llvm::cl::desc("keep, regather or auto"),
                                  llvm::cl::init("keep")};
  Option<int64_t> memoryBudget{*this, "memory-budget",
                               llvm::cl::desc("bytes of one rank, with auto"),
                               llvm::cl::init(0)};

  PipelineOptions get() const {
    PipelineOptions options;
    options.mesh = mesh;
    options.place = place;
    options.use = use;
    options.grad = grad;
    options.microbatches = accumulate;
    options.batchInputs = batchInputs;
    options.bucket = bucket;
    options.objective = objective;
    options.targetSpec = targetSpec;
    options.target = target;
    options.tf32 = tf32;
    options.hostImage = hostImage;
    options.attention = attention;
    options.sharedLimit = sharedLimit;
    options.gatherReuse = gatherReuse;
    options.memoryBudget = memoryBudget;
    return options;
  }
};
} // namespace

void tpc::registerPipelines() {
  for (Stage stage : allStages()) {
    std::string name = ("tpc-" + stageName(stage)).str();
    std::string text =
        ("The " + stageName(stage) + " stage: ensures " + stageMeaning(stage))
            .str();
    PassPipelineRegistration<TextOptions>(
        name, text, [stage](OpPassManager &pm, const TextOptions &options) {
          buildStagePipeline(pm, stage, options.get());
        });
  }
  PassPipelineRegistration<TextOptions>(
      "tpc-all", "All stages in order",
      [](OpPassManager &pm, const TextOptions &options) {
        buildPipeline(pm, allStages().back(), options.get());
      });
}
