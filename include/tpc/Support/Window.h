// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A box of a sharded tensor, moved: which elements each rank needs of it, and
// how many of those it does not hold.
//
// A window is a tensor whose elements are those of another one at a distance:
// result[i] = source[i + offset] wherever that is inside the source, and
// unspecified elsewhere. Source and result are placed by chunks of their own
// lengths, so that a rank's chunk of the result seldom is the rank's chunk of
// the source. Slices, paddings and concatenations of sharded dims are windows.
//
// Two things bend the line along a dim. Blocks: the result is cut into blocks
// of equal length, and each begins a step behind the one before, so that blocks
// overlap (a convolution's input, every rank's with the rows its neighbours
// share). Units: chunks are whole units of several elements (a matrix sharded
// by rows, looked at as a vector).
#ifndef TPC_SUPPORT_WINDOW_H
#define TPC_SUPPORT_WINDOW_H

#include "tpc/Support/Transition.h"
#include <vector>

namespace tpc {

/// One dim of source and result.
struct WindowDim {
  /// Elements of the source and of the result.
  int64_t source = 0, result = 0;
  /// result[i] = source[i + offset].
  int64_t offset = 0;
  /// Not 0: result[i] = source[i / block * step + i % block + offset].
  int64_t block = 0, step = 0;
  /// Elements that chunks are whole multiples of.
  int64_t sourceUnit = 1, resultUnit = 1;
};

/// A window with the placements of its source and result. An axis that shards
/// the source may be P(sum) in the result: every rank keeps what it holds, and
/// zero elsewhere. Partial axes of the source are partial in the result.
struct Window {
  llvm::SmallVector<WindowDim, 4> dims;
  Placement from, to;
};

/// A tensor of `shape` as one side of a window whose dims are `groups` of its
/// dims: fills in the length of each group and the unit of its chunks, and
/// gives the placement by groups. Nothing when it is sharded along a dim that
/// is not the major one of its group.
std::optional<Placement>
joinDims(llvm::ArrayRef<int64_t> shape, const Placement &placement,
         llvm::ArrayRef<llvm::SmallVector<int64_t, 2>> groups,
         llvm::SmallVectorImpl<int64_t> &lengths,
         llvm::SmallVectorImpl<int64_t> &units);

/// What is wrong with a window, or nothing.
std::optional<std::string> findFault(const Mesh &mesh, const Window &window);

/// The axes along which ranks may have to exchange data, in mesh order.
llvm::SmallVector<unsigned, 4> windowAxes(const Window &window);

/// Elements of its part of the result that each rank lacks, by rank.
std::vector<int64_t> lackingElements(const Mesh &mesh, const Window &window);

/// Ranks that a rank needs elements of, of the worst rank. Every chunk counts
/// once, whoever holds copies.
int64_t windowPeers(const Mesh &mesh, const Window &window);

} // namespace tpc

#endif // TPC_SUPPORT_WINDOW_H
