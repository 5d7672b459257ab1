// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the body of a structured operation computes: the combiner of its
// reductions, the operands it is linear in, and its arithmetic.
#ifndef TPC_RULES_LINALGBODY_H
#define TPC_RULES_LINALGBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tpc/Support/Placement.h"

namespace tpc {

/// True for a scalar or tensor value known to be zero everywhere: a zero
/// constant, or a fill or splat of one, seen through operations that only say
/// where a value lives.
bool isKnownZero(mlir::Value value);

/// How the reduction into result `index` joins its contributions: the body
/// yields `combine(out, contribution)` with a contribution that does not read
/// `out`. Nothing when the body is not of that form.
std::optional<Reduction> matchCombiner(mlir::linalg::LinalgOp op,
                                       unsigned index);

/// The sets of operands the body is jointly linear in with all other operands
/// fixed, smallest first. `a * b + out`: {a, out} and {b, out}, or {a} and {b}
/// where `out` is known to start as zero. Empty when the reductions of the
/// operation are not sums.
llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 2>
findLinearOperands(mlir::linalg::LinalgOp op);

/// Floating-point operations (or integer ones, in their place) of one run of
/// the body; a transcendental function counts for many.
double countBodyFlops(mlir::linalg::LinalgOp op);

} // namespace tpc

#endif // TPC_RULES_LINALGBODY_H
