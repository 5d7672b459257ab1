// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits, joins and moves tensors as placements say, element by element.

#include "Placements.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;

namespace tpc::simulate {

Box boxOf(const Mesh &mesh, const Placement &placement, ArrayRef<int64_t> shape,
          int64_t rank) {
  SmallVector<int64_t> coordinates = mesh.coordinates(rank);
  Box box = wholeBox(shape);
  for (const Placement::Entry &entry : placement.entries()) {
    if (!entry.isShard())
      continue;
    // Entries of one dim come outer first; each splits what is left.
    Chunk &chunk = box[entry.dim];
    int64_t parts = mesh.size(entry.axis);
    int64_t most = (chunk.size + parts - 1) / parts;
    int64_t begin = std::min(chunk.size, coordinates[entry.axis] * most);
    int64_t end = std::min(chunk.size, begin + most);
    chunk = {chunk.offset + begin, end - begin};
  }
  return box;
}

static Reduction reductionOf(const Placement &placement) {
  for (const Placement::Entry &entry : placement.entries())
    if (entry.isPartial())
      return entry.reduction;
  return Reduction::Sum;
}

static std::string describe(ArrayRef<int64_t> index) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(index, os);
  os << "]";
  return text;
}

namespace {
/// Finds for one element who holds it, one rank for each contribution.
class Joiner {
public:
  Joiner(const Held &held, const Mesh &mesh) : held(held), mesh(mesh) {
    contributors = mesh.group(0, held.placement.partialAxes());
    for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
      // The rank of the same coordinates along partial axes, else zero.
      SmallVector<int64_t> own = mesh.coordinates(rank);
      SmallVector<int64_t> key(mesh.numAxes(), 0);
      for (unsigned axis : held.placement.partialAxes())
        key[axis] = own[axis];
      contributionOf.push_back(llvm::find(contributors, mesh.rank(key)) -
                               contributors.begin());
    }
  }

  /// Joins one element. Returns what is wrong where copies differ, or "".
  std::string join(ArrayRef<int64_t> index) {
    values.assign(contributors.size(), Scalar());
    holders.assign(contributors.size(), -1);
    Type type = held.elementType();
    for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
      const Scalar *own = held.ranks[rank].find(index);
      if (!own)
        continue;
      size_t contribution = contributionOf[rank];
      if (holders[contribution] < 0) {
        holders[contribution] = rank;
        values[contribution] = *own;
      } else if (!areSame(values[contribution], *own, type)) {
        return copiesDiffer(index, holders[contribution], rank, *own);
      }
    }
    joined = values[0];
    for (Scalar value : ArrayRef<Scalar>(values).drop_front())
      joined = combine(reductionOf(held.placement), joined, value, type);
    return "";
  }

  /// `14, joined of 7 on rank 0 and 7 on rank 1`.
  std::string describeJoined() const {
    Type type = held.elementType();
    std::string text = toString(joined, type);
    if (values.size() > 1)
      text += ", joined of ";
    else
      text += " on ";
    for (size_t i = 0; i < values.size(); ++i) {
      if (values.size() > 1)
        text += (i == 0                  ? ""
                 : i + 1 < values.size() ? ", "
                                         : " and ") +
                toString(values[i], type) + " on ";
      text += "rank " + std::to_string(holders[i]);
    }
    return text;
  }

  Scalar joined;

private:
  std::string copiesDiffer(ArrayRef<int64_t> index, int64_t one, int64_t other,
                           Scalar got) const {
    SmallVector<int64_t> a = mesh.coordinates(one), b = mesh.coordinates(other);
    unsigned axis = 0;
    while (a[axis] == b[axis])
      ++axis;
    Type type = held.elementType();
    return ("axis \"" + mesh.name(axis) + "\": copies differ at element " +
            describe(index) + ": expected " +
            toString(values[contributionOf[one]], type) + " as on rank " +
            Twine(one) + ", got " + toString(got, type) + " on rank " +
            Twine(other))
        .str();
  }

  const Held &held;
  const Mesh &mesh;
  /// One rank for each combination of coordinates along partial axes.
  SmallVector<int64_t> contributors;
  SmallVector<size_t> contributionOf;
  SmallVector<Scalar> values;
  SmallVector<int64_t> holders;
};
} // namespace

