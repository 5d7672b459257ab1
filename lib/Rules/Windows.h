// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations that cut or join sharded dims have in common: the windows
// they fetch, what those cost, and how they are written.
#ifndef TPC_RULES_WINDOWS_H
#define TPC_RULES_WINDOWS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Interfaces/Interfaces.h"

namespace tpc {

/// How an operand of an operation becomes a part of the result, or the result
/// a part of the operand: one window between the two, over the dims of the
/// larger of them.
struct OperandWindow {
  unsigned operand = 0;
  llvm::SmallVector<WindowDim, 4> dims;
  /// Per dim: the dim of the operand and of the result, or -1 where that lacks
  /// it (as a dim of size 1).
  llvm::SmallVector<int, 4> operandDims, resultDims;
  int64_t elementBytes = 1;
  /// The operand is known to be zero: nothing of it is fetched.
  bool isZero = false;

  /// True where elements move along `dim`.
  bool moves(unsigned dim) const;
  /// True where operand or result lack a dim.
  bool lacksDims() const {
    return llvm::is_contained(operandDims, -1) ||
           llvm::is_contained(resultDims, -1);
  }
  /// The window with the placements of operand and result.
  Window place(const Placement &operand, const Placement &result) const;
};

/// The windows of a slice, insertion, padding or concatenation, one for each
/// operand that becomes a part of the result; none where padding is negative.
llvm::SmallVector<OperandWindow, 2> getWindows(mlir::tensor::ExtractSliceOp op);
llvm::SmallVector<OperandWindow, 2> getWindows(mlir::tensor::InsertSliceOp op);
llvm::SmallVector<OperandWindow, 2> getWindows(mlir::tensor::PadOp op);
llvm::SmallVector<OperandWindow, 2> getWindows(mlir::tensor::ConcatOp op);

/// The windows of operations that will exchange together with `op`, its own
/// among them: slices of one tensor, and insertions into zeros that are added
/// up. In program order.
struct Siblings {
  llvm::SmallVector<OperandWindow, 2> windows;
  /// The number of the operation's own.
  unsigned own = 0;
};
Siblings getSiblings(mlir::tensor::ExtractSliceOp op);
Siblings getSiblings(mlir::tensor::InsertSliceOp op);

/// A reshape that joins (or splits) dims: of an uneven shard of a joined dim,
/// the flat intervals that ranks hold before and after are not the same.
struct ReshapeWindow {
  /// Of the tensor of more dims, and which of its dims are joined.
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::SmallVector<int64_t, 2>> groups;
  bool splits = false;
  int64_t elementBytes = 1;

  explicit ReshapeWindow(mlir::tensor::CollapseShapeOp op);
  explicit ReshapeWindow(mlir::tensor::ExpandShapeOp op);
  /// The major dim of a group of several, as far as they are longer than one;
  /// nothing for other groups.
  std::optional<unsigned> majorDim(unsigned group) const;
  /// True where chunks of rows are not chunks of the joined dim.
  bool isNeeded(const Mesh &mesh, const Placement &operand,
                const Placement &result) const;
  std::optional<Window> place(const Placement &operand,
                              const Placement &result) const;
};

/// What `windows` exchange as one step, or nothing when that cannot be done.
/// Bytes are per element of each.
std::optional<ShardingRule::OwnSteps>
getOwnSteps(const Mesh &mesh,
            llvm::ArrayRef<std::pair<Window, int64_t>> windows);

/// True when the window has to be written: some dim that moves is sharded.
bool isNeeded(const Window &window);

/// Where new placed operations go, and what they say of themselves.
struct PlacedBuilder {
  PlacedBuilder(mlir::OpBuilder &builder, mlir::Operation *op);

  /// `shape` with the element type of `like`, placed.
  mlir::RankedTensorType type(mlir::Value like, llvm::ArrayRef<int64_t> shape,
                              const Placement &placement);
  Placement placementOf(mlir::Value value);
  mlir::Value empty(mlir::RankedTensorType type);
  /// A tp.window. `blocks`: none, or a block and a step per dim.
  mlir::Value window(mlir::Value source, mlir::RankedTensorType type,
                     llvm::ArrayRef<int64_t> offsets, llvm::StringRef why,
                     llvm::ArrayRef<int64_t> blocks = {});
  /// An elementwise operation on `inputs`, all of one placed type; `body` gets
  /// their elements and the indices.
  mlir::Value elementwise(
      mlir::ValueRange inputs, mlir::RankedTensorType type,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &,
                                     llvm::function_ref<mlir::Value(unsigned)>,
                                     mlir::ValueRange)>
          body);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  tp::MeshOp meshOp;
  Mesh mesh;
  std::string name;
};

/// In a body: whether begin <= index < end, where `length` is the extent of the
/// dim; null where that is always so.
mlir::Value isInside(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value index, int64_t begin, int64_t end,
                     int64_t length);

} // namespace tpc

#endif // TPC_RULES_WINDOWS_H
