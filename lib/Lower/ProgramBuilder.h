// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the operations of one function into buffers and actions.
#ifndef TPC_LOWER_PROGRAMBUILDER_H
#define TPC_LOWER_PROGRAMBUILDER_H

#include "Epilogue.h"
#include "Program.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tpc::lower {

/// Actions and buffers of one function, appended as its operations are seen.
class ProgramBuilder {
public:
  ProgramBuilder(mlir::func::FuncOp function, ProductOptions options)
      : context(function.getContext()), options(options) {
    program.function = function;
  }

  mlir::FailureOr<Program> build();

private:
  mlir::LogicalResult addOperation(mlir::Operation *op);
  mlir::LogicalResult addGeneric(mlir::linalg::GenericOp op);
  mlir::LogicalResult addMatmul(mlir::linalg::GenericOp op,
                                const Matmul &matmul);
  /// The call for a contraction and its epilogue, when there is one.
  bool addFusedMatmul(mlir::linalg::GenericOp epilogue);
  /// Adds the sum that the call for `product` gives besides, when there is one.
  void addSum(Action &action, mlir::linalg::GenericOp product,
              const FusedMatmul &call);
  /// Completes a call and appends it.
  void appendMatmul(Action action);
  /// An operation that one runtime call does: operands in, results out.
  mlir::LogicalResult addAttention(mlir::Operation *op);
  mlir::LogicalResult addExtractSlice(mlir::tensor::ExtractSliceOp op);
  mlir::LogicalResult addInsertSlice(mlir::tensor::InsertSliceOp op);
  mlir::LogicalResult addConcat(mlir::tensor::ConcatOp op);
  mlir::LogicalResult addPad(mlir::tensor::PadOp op);
  mlir::LogicalResult addGather(tp::GatherOp op);
  mlir::LogicalResult addScatter(tp::ScatterOp op);
  mlir::LogicalResult addCumsum(tp::CumsumOp op);
  mlir::LogicalResult addCollective(tp::CollectiveOpInterface op);
  mlir::LogicalResult addExtract(mlir::tensor::ExtractOp op);
  mlir::LogicalResult addFor(mlir::scf::ForOp op);
  mlir::LogicalResult addIf(mlir::scf::IfOp op);
  mlir::LogicalResult addReturn(mlir::func::ReturnOp op);
  /// Adds `op`, or on failure buffers in place of its results, so that other
  /// errors are found.
  mlir::LogicalResult addOrSkip(mlir::Operation *op);
  /// The actions of a body of control flow without its terminator; `addYields`
  /// and `takeBody` must follow.
  mlir::LogicalResult addBody(mlir::Block &block);
  void addYields(mlir::Location loc, llvm::ArrayRef<BufferId> targets,
                 mlir::ValueRange values);
  std::vector<Action> takeBody();

  mlir::LogicalResult checkType(mlir::Operation *op, mlir::Type type);
  mlir::LogicalResult checkBody(mlir::linalg::GenericOp op);
  static mlir::InFlightDiagnostic unsupported(mlir::Operation *op) {
    return op->emitError("unsupported by the lower stage: ");
  }

  /// The carried buffer that `op` may write into at once: no other operation of
  /// the body looks at the tensor, and the result is what is carried on.
  std::optional<BufferId> carriedTarget(mlir::tensor::InsertSliceOp op) const;

  /// A new buffer for the tensor `value`.
  BufferId define(mlir::Value value);
  BufferId newBuffer(mlir::RankedTensorType type);
  /// The buffer that holds `value`, which is made now if it was not needed so
  /// far.
  BufferId use(mlir::Value value);
  /// The buffer of `result`, which starts as a copy of `value`.
  BufferId startFrom(mlir::Value value, mlir::Value result, mlir::Location loc);
  /// The scalar that all elements of `value` are, when that is plain to see.
  static mlir::OpFoldResult splatOf(mlir::Value value);
  /// A scalar as an attribute when it is constant.
  static mlir::OpFoldResult asScalar(mlir::Value value);

  /// The loops and indices of a gather or scatter.
  Action startIndexed(tp::IndexedOpInterface op);
  Action makeFill(BufferId buffer, mlir::RankedTensorType type,
                  mlir::OpFoldResult scalar, mlir::Location loc);
  /// A box of elements of a tensor.
  struct Box {
    BufferId buffer;
    mlir::RankedTensorType type;
    llvm::SmallVector<int64_t> offsets, strides;
    HostOffsets hostOffsets;
  };
  /// All of `buffer`.
  static Box wholeBox(BufferId buffer, mlir::RankedTensorType type);
  /// What a slice cuts from or sets in `buffer`.
  static Box sliceBox(BufferId buffer, mlir::RankedTensorType type,
                      mlir::OffsetSizeAndStrideOpInterface slice);
  /// Copies a box of `sizes` elements between two tensors.
  void addBoxCopy(mlir::Location loc, const Box &source, const Box &target,
                  llvm::ArrayRef<int64_t> sizes);
  /// Copies a whole tensor, unless the target may take the source's place.
  void addCopy(mlir::Location loc, BufferId source, BufferId target,
               mlir::RankedTensorType type);

  void append(Action action) {
    bodies.back().actions.push_back(std::move(action));
  }

  /// A block whose actions are being collected.
  struct Body {
    mlir::Block *block;
    std::vector<Action> actions;
  };

  mlir::MLIRContext *context;
  ProductOptions options;
  Program program;
  llvm::DenseMap<mlir::Value, BufferId> bufferOf;
  std::optional<BufferId> productWorkspace;
  /// The function's and those of the control flow around what is added now.
  std::vector<Body> bodies;
};

/// The elements from the start of a row-major tensor of `shape` to the element
/// at `indices`; a dim without an index (null) counts as 0. What is found there
/// spans `spans` elements of each dim and is kept inside of the tensor.
HostOffsets makeHostOffsets(llvm::ArrayRef<mlir::Value> indices,
                            llvm::ArrayRef<int64_t> spans,
                            llvm::ArrayRef<int64_t> shape);

/// The place of an element in a row-major tensor of `shape`.
mlir::AffineExpr linearAddress(llvm::ArrayRef<mlir::AffineExpr> indices,
                               llvm::ArrayRef<int64_t> shape,
                               mlir::MLIRContext *context);

} // namespace tpc::lower

#endif // TPC_LOWER_PROGRAMBUILDER_H
