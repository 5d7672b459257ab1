// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid of ranks a program runs on: named axes, sizes, and rank numbering.
#ifndef TPC_SUPPORT_MESH_H
#define TPC_SUPPORT_MESH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tpc {

/// A mesh of ranks. Axes are ordered; ranks are row-major over the axes in
/// that order, so on `["dp" = 2, "tp" = 4]` rank 5 has coordinates dp=1, tp=1.
class Mesh {
public:
  struct Axis {
    std::string name;
    int64_t size;
    bool operator==(const Axis &other) const {
      return name == other.name && size == other.size;
    }
  };

  Mesh() = default;

  /// Checks what a user may get wrong: an empty or repeated axis name, a size
  /// below one, and more ranks than an int32 can number.
  static llvm::Expected<Mesh> get(llvm::ArrayRef<Axis> axes);

  /// Parses the command-line form `dp=2,tp=4`.
  static llvm::Expected<Mesh> parse(llvm::StringRef text);

  llvm::ArrayRef<Axis> axes() const { return axisList; }
  unsigned numAxes() const { return axisList.size(); }
  int64_t size(unsigned axis) const { return axisList[axis].size; }
  llvm::StringRef name(unsigned axis) const { return axisList[axis].name; }
  std::optional<unsigned> find(llvm::StringRef name) const;

  /// Product of all axis sizes; 1 for a mesh without axes.
  int64_t numRanks() const;
  /// Product of the sizes of `axes`: the number of ranks of one group.
  int64_t groupSize(llvm::ArrayRef<unsigned> axes) const;

  /// Row-major coordinates of `rank`, one per axis, and back.
  llvm::SmallVector<int64_t> coordinates(int64_t rank) const;
  int64_t rank(llvm::ArrayRef<int64_t> coordinates) const;

  /// The ranks that share all coordinates of `rank` but those along `axes`.
  /// Ordered row-major over `axes` in the order given: the first is the major.
  llvm::SmallVector<int64_t> group(int64_t rank,
                                   llvm::ArrayRef<unsigned> axes) const;

  /// `dp=2,tp=4`.
  std::string str() const;

  bool operator==(const Mesh &other) const {
    return axisList == other.axisList;
  }
  bool operator!=(const Mesh &other) const { return !(*this == other); }

private:
  llvm::SmallVector<Axis> axisList;
};

} // namespace tpc

#endif // TPC_SUPPORT_MESH_H
