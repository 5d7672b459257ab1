// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the import stage: frontend linalg to the normal form.

#ifndef TPC_IMPORT_PASSES_TD
#define TPC_IMPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckSignaturesPass : Pass<"tp-check-signatures", "::mlir::ModuleOp"> {
  let summary = "Refuse functions whose arguments or results cannot be placed.";
  let description = [{
    Every argument and result of a public function must be a ranked tensor of
    static shape with elements a rank can store. What is said of placements on
    the arguments and results of private functions is kept through inlining: it
    becomes a `tp.constrain` in their body.

    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      return %x : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::tpc::tp::TPDialect"];
}

def DropAssertsPass : Pass<"tp-drop-asserts", "::mlir::ModuleOp"> {
  let summary = "Erase run-time assertions.";
  let description = [{
    Frontends guard shapes and indices with `cf.assert`, which would keep
    values alive that nothing else needs. Shapes are static here.

    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %true = arith.constant true
      cf.assert %true, "mismatching contracting dimension"
      return %x : tensor<4xf32>
    }
    ```
  }];
}

def NormalizeControlFlowPass : Pass<"tp-normalize-control-flow", "::mlir::ModuleOp"> {
  let summary = "Bring loops and branches to the one form other stages know.";
  let description = [{
    Loops count from 0 in steps of 1 to a constant, and carry ranked tensors of
    static shape alone; what the index of the loop was follows from the
    iteration by `arith`. Branches give ranked tensors of static shape alone. An
    element at a computed position becomes the one element of a slice there, and
    the offset of a slice along a dim it takes whole becomes 0.

    Refused, each with an error that says the way out: trip counts that are no
    constants, carried scalars, scalar results of branches, and `scf.while`.

    ```mlir
    func.func @f(%x: tensor<8xf32>, %y: tensor<f32>) -> tensor<f32> {
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      // Becomes a loop from 0 to 3.
      %0 = scf.for %i = %c2 to %c8 step %c2 iter_args(%sum = %y) -> (tensor<f32>) {
        %1 = tensor.extract_slice %x[%i] [1] [1] : tensor<8xf32> to tensor<f32>
        %2 = linalg.add ins(%1, %sum : tensor<f32>, tensor<f32>) outs(%sum : tensor<f32>) -> tensor<f32>
        scf.yield %2 : tensor<f32>
      }
      return %0 : tensor<f32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def GeneralizeOpsPass : Pass<"tp-generalize-ops", "::mlir::ModuleOp"> {
  let summary = "Write every computation as linalg.generic.";
  let description = [{
    Named structured operations other than `linalg.fill` become
    `linalg.generic`; `linalg.softmax` is decomposed first; elementwise
    operations on tensors (`arith.addf` on tensors) become `linalg.generic`. A
    destination that is not read becomes a `tensor.empty`, and a constant that
    is accumulated into a `linalg.fill`.

    ```mlir
    func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %0 = arith.addf %x, %y : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def RaiseGathersPass : Pass<"tp-raise-gathers", "::mlir::ModuleOp"> {
  let summary = "Take reads at computed places out of bodies.";
  let description = [{
    A `tensor.extract` in the body of a `linalg.generic` becomes a `tp.gather`,
    whose result is one more operand of the generic. Its indices are operands of
    the generic where the body only casts them, and otherwise computed by a
    generic of their own. A read at the loops alone becomes a plain operand. An
    extract whose index depends on what the body accumulates stays.

    ```mlir
    func.func @embedding(%e: tensor<8x2xf32>, %ids: tensor<4xi64>) -> tensor<4x2xf32> {
      %empty = tensor.empty() : tensor<4x2xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(t, j) -> (t)>, affine_map<(t, j) -> (t, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%ids : tensor<4xi64>) outs(%empty : tensor<4x2xf32>) {
      ^bb0(%id: i64, %out: f32):
        %i = arith.index_cast %id : i64 to index
        %j = linalg.index 1 : index
        %read = tensor.extract %e[%i, %j] : tensor<8x2xf32>
        linalg.yield %read : f32
      } -> tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::tpc::tp::TPDialect"];
}

def RaiseArgmaxPass : Pass<"tp-raise-argmax", "::mlir::ModuleOp"> {
  let summary = "Recognise reductions that also keep where the extreme is.";
  let description = [{
    A `linalg.generic` with two results, the greatest element and its index,
    becomes a `tp.argmax`; its body takes a maximum, and the index of the loop
    where the element is greater than the maximum so far. The least element
    likewise.

    ```mlir
    func.func @best(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
      %least = arith.constant 0xFF800000 : f32
      %zero = arith.constant 0 : i64
      %0 = tensor.empty() : tensor<4xf32>
      %1 = tensor.empty() : tensor<4xi64>
      %2 = linalg.fill ins(%least : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
      %3 = linalg.fill ins(%zero : i64) outs(%1 : tensor<4xi64>) -> tensor<4xi64>
      %4:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                                              affine_map<(i, j) -> (i)>],
                             iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<4x6xf32>) outs(%2, %3 : tensor<4xf32>, tensor<4xi64>) {
      ^bb0(%in: f32, %value: f32, %place: i64):
        %index = linalg.index 1 : index
        %here = arith.index_cast %index : index to i64
        %max = arith.maximumf %in, %value : f32
        %greater = arith.cmpf ogt, %in, %value : f32
        %next = arith.select %greater, %here, %place : i64
        linalg.yield %max, %next : f32, i64
      } -> (tensor<4xf32>, tensor<4xi64>)
      return %4#0, %4#1 : tensor<4xf32>, tensor<4xi64>
    }
    ```
  }];
  let dependentDialects = ["::tpc::tp::TPDialect"];
}

def FoldDataMovementPass : Pass<"tp-fold-data-movement", "::mlir::ModuleOp"> {
  let summary = "Fold transposes, broadcasts and splats into their readers.";
  let description = [{
    An operand of a `linalg.generic` that a transpose, a broadcast or a reshape
    by dims of size 1 produces is read from their source through another
    indexing map; an operand that is one value everywhere becomes a scalar in
    the body. Operands and results that nothing reads are dropped. Computation
    is never fused, and an operation that other readers need stays as it is.

    ```mlir
    func.func @f(%x: tensor<4x8xf32>, %w: tensor<5x8xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
      %0 = tensor.empty() : tensor<8x5xf32>
      %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%w : tensor<5x8xf32>) outs(%0 : tensor<8x5xf32>) {
      ^bb0(%a: f32, %out: f32):
        linalg.yield %a : f32
      } -> tensor<8x5xf32>
      // Becomes a generic that reads %w through (m, n, k) -> (n, k).
      %2 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                            affine_map<(m, n, k) -> (m, n)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %1 : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %3 = arith.mulf %a, %b : f32
        %4 = arith.addf %out, %3 : f32
        linalg.yield %4 : f32
      } -> tensor<4x5xf32>
      return %2 : tensor<4x5xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::arith::ArithDialect"];
}

def FoldReshapesPass : Pass<"tp-fold-reshapes", "::mlir::ModuleOp"> {
  let summary = "Expand computations over the dims that reshapes collapse.";
  let description = [{
    Frontends collapse (batch, sequence) in front of each contraction. Of a
    collapsed dim only the major part can be sharded, so a sharded sequence
    would be stuck there. The contraction is expanded over the dims instead, and
    the reshapes meet and cancel. Not done where it would reshape an argument
    of the function: splitting the features of a weight into heads gains
    nothing, as their major part, the heads, is what one shards.

    ```mlir
    func.func @f(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
      %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
      %1 = tensor.empty() : tensor<6x8xf32>
      // Becomes a generic on tensor<2x3x8xf32>.
      %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%0 : tensor<6x8xf32>) outs(%1 : tensor<6x8xf32>) {
      ^bb0(%a: f32, %out: f32):
        %4 = math.exp %a : f32
        linalg.yield %4 : f32
      } -> tensor<6x8xf32>
      %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8xf32> into tensor<2x3x8xf32>
      return %3 : tensor<2x3x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SeparateAddendsPass : Pass<"tp-separate-addends", "::mlir::ModuleOp"> {
  let summary = "Make a constant that is added to every element an operand.";
  let description = [{
    `x + c` with the constant inside the body is affine in `x`, and a partial
    sum could not pass through it. With `c` as a scalar tensor the operation is
    jointly linear in both operands, and one rank may hold `c`. Lowering folds
    the scalar back where it is replicated.

    ```mlir
    #map = affine_map<(d0) -> (d0)>
    func.func @f(%x: tensor<4xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
      %ten = arith.constant 1.0e+01 : f32
      %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
          ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %1 = arith.addf %in, %ten : f32
        linalg.yield %1 : f32
      } -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SeparateInitsPass : Pass<"tp-separate-inits", "::mlir::ModuleOp"> {
  let summary = "Give every operation its own destination.";
  let description = [{
    `tensor.empty`, `linalg.fill` and splat constants are cloned per reader, so
    that each is placed like its reader and sharing one costs no
    redistribution. They stand in the loop or branch of their reader.

    ```mlir
    func.func @f() -> (tensor<4xf32>, tensor<4xf32>) {
      %zero = arith.constant 0.0 : f32
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
      return %1, %1 : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
}

def VerifyImportPass : Pass<"tp-verify-import", "::mlir::ModuleOp"> {
  let summary = "Refuse what no rule covers, all of it at once.";
  let description = [{
    After this pass every operation of a function, its loops and branches
    implements `ShardingRuleOpInterface` and answers it, or is an operation of
    the tp dialect, of control flow, or one on scalars: arithmetic, and
    `tensor.extract` at a constant position. One error per kind of operation without a rule, at its
    first occurrence, with the number of occurrences.

    ```mlir
    // Passes as it is; a tensor.scatter in it would be refused.
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x2xf32> {
      %0 = tensor.extract_slice %x[0, 2] [4, 2] [1, 1] : tensor<4x8xf32> to tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    }
    ```
  }];
}

#endif // TPC_IMPORT_PASSES_TD
