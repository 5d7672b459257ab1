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

#endif // TPC_AUTODIFF_PASSES_TD
