// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the backward pass of a loop or branch reads of the forward pass.
#ifndef TPC_LIB_AUTODIFF_RESIDUALS_H
#define TPC_LIB_AUTODIFF_RESIDUALS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tpc::autodiff {

/// The values of the block `forward` that operations in the region `backward`
/// read, though they cannot see them. Some are made again there: scalars,
/// constants and fills, reshapes, slices of what both see. The others have to
/// be saved by the forward pass.
class Residuals {
public:
  /// `known` has the values of `forward` that `backward` has a counterpart of.
  Residuals(mlir::Block &forward, mlir::Region &backward,
            mlir::IRMapping known);

  /// What has to be saved, in the order it is read.
  llvm::ArrayRef<mlir::Value> getSaved() const { return saved.getArrayRef(); }

  /// Lets the operations of `backward` read what the builder makes for them.
  /// `load` gives the saved value with a number.
  void replaceReads(mlir::OpBuilder &builder,
                    llvm::function_ref<mlir::Value(unsigned)> load);

private:
  bool isForeign(mlir::Value value) const {
    return value.getParentBlock() == &forward && !known.contains(value);
  }
  bool isAvailable(mlir::Value value) const;
  bool isMadeAgain(mlir::Operation *op) const;
  void require(mlir::Value value);
  mlir::Value get(mlir::OpBuilder &builder, mlir::Value value);

  mlir::Block &forward;
  mlir::IRMapping known;
  llvm::SmallVector<mlir::OpOperand *> reads;
  llvm::SetVector<mlir::Value> saved;
};

} // namespace tpc::autodiff

#endif // TPC_LIB_AUTODIFF_RESIDUALS_H
