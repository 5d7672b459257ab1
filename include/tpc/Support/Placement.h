// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a global tensor lives on a mesh: the placement algebra.
//
// A placement gives every mesh axis one of three states.
//   R         replicated: every rank along the axis holds the same bits
//   S(d)      sharded: the rank with coordinate i holds the i-th chunk of
//             tensor dim d, chunks of ceil(n / k), the last ones shorter or
//             empty
//   P(op)     partial: the global tensor is `op` over the ranks' tensors
// Axes not written are replicated. When several axes shard the same dim the
// order in which they are written is the nesting: the first is the outer one.
//
// Worked example, mesh ["dp" = 2, "tp" = 2] (rank = 2 * dp + tp), a tensor of
// 8 rows and 4 columns:
//
//   placement            rank 0       rank 1       rank 2       rank 3
//   []                   rows 0..7    rows 0..7    rows 0..7    rows 0..7
//   [dp: S(0)]           rows 0..3    rows 0..3    rows 4..7    rows 4..7
//   [dp: S(0), tp: S(0)] rows 0,1     rows 2,3     rows 4,5     rows 6,7
//   [tp: S(0), dp: S(0)] rows 0,1     rows 4,5     rows 2,3     rows 6,7
//   [dp: S(0), tp: S(1)] rows 0..3    rows 0..3    rows 4..7    rows 4..7
//                        cols 0,1     cols 2,3     cols 0,1     cols 2,3
//
// The fourth line is what others call a strided shard. It is only an order.
//
// Uneven: 5 rows under [tp: S(0), dp: S(0)]. tp splits 5 into 3 and 2; dp
// splits each of those by the same rule with its own length: 3 into 2 and 1, 2
// into 1 and 1. Every rank's buffer has the size of the largest chunk, here 2;
// what lies behind a shorter chunk is padding and has no meaning.
#ifndef TPC_SUPPORT_PLACEMENT_H
#define TPC_SUPPORT_PLACEMENT_H

#include "tpc/Support/Mesh.h"
#include "llvm/ADT/Hashing.h"

namespace tpc {

/// The operation that joins the ranks' tensors of a partial value.
enum class Reduction : uint8_t { Sum, Max, Min, Prod, And, Or };

/// `sum`, `max`, `min`, `prod`, `and`, `or`.
llvm::StringRef stringify(Reduction reduction);
std::optional<Reduction> parseReduction(llvm::StringRef text);

/// The part of one dimension that a rank holds, in elements.
struct Chunk {
  int64_t offset = 0;
  int64_t size = 0;
  bool operator==(const Chunk &o) const {
    return offset == o.offset && size == o.size;
  }
};

/// The `index`-th of `parts` chunks of `length` elements: ceil(length / parts)
/// elements each, the last ones shorter or empty.
Chunk chunkOf(int64_t length, int64_t parts, int64_t index);

/// The state of all axes of one mesh for one tensor. Axes are numbers into a
/// Mesh that the caller keeps. Value type with equality, order and hash; two
/// placements with the same meaning compare equal whatever order they were
/// written in.
class Placement {
public:
  enum class Kind : uint8_t { Shard, Partial };
  struct Entry {
    unsigned axis;
    Kind kind;
    /// Shard: the tensor dim.
    unsigned dim = 0;
    /// Partial: how the ranks' tensors are joined.
    Reduction reduction = Reduction::Sum;

    static Entry shard(unsigned axis, unsigned dim) {
      return {axis, Kind::Shard, dim, Reduction::Sum};
    }
    static Entry partial(unsigned axis, Reduction reduction) {
      return {axis, Kind::Partial, 0, reduction};
    }
    bool isShard() const { return kind == Kind::Shard; }
    bool isPartial() const { return kind == Kind::Partial; }
    bool operator==(const Entry &o) const {
      return axis == o.axis && kind == o.kind && dim == o.dim &&
             reduction == o.reduction;
    }
    bool operator<(const Entry &o) const {
      return std::tie(axis, kind, dim, reduction) <
             std::tie(o.axis, o.kind, o.dim, o.reduction);
    }
  };

  /// Replicated on every axis.
  Placement() = default;
  /// From entries in nesting order. An axis may appear once only (asserted;
  /// use `verify` on what a user wrote).
  explicit Placement(llvm::ArrayRef<Entry> entries);

  /// What a user may get wrong in `entries` for a tensor of `rank` dims on
  /// `mesh`: an axis out of range or named twice, a shard dim out of range,
  /// partials of different kinds.
  static llvm::Error verify(llvm::ArrayRef<Entry> entries, const Mesh &mesh,
                            int64_t rank);

  /// Parses the command-line form: `tp:S(0),dp:P(sum)`, `R`, or the empty
  /// text. Spaces are allowed. Errors name the axis and the text.
  static llvm::Expected<Placement> parse(llvm::StringRef text,
                                         const Mesh &mesh);

  /// Entries in canonical order: by axis, where shards of one dim take the
  /// places of their axes in nesting order.
  llvm::ArrayRef<Entry> entries() const { return entryList; }
  const Entry *find(unsigned axis) const;
  bool isReplicated() const { return entryList.empty(); }
  bool isReplicated(unsigned axis) const { return !find(axis); }
  bool hasPartial() const;
  bool isPartial(unsigned axis) const {
    const Entry *entry = find(axis);
    return entry && entry->isPartial();
  }
  /// The axes that shard `dim`, outer first.
  llvm::SmallVector<unsigned> shardAxes(unsigned dim) const;
  /// The partial axes in mesh order.
  llvm::SmallVector<unsigned> partialAxes() const;

  /// A copy with the state of one axis changed. A new shard becomes the inner
  /// split of its dim.
  Placement with(Entry entry) const;
  Placement withReplicated(unsigned axis) const;

  /// This rank's chunk of `dim` of a tensor whose dim has `length` elements.
  Chunk chunk(const Mesh &mesh, unsigned dim, int64_t length,
              int64_t rank) const;
  /// Elements per dim of every rank's buffer: the largest chunk of each dim.
  llvm::SmallVector<int64_t> localShape(const Mesh &mesh,
                                        llvm::ArrayRef<int64_t> shape) const;
  /// True when every rank's chunk of every dim fills its buffer.
  bool isEven(const Mesh &mesh, llvm::ArrayRef<int64_t> shape) const;
  bool isEven(const Mesh &mesh, unsigned dim, int64_t length) const;

  /// `[tp: S(0), dp: S(0)]`; `[]` when replicated.
  std::string str(const Mesh &mesh) const;

  bool operator==(const Placement &o) const { return entryList == o.entryList; }
  bool operator!=(const Placement &o) const { return !(*this == o); }
  bool operator<(const Placement &o) const { return entryList < o.entryList; }

private:
  llvm::SmallVector<Entry, 2> entryList;
};

llvm::hash_code hash_value(const Placement &placement);

} // namespace tpc

#endif // TPC_SUPPORT_PLACEMENT_H
