// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The autodiff stage: forward function to joint forward and backward function.

#ifndef TPC_AUTODIFF_PASSES_TD
#define TPC_AUTODIFF_PASSES_TD

include "mlir/Pass/PassBase.td"

def DifferentiatePass : Pass<"tp-differentiate", "::mlir::ModuleOp"> {
  let summary = "Append the backward pass to functions with tp.grad arguments.";
  let description = [{
    Reverse mode on the *global* program: every cotangent is a global tensor,
    and no placement is looked at, so the planner is free to place forward and
    backward together. Works on public functions that have an argument marked
    `tp.grad`; removes the mark.

    - A function whose only float result is a scalar gets the seed 1. Any other
      gets one cotangent argument per float result, in the order of the results,
      named `d<result>` and placed like it.
    - The results are followed by the gradients of the `tp.grad` arguments in
      the order of the arguments, named `d<argument>` and placed like them. An
      argument without influence has a gradient of zeros.
    - `tp.derived_placements = {"dw" = #tp.placement<...>}` on the function
      overrides the placement of a cotangent or a gradient. It is removed.
    - Arguments and results without `tp.name` are named `arg0`, `result0`, by
      their number.
    - Every operation of the backward pass has `tp.phase = "backward"` and the
      location of the forward operation it belongs to.

    A `tp.manual` is differentiated to another one: per axis, S stays S, R and
    P(sum) change places (an operand placed R gives a cotangent placed P(sum),
    the cotangent of a result placed R enters P(sum) since it counts once). The
    cotangent of a `tp.constrain` is pinned only where it says so.

    Contributions to one cotangent are summed; sums over loops of 16-bit values
    are formed in 32 bits, except those of a plain product, which stay a
    contraction in the type of the operands. Ties of a maximum share in equal
    parts; a maximum that cancels out, as in a softmax, has no cotangent.

    A loop is differentiated to a loop over its iterations backward, a branch
    to a branch on the same condition. The forward loop also gives what the
    derivative of its body reads, stacked along a new first dim; the loop
    backward carries cotangents of what the loop carried, and sums of what its
    iterations contribute to values from outside. Nothing of the forward pass
    is computed twice but index arithmetic.

    Nothing is computed for arguments that need no gradient, nor for values no
    result depends on. An operation on the way that has no derivative is an
    error on it, with notes at the argument and at the result.

    Constraints: [D1] functions have one block, and loops and branches are in
    the normal form of the import stage; [D2] tensors on the path of a
    gradient have static shapes and no placement; [D3] `tp.grad` arguments are
    tensors of floats; [D4] the names of cotangents and gradients are
    not in use.

    ```mlir
    func.func @square(%x: tensor<4xf32> {tp.name = "x", tp.grad}) -> (tensor<4xf32> {tp.name = "y"}) {
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.mul ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    // becomes (%x, %dy) -> (y, dx)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def AccumulateGradientsPass
    : Pass<"tp-accumulate-gradients", "::mlir::ModuleOp"> {
  let summary = "Run a function in a loop over microbatches of its batch.";
  let description = [{
    Works on public functions, behind differentiation. Dim 0 of the inputs, all
    tensors that are no `tp.param` unless they are named, is the batch; it is
    split into `count` parts, and one `scf.for` runs over them.

    What every value is follows from the sharding rules, with the microbatch as
    one more axis: it has *rows* of the batch (sharded over the axis), is a
    *sum* over rows (partial), or depends on no row (replicated). Rows and sums
    are made in the loop. A sum that leaves it, such as a gradient, is carried
    as a running sum from zero, in 32 bits where it has 16; rows that leave it
    are written where they belong. What depends on no row stands in front of the
    loop, what is made from sums behind it.

    A microbatch has the rows whose number has one remainder by `count`: a view
    of the batch as `rows / count x count` at one place of the second dim, so
    that a batch that is sharded along its rows need not move. Indices of rows
    (`linalg.index`) are those of the batch.

    Requires: the normal form, static shapes. Refuses: inputs of different
    batches, a batch that `count` does not divide, and an operation that needs
    the whole batch: one that has operands with rows and others known only when
    all microbatches are summed (a batch normalisation), or that works across
    rows otherwise than by a sum. Such an operation gets an error.

    ```mlir
    func.func @sum(%x: tensor<4xf32> {tp.name = "x"}) -> (tensor<f32> {tp.name = "y"}) {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<f32>
      %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
      %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
          ins(%x : tensor<4xf32>) outs(%init : tensor<f32>) {
      ^bb0(%in: f32, %out: f32):
        %s = arith.addf %in, %out : f32
        linalg.yield %s : f32
      } -> tensor<f32>
      return %y : tensor<f32>
    }
    // with count=2: %y is carried by a loop that adds the sum of two rows twice
    ```
  }];
  let options = [
    Option<"count", "count", "int64_t", "1", "Number of microbatches">,
    Option<"inputs", "inputs", "std::string", "\"\"",
           "GLOBs of the arguments with a batch, separated by ','; all that are no parameters when empty">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def DecomposeArgmaxPass : Pass<"tp-decompose-argmax", "::mlir::ModuleOp"> {
  let summary = "Write tp.argmax as two reductions.";
  let description = [{
    The values are a maximum over the dim, and the indices a minimum: of the
    indices at which the element is the maximum, and of the greatest integer
    elsewhere. Both may be partial, so the dim may be sharded, and the indices
    are global ones on every rank. With `minimum` the values are a minimum.

    ```mlir
    func.func @best(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
      %values, %indices = tp.argmax %x dim 1 : tensor<4x6xf32> -> tensor<4xf32>, tensor<4xi64>
      return %values, %indices : tensor<4xf32>, tensor<4xi64>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // TPC_AUTODIFF_PASSES_TD
