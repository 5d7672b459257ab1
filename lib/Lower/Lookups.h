// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the rewrites of gathers and scatters share.
#ifndef TPC_LOWER_LOOKUPS_H
#define TPC_LOWER_LOOKUPS_H

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "tpc/Dialect/TP/TP.h"

namespace tpc::lower {

/// Gathers from what is computed elementwise, or collapsed.
void populateGatherPatterns(mlir::RewritePatternSet &patterns);
/// Sums of scatters into fills, and their expanded results.
void populateScatterUserPatterns(mlir::RewritePatternSet &patterns);
/// Scatters into fills as elementwise operations.
void populateScatterPatterns(mlir::RewritePatternSet &patterns);

/// An element of an index tensor as a number of any size.
mlir::Value asIndex(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value element);
/// True where the index lies within its dim.
mlir::Value isWithin(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value element, int64_t size);

/// Loops of a gather or scatter that are split as a reshape splits dims.
class SplitLoops {
public:
  /// `groups` are those of the indexed tensor, whose dims are of `wide`. None
  /// where a dim that is an index is split.
  static std::optional<SplitLoops>
  match(tp::IndexedOpInterface op,
        llvm::ArrayRef<mlir::ReassociationIndices> groups,
        mlir::RankedTensorType wide);

  llvm::ArrayRef<int64_t> shape() const { return sizes; }
  mlir::AffineMap split(mlir::AffineMap map) const;
  /// A tensor that is read at `map`, with its dims split too.
  mlir::Value split(mlir::Value tensor, mlir::AffineMap map,
                    mlir::OpBuilder &builder) const;
  /// The indices of `op` that way, and all of its maps.
  llvm::SmallVector<mlir::Value>
  splitIndices(tp::IndexedOpInterface op,
               llvm::SmallVectorImpl<mlir::AffineMap> &maps,
               mlir::OpBuilder &builder) const;
  /// The groups of the elements' dims.
  llvm::SmallVector<mlir::ReassociationIndices> groups() const { return parts; }

private:
  /// Of all new loops, and per loop the numbers of those it has become.
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<mlir::ReassociationIndices> parts;
};

} // namespace tpc::lower

#endif // TPC_LOWER_LOOKUPS_H
