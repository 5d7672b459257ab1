// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which single step leads from one placement to another, and what it moves.
//
// A step is one local rewrite or one collective. On each mesh axis it names it
// changes the state:
//
//   slice           R -> S     local: the rank keeps its box of what it holds
//   to_partial      R -> P     local: coordinate 0 keeps the value, the others
//                              hold the neutral element of the reduction
//   all_reduce      P -> R
//   reduce_scatter  P -> S     the new shard is the inner split of its dim
//   all_gather      S -> R     the inner splits of their dims only
//   all_to_all      S(a)->S(b) inner split of `a` becomes inner split of `b`
//   permute         S/R -> S/R every rank's new box is the old box of one rank
//   send_recv       S/R -> S/R any, as one group of sends and receives
//
// "Inner only" is what keeps elements in order. Under [dp: S(0), tp: S(0)] the
// ranks along dp hold pieces that are not neighbours, so gathering dp alone
// would interleave them; that change is a permute first, or a send_recv. Since
// a split is applied to the actual length of the chunk it splits, inner splits
// join again exactly, with uneven chunks too, over several axes at once too.
// All other axes keep their state, partial ones included.
#ifndef TPC_SUPPORT_TRANSITION_H
#define TPC_SUPPORT_TRANSITION_H

#include "tpc/Support/Placement.h"

namespace tpc {

/// Ordered from preferred to not when several kinds perform the same change.
enum class StepKind : uint8_t {
  Slice,
  ToPartial,
  AllReduce,
  ReduceScatter,
  AllGather,
  AllToAll,
  Permute,
  SendRecv
};

/// `slice`, `to_partial`, `all_reduce`, ..., as in reports and manifests.
llvm::StringRef stringify(StepKind kind);
std::optional<StepKind> parseStepKind(llvm::StringRef text);

/// True for steps in which no rank hears from another.
inline bool isLocal(StepKind kind) {
  return kind == StepKind::Slice || kind == StepKind::ToPartial;
}

/// One change of placement. `axes` are the mesh axes of the communicating
/// group, in mesh order.
struct Step {
  StepKind kind;
  llvm::SmallVector<unsigned, 4> axes;
  Placement from, to;

  bool operator==(const Step &o) const {
    return kind == o.kind && axes == o.axes && from == o.from && to == o.to;
  }
  /// `all_gather on tp: [tp: S(0)] -> []`.
  std::string str(const Mesh &mesh) const;
};

/// True when ranks exchange data: not local, and more than one rank to a group.
bool isCollective(const Mesh &mesh, const Step &step);

/// The one step that leads from `from` to `to` for a tensor of `shape`, the
/// preferred kind when there are several; nothing when it takes more than one
/// step, or none.
std::optional<Step> classifyStep(const Mesh &mesh,
                                 llvm::ArrayRef<int64_t> shape,
                                 const Placement &from, const Placement &to);

/// Which steps `legalSteps` lists.
struct StepFilter {
  /// Axes a step may touch, one bit each.
  uint64_t axes = ~uint64_t(0);
  /// Dims that may gain a shard, one bit each.
  uint64_t dims = ~uint64_t(0);
};

/// All steps out of `from` over one axis and over several at once: slices,
/// reductions, gathers, all-to-alls, and permutes that reorder nested splits or
/// exchange axes. Not listed are to_partials, which are local and can always
/// come last, and send_recvs, which lead everywhere. Each result placement
/// appears once, in a fixed order. Where more than four axes may be touched,
/// steps over several at once are left out: there would be too many.
llvm::SmallVector<Step> legalSteps(const Mesh &mesh,
                                   llvm::ArrayRef<int64_t> shape,
                                   const Placement &from,
                                   const StepFilter &filter = {});

/// What a step moves, of the rank for which it is most; exact for uneven
/// chunks.
struct StepBytes {
  /// The usual size of the collective: operand of all_reduce, result of
  /// all_gather, operand of reduce_scatter and all_to_all, received bytes of
  /// permute and send_recv; 0 for local steps.
  int64_t bytes = 0;
  /// Received: all_reduce 2(n-1)/n and the other three (n-1)/n of `bytes` when
  /// chunks are even (all_reduce rounded up); all of it for permute and
  /// send_recv.
  int64_t wireBytes = 0;
};
StepBytes stepBytes(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                    int64_t elementBytes, const Step &step);

/// What a rank of `members` receives in an all-reduce of `bytes`: 2(n-1)/n of
/// them, rounded up.
int64_t allReduceBytes(int64_t members, int64_t bytes);

/// Latencies a step pays: one, and for a send_recv one for each rank that a
/// rank hears from, the most of any rank.
int64_t stepStarts(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                   const Step &step);

/// Bytes a rank reads and writes in its own memory for the step: its operand
/// and its result.
int64_t stepMemoryBytes(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                        int64_t elementBytes, const Step &step);

/// Elements of its box under `to` that the worst rank does not hold under
/// `from`. Partial axes count as replicated.
int64_t lackingElements(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                        const Placement &from, const Placement &to);

/// What a rank must receive on average, of a tensor of `bytes` of which
/// `contributions` ranks hold a partial and `copies` of `ranks` want the whole:
/// each element needs contributions - 1 receives to be combined and one for
/// each further copy. For one axis of n ranks that is 2(n-1)/n of the tensor to
/// all-reduce and (n-1)/n to reduce-scatter.
int64_t reductionBoundBytes(int64_t contributions, int64_t copies,
                            int64_t ranks, int64_t bytes);

/// Bytes the worst rank must receive at least: `lackingElements`, and where
/// partials are reduced no less than `reductionBoundBytes` over the ranks that
/// take part. Axes replicated before and after, or partial before and after, do
/// not take part; one that becomes partial counts as replicated.
int64_t lowerBoundBytes(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                        int64_t elementBytes, const Placement &from,
                        const Placement &to);
} // namespace tpc

#endif // TPC_SUPPORT_TRANSITION_H
