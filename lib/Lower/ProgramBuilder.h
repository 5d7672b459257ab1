// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the operations of one function into buffers and actions.
#ifndef TPC_LOWER_PROGRAMBUILDER_H
#define TPC_LOWER_PROGRAMBUILDER_H

#include "Contraction.h"
#include "Program.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tpc::lower {

/// Actions and buffers of one function, appended as its operations are seen.
class ProgramBuilder {
public:
  explicit ProgramBuilder(mlir::func::FuncOp function)
      : context(function.getContext()) {
    program.function = function;
  }

  mlir::FailureOr<Program> build();

private:
  mlir::LogicalResult addOperation(mlir::Operation *op);
  mlir::LogicalResult addGeneric(mlir::linalg::GenericOp op);
  mlir::LogicalResult addMatmul(mlir::linalg::GenericOp op,
                                const Matmul &matmul);
  mlir::LogicalResult addExtractSlice(mlir::tensor::ExtractSliceOp op);
  mlir::LogicalResult addInsertSlice(mlir::tensor::InsertSliceOp op);
  mlir::LogicalResult addConcat(mlir::tensor::ConcatOp op);
  mlir::LogicalResult addPad(mlir::tensor::PadOp op);
  mlir::LogicalResult addGather(tp::GatherOp op);
  mlir::LogicalResult addScatter(tp::ScatterOp op);
  mlir::LogicalResult addCumsum(tp::CumsumOp op);
  mlir::LogicalResult addCollective(tp::CollectiveOpInterface op);
  mlir::LogicalResult addReturn(mlir::func::ReturnOp op);

  mlir::LogicalResult checkType(mlir::Operation *op, mlir::Type type);
  mlir::LogicalResult checkBody(mlir::linalg::GenericOp op);
  static mlir::InFlightDiagnostic unsupported(mlir::Operation *op) {
    return op->emitError("unsupported by the lower stage: ");
  }

  /// A new buffer for the tensor `value`.
  BufferId define(mlir::Value value);
  BufferId newBuffer(mlir::RankedTensorType type);
  /// The buffer that holds `value`, which is made now if it was not needed so
  /// far.
  BufferId use(mlir::Value value);
  /// The scalar that all elements of `value` are, when that is plain to see.
  static mlir::OpFoldResult splatOf(mlir::Value value);
  /// A scalar as an attribute when it is constant.
  static mlir::OpFoldResult asScalar(mlir::Value value);

  /// The loops and indices of a gather or scatter.
  Action startIndexed(tp::IndexedOpInterface op);
  void addFill(BufferId buffer, mlir::RankedTensorType type,
               mlir::OpFoldResult scalar, mlir::Location loc);
  /// Copies a box of `sizes` elements between two tensors.
  void addBoxCopy(mlir::Location loc, BufferId source,
                  mlir::RankedTensorType sourceType,
                  llvm::ArrayRef<int64_t> sourceOffsets,
                  llvm::ArrayRef<int64_t> sourceStrides, BufferId target,
                  mlir::RankedTensorType targetType,
                  llvm::ArrayRef<int64_t> targetOffsets,
                  llvm::ArrayRef<int64_t> targetStrides,
                  llvm::ArrayRef<int64_t> sizes);
  /// Copies a whole tensor, unless the target may take the source's place.
  void addCopy(mlir::Location loc, BufferId source, BufferId target,
               mlir::RankedTensorType type);

  mlir::MLIRContext *context;
  Program program;
  llvm::DenseMap<mlir::Value, BufferId> bufferOf;
};

/// The place of an element in a row-major tensor of `shape`.
mlir::AffineExpr linearAddress(llvm::ArrayRef<mlir::AffineExpr> indices,
                               llvm::ArrayRef<int64_t> shape,
                               mlir::MLIRContext *context);

} // namespace tpc::lower

#endif // TPC_LOWER_PROGRAMBUILDER_H
