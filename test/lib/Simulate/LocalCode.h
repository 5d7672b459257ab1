// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs code on local tensors, the same on all ranks: manual regions.
#ifndef TPC_TEST_LIB_SIMULATE_LOCALCODE_H
#define TPC_TEST_LIB_SIMULATE_LOCALCODE_H

#include "Values.h"
#include "mlir/IR/Operation.h"

namespace tpc::simulate {

class LocalCode {
public:
  explicit LocalCode(const Mesh &mesh) : mesh(mesh) {}

  /// Every rank's part of a tensor becomes its buffer `value`: the part comes
  /// first along each dim, what is behind it is padding and undefined.
  void setBuffers(mlir::Value value, const std::vector<Piece> &pieces);
  /// The part of a buffer that is no padding, as the piece `box` of a tensor.
  Piece takeBuffer(mlir::Value value, int64_t rank, const Box &box) const;

  /// Fails, after an error on it, at an operation that is not known.
  llvm::LogicalResult run(mlir::Block &block);
  bool isExact() const { return exact; }

private:
  llvm::LogicalResult visit(mlir::Operation *op);
  llvm::LogicalResult compute(mlir::Operation *op);
  llvm::LogicalResult runCollective(mlir::Operation *op);
  /// What a rank knows of itself: coordinates and chunks.
  std::optional<int64_t> askRank(mlir::Operation *op, int64_t rank) const;

  const Mesh &mesh;
  llvm::DenseMap<mlir::Value, std::vector<Piece>> buffers;
  bool exact = true;
};

} // namespace tpc::simulate

#endif // TPC_TEST_LIB_SIMULATE_LOCALCODE_H
