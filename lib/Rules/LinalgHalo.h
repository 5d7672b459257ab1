// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that walk over an operand together with others, as a convolution's
// output pixels do with its taps, and how they are sharded all the same.
#ifndef TPC_RULES_LINALGHALO_H
#define TPC_RULES_LINALGHALO_H

#include "Windows.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tpc {

/// A loop o by which some operand dims are read at o * stride + (taps) + offset
/// and others plainly. Sharding it needs of the former, per rank, the elements
/// its part of o reaches: a block of them, which overlaps the next rank's.
struct HaloLoop {
  unsigned loop = 0;
  int64_t size = 0;
  /// True when the loop sums into results that lack it.
  bool isReduction = false;
  /// A dim read at o * stride + offset and up to `span` elements behind.
  struct Read {
    unsigned operand, dim;
    int64_t stride, span, offset;
  };
  llvm::SmallVector<Read, 1> reads;
  /// Operand (destinations among them) and dim.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 3> plain;

  /// The axes that shard it under placements of all operands, outer first.
  llvm::SmallVector<unsigned> axes(llvm::ArrayRef<Placement> operands) const;
  /// Elements of o per rank over `ranks` ranks, and of a dim that is read.
  int64_t chunk(int64_t ranks) const { return (size + ranks - 1) / ranks; }
  int64_t block(const Read &read, int64_t ranks) const {
    return (chunk(ranks) - 1) * read.stride + read.span + 1;
  }
};

/// The coefficient per loop and the constant of `expr`; nothing when it is not
/// linear.
std::optional<std::pair<llvm::SmallVector<int64_t>, int64_t>>
getCoefficients(mlir::AffineExpr expr, unsigned numLoops);

llvm::SmallVector<HaloLoop, 0> findHaloLoops(mlir::linalg::LinalgOp op);

/// True when all that read `value` are convolutions and the like that take it
/// in blocks: a padding is then not made by itself.
bool isReadInBlocks(mlir::Value value);

/// Adds a move for every halo loop, and what they exchange.
void addHaloMoves(mlir::linalg::LinalgOp op, ShardingRule &rule);

} // namespace tpc

#endif // TPC_RULES_LINALGHALO_H