std::string findDifference(const Held &held, const Mesh &mesh) {
  Joiner joiner(held, mesh);
  Type type = held.elementType();
  bool isFloat = isa<FloatType>(type);
  double largest = 1;
  for (Scalar scalar : held.global.elements)
    if (isFloat && scalar.defined && std::isfinite(scalar.real))
      largest = std::max(largest, std::abs(scalar.real));
  double tolerance = held.exact ? 0 : 1e-9 * largest;
  std::string difference;
  forEachIndex(held.global.box, [&](ArrayRef<int64_t> index) {
    if (!difference.empty())
      return;
    Scalar expected = held.global.read(index);
    // Nobody depends on it, so the ranks may hold anything.
    if (!expected.defined)
      return;
    difference = joiner.join(index);
    if (!difference.empty() || areSame(joiner.joined, expected, type) ||
        (isFloat && joiner.joined.defined &&
         std::abs(joiner.joined.real - expected.real) <= tolerance))
      return;
    difference = "placed " + held.placement.str(mesh) +
                 ", differs from the global program at element " +
                 describe(index) + ": expected " + toString(expected, type) +
                 ", got " + joiner.describeJoined();
  });
  return difference;
}

std::string assemble(Held &held, const Mesh &mesh) {
  Joiner joiner(held, mesh);
  held.global = Piece(wholeBox(held.shape()));
  std::string difference;
  forEachIndex(held.global.box, [&](ArrayRef<int64_t> index) {
    if (difference.empty())
      difference = joiner.join(index);
    *held.global.find(index) = joiner.joined;
  });
  return difference;
}

/// The element as the first of `ranks` that holds it has it, or `missing`.
static Scalar take(const std::vector<Piece> &pieces, ArrayRef<int64_t> ranks,
                   ArrayRef<int64_t> index, Scalar missing = {}) {
  for (int64_t rank : ranks)
    if (const Scalar *own = pieces[rank].find(index))
      return *own;
  return missing;
}

void gather(const Mesh &mesh, const Held &held, int64_t rank,
            ArrayRef<unsigned> axes, Scalar missing, Piece &piece) {
  SmallVector<int64_t> holders = mesh.group(rank, axes);
  // What the rank has of its own it does not take from others.
  holders.insert(holders.begin(), rank);
  forEachIndex(piece.box, [&](ArrayRef<int64_t> index) {
    *piece.find(index) = take(held.ranks, holders, index, missing);
  });
}

std::vector<Piece> move(const Mesh &mesh, RankedTensorType type,
                        const std::vector<Piece> &pieces, const Placement &from,
                        const Placement &to, ArrayRef<unsigned> axes) {
  // Per axis of the group: partials are joined, or stay, or begin (a partial of
  // another kind does both); along the others any rank that holds the element
  // will do.
  bool sameKind = reductionOf(from) == reductionOf(to);
  SmallVector<unsigned> joined, begun, others;
  for (unsigned axis : axes) {
    bool stays = from.isPartial(axis) && to.isPartial(axis) && sameKind;
    if (from.isPartial(axis) && !stays)
      joined.push_back(axis);
    if (to.isPartial(axis) && !stays)
      begun.push_back(axis);
    if (!from.isPartial(axis))
      others.push_back(axis);
  }
  Type element = type.getElementType();
  std::vector<Piece> result;
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
    Piece piece(boxOf(mesh, to, type.getShape(), rank));
    SmallVector<int64_t> coordinates = mesh.coordinates(rank);
    bool keeps = llvm::all_of(
        begun, [&](unsigned axis) { return coordinates[axis] == 0; });
    forEachIndex(piece.box, [&](ArrayRef<int64_t> index) {
      Scalar &target = *piece.find(index);
      if (!keeps) {
        target = neutral(reductionOf(to), element);
        return;
      }
      std::optional<Scalar> sum;
      for (int64_t contributor : mesh.group(rank, joined)) {
        SmallVector<int64_t> holders = mesh.group(contributor, others);
        // What a rank has of its own it does not take from others.
        holders.insert(holders.begin(), contributor);
        Scalar own = take(pieces, holders, index);
        sum = sum ? combine(reductionOf(from), *sum, own, element) : own;
      }
      target = *sum;
    });
    result.push_back(std::move(piece));
  }
  return result;
}

} // namespace tpc::simulate
