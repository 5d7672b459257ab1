// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which contractions together are an attention, and its gradient.
#ifndef TPC_LOWER_ATTENTION_H
#define TPC_LOWER_ATTENTION_H

#include "Contraction.h"

namespace tpc::lower {

/// A tensor of an attention: which of its dims is which. The map's dims are
/// batch, head, row and feature; a tensor without one of the first two has
/// none.
struct AttentionOperand {
  mlir::Value value;
  mlir::AffineMap map;

  bool operator==(const AttentionOperand &other) const {
    return value == other.value && map == other.map;
  }
};

/// softmax(scale * q k^T) v, and its gradient where there is one.
struct Attention {
  mlir::linalg::GenericOp scores;
  AttentionOperand q, k, v;
  /// The contractions that give the output and the gradients, and how their
  /// results lie.
  AttentionOperand output;
  AttentionOperand doutput, dq, dk, dv;
  bool hasGradient = false;
  double scale = 1;
  /// Row i of the scores uses columns 0 to i.
  bool causal = false;
  /// What forbids one call for all of it; empty when nothing does.
  std::string reason;
};

/// The attention whose scores are the result of `scores`. Nothing when that is
/// no product whose softmax is multiplied with something; with a reason where
/// it looks like one and cannot be replaced.
std::optional<Attention> matchAttention(mlir::linalg::GenericOp scores);

} // namespace tpc::lower

#endif // TPC_LOWER_ATTENTION_H
