// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the lower stage, in the order in which they run.

#ifndef TPC_LOWER_PASSES_TD
#define TPC_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def NumberCollectivesPass
    : Pass<"tp-number-collectives", "::mlir::ModuleOp"> {
  let summary = "Number the collectives of a module in program order.";
  let description = [{
    Sets `tp.index` on every collective and local step: its place in the
    manifest's list, which compiled code names it by. All ranks run the same
    program, so the numbers agree. Numbers that are there already are kept.
  }];
}

def PackContractionsPass
    : Pass<"tp-pack-contractions", "::mlir::func::FuncOp"> {
  let summary = "Give contractions operands that one matmul call can take.";
  let description = [{
    Named linalg operations become generics (fills stay). A contraction whose
    operands' layouts no matmul call can express, for example two summed dims in
    different orders, gets copies of the smallest set of operands in a layout
    that it can; operands of a narrower float type than the sum's are widened.
    Products that are too small for a call are left alone.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def FuseElementwisePass
    : Pass<"tp-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Fuse elementwise linalg operations into their consumers.";
  let description = [{
    Fills and splat constants become scalars of the generics that read them, and
    an elementwise producer moves into its consumer when this is its only
    consumer and computes no more points, or when the body is cheap: no
    divisions or transcendental functions and at most `max-duplicated-ops`
    operations. Nothing is fused into a contraction, which stays one for the
    matmul call.
  }];
  let options = [
    Option<"maxDuplicatedOps", "max-duplicated-ops", "unsigned", "4",
           "most operations of a body computed again in each consumer">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect"];
}

def SplitReductionsPass
    : Pass<"tp-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Split long reductions with few results for the threads.";
  let description = [{
    A reduction over many elements to few results becomes two: parts of the
    reduced dim first, each with its own results, then the join of the parts.
    How many parts depends on the shape alone, so that results do not depend on
    the number of threads.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def LowerToRuntimePass
    : Pass<"tp-lower-to-runtime", "::mlir::ModuleOp"> {
  let summary = "Turn tensor programs into runtime calls and kernels.";
  let description = [{
    Each function becomes `tpc_fn_NAME` of the artifact ABI: a straight line of
    matmul, kernel and collective calls on buffers. Every tensor gets its place
    first (an argument's or a result's buffer, a constant, or a part of the one
    workspace), then the calls are written. Kernels are functions over a range
    of their outermost parallel loops; structurally equal ones exist once.
    `tp.workspace_bytes` on the function holds the size of the workspace.

    Constraints: [L1] types are static and without encoding; [L2] functions
    have one block; [L3] operations are those of the partitioned form
    (docs/stages); anything else is reported as unsupported.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numKernels", "kernels", "distinct kernels">,
    Statistic<"numLaunches", "launches", "kernel launches">,
    Statistic<"numMatmuls", "matmuls", "matmul calls">
  ];
}

def ConvertToLLVMPass
    : Pass<"tp-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert kernel bodies and host arithmetic to the LLVM dialect.";
  let description = [{
    Loops become branches, arithmetic LLVM operations, and math functions LLVM
    intrinsics or, where LLVM has none, calls of libm. 16-bit brain floats are
    widened and rounded in integer arithmetic, which every target has. Nothing
    but the LLVM dialect is left; meshes are dropped.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::vector::VectorDialect",
                           "::mlir::func::FuncDialect"];
}

#endif // TPC_LOWER_PASSES_TD
