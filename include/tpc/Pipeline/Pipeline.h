// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages, their order, and the passes each is made of.
#ifndef TPC_PIPELINE_PIPELINE_H
#define TPC_PIPELINE_PIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>

namespace tpc {

enum class Stage {
#define TPC_STAGE(ENUM, NAME, MEANING) ENUM,
#include "tpc/Pipeline/Stages.def"
};

/// All stages in order.
llvm::ArrayRef<Stage> allStages();
/// `import`, `place`, ...
llvm::StringRef stageName(Stage stage);
/// What holds behind the stage, in a few words.
llvm::StringRef stageMeaning(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);

/// What a user may say about a compilation, as far as passes need it.
struct PipelineOptions {
  /// NAME=SIZE,NAME=SIZE.
  std::string mesh;
  /// GLOB=axis:P,axis:P; entries separated by ';'.
  std::string place, use;
  /// params, inputs, all or GLOBs; separated by ';'.
  std::string grad;
  /// The number of microbatches, and the inputs they are of: GLOBs separated
  /// by ','; empty for all that are no parameters.
  int64_t microbatches = 1;
  std::string batchInputs;
  std::string objective = "time";
  std::string targetSpec = "cpu";
  /// keep, regather or auto; with auto, the bytes of one rank to fit.
  std::string gatherReuse = "keep";
  int64_t memoryBudget = 0;
  /// Price the next best plan of every redistribute, for the report.
  bool alternatives = false;
  /// What travels together of the gathers and gradients of parameters: `block`
  /// or `parameter`.
  std::string bucket = "block";
  /// What kernels are made for: cpu or cuda.
  std::string target = "cpu";
  /// On cuda: products of f32 may round their factors to TF32.
  bool tf32 = false;
  /// On cuda: bytes of memory that the matrix library may use for a product.
  int64_t productWorkspace = 0;
  /// For cuda: kernels also as functions of the host, for tests.
  bool hostImage = false;
  /// On cuda: whether attentions are calls of a library: auto, fused, unfused.
  std::string attention = "auto";
  /// For auto: the library is part of this build.
  bool hasAttentionLibrary = false;
  /// On cuda: bytes of shared memory that a block of a kernel may have.
  int64_t sharedLimit = 163 << 10;
  /// Files: a plan to follow, and where to write the plan.
  std::string planIn, planOut;
};

/// Appends the passes of one stage.
void buildStagePipeline(mlir::OpPassManager &pm, Stage stage,
                        const PipelineOptions &options);
/// Appends all stages up to and including `last`.
void buildPipeline(mlir::OpPassManager &pm, Stage last,
                   const PipelineOptions &options);
/// Registers `tpc-<stage>` and `tpc-all` for tpc-opt.
void registerPipelines();

} // namespace tpc

#endif // TPC_PIPELINE_PIPELINE_H
