// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order, grouping and blocking of the loops of one kernel.
#ifndef TPC_LOWER_KERNELSCHEDULE_H
#define TPC_LOWER_KERNELSCHEDULE_H

#include "Program.h"

namespace tpc::lower {

/// A nest with its loops arranged. Loops run in this order: the launch loops
/// (as one range that threads share), the other parallel loops, then
///   rows     reductions with the sums in registers, the last one innermost,
///            which is also how scans run, or
///   columns  reductions with the sums in memory, and `inner` innermost, or
///   points   `inner` alone, when nothing is accumulated.
struct KernelSchedule {
  /// Loop dims after unit dims were dropped and neighbours merged.
  llvm::SmallVector<int64_t> extents;
  /// Per access of the nest: its address from the new dims.
  llvm::SmallVector<mlir::AffineExpr> addresses;
  /// Per dim of the nest, from the new dims: for linalg.index.
  llvm::SmallVector<mlir::AffineExpr> originalDims;

  llvm::SmallVector<unsigned> launch, outer, reductions;
  /// The parallel dim that runs innermost, or none when sums are kept in
  /// registers.
  std::optional<unsigned> inner;
  /// `inner` is cut into blocks of so many, the last launch loop.
  int64_t block = 0;
  /// Units of the launch range, and scalar operations of one.
  int64_t extent = 1, cost = 1;

  int64_t numBlocks() const {
    return block ? (extents[*inner] + block - 1) / block : 1;
  }
};

/// Decides how the loops of `nest` run. With `units`, the launch range is that
/// many points of the outermost parallel loops (see NestLoops::findPrefix).
KernelSchedule scheduleKernel(const Nest &nest,
                              std::optional<int64_t> units = std::nullopt);

} // namespace tpc::lower

#endif // TPC_LOWER_KERNELSCHEDULE_H
