// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function as the lower stage sees it: buffers, and a list of actions on them
// in which markers enclose the bodies of loops and branches.
//
// `buildProgram` translates a function of tensors into this form, `planBuffers`
// gives each buffer its place, and the host emitter writes it out. Nothing here
// changes the IR that it was made from; values in it stay those of the
// function.
#ifndef TPC_LOWER_PROGRAM_H
#define TPC_LOWER_PROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineExpr.h"
#include "tpc/Dialect/TP/TP.h"
#include <optional>

namespace tpc::lower {

using BufferId = unsigned;

/// What a rank enqueues work on, by the numbers of tpc_rt/abi.h. The work of
/// one stream is done in order; streams run side by side.
enum class Stream { Compute = 0, Gather = 1, Reduce = 2 };
inline constexpr unsigned kNumStreams = 3;

/// One tensor's memory. Row-major, without gaps.
struct Buffer {
  enum class Origin { Argument, Constant, Computed };
  Origin origin = Origin::Computed;
  int64_t bytes = 0;
  /// Argument: its number.
  unsigned argument = 0;
  /// Constant: the elements.
  mlir::DenseElementsAttr constant;
  /// The result it is returned as.
  std::optional<unsigned> result;
};

/// A start that the host computes: `index`, taken into 0 to `last`, times
/// `stride` elements.
struct HostOffset {
  mlir::Value index;
  int64_t last = 0, stride = 0;

  bool operator==(const HostOffset &other) const {
    return index == other.index && last == other.last && stride == other.stride;
  }
};

/// Where the elements of an access are counted from: the start of its buffer
/// and the sum of these.
using HostOffsets = llvm::SmallVector<HostOffset, 1>;

/// How a loop nest reads or writes one buffer.
struct Access {
  BufferId buffer;
  mlir::Type elementType;
  /// The element, from the loop dims and the indices of the nest, which are its
  /// symbols.
  mlir::AffineExpr address;
  HostOffsets offsets = {};
};

/// A perfect loop nest with a scalar body, over one or more results.
struct Nest {
  llvm::SmallVector<int64_t> extents;
  /// Per dim: a reduction (or any order-dependent) loop.
  llvm::SmallVector<bool> reduction;
  llvm::SmallVector<Access> accesses;
  /// A number that is read from memory and used in addresses. Where one is
  /// below 0 or not below its bound, which is positive, what is read through it
  /// is 0, and nothing is written through it.
  struct Index {
    unsigned access;
    int64_t bound;
  };
  llvm::SmallVector<Index> indices;
  /// Scalars from outside the nest: constants as attributes, host values.
  llvm::SmallVector<mlir::OpFoldResult> scalars;
  /// Values that the body uses from outside: the last of `scalars`.
  llvm::SmallVector<mlir::Value> captured;

  /// A value the body starts from: an access or a scalar, by number, or
  /// nothing when the body does not use it.
  struct Source {
    enum class Kind { None, Scalar, Access } kind = Kind::None;
    unsigned number = 0;
  };
  /// Per input of the body.
  llvm::SmallVector<Source> inputs;

  struct Output {
    /// The access it is stored through.
    unsigned access = 0;
    /// Carried over the reduction loops: the body sees the last value.
    bool accumulated = false;
    /// The value is added to what memory holds.
    bool adds = false;
    /// The value is added to the one that is carried, and stored at every step:
    /// with what the step adds, or before it.
    enum class Scan { None, Inclusive, Exclusive } scan = Scan::None;
    /// What an accumulated output starts from, or what the body reads of an
    /// output that it uses.
    Source init;
  };
  llvm::SmallVector<Output> outputs;

  /// The body of a linalg.generic: one argument per input and per output.
  /// Null: output i is input i.
  mlir::Region *body = nullptr;

  int64_t points() const;
};

/// What a matmul call does besides; see tpc_rt/abi.h.
struct MatmulFlag {
  enum : int32_t {
#define TPC_RT_ENTRY(...)
#define TPC_RT_FLAG(name, value) name = value,
#include "tpc_rt/abi.def"
  };
};

/// Element strides of a matrix product, as in tpc_rt_matmul_t.
struct Matmul {
  static constexpr unsigned kMaxBatch = 6;
  int32_t dtype = 0;
  int32_t resultType = 0;
  bool accumulate = false;
  /// Bits of MatmulFlag.
  int32_t flags = 0;
  int64_t auxStride = 0;
  /// What the flags want; among the action's reads or writes.
  std::optional<BufferId> bias, aux;
  /// Memory for the time of the call; among the action's reads and writes.
  std::optional<BufferId> workspace;
  int64_t workspaceBytes = 0;
  int64_t m = 1, n = 1, k = 1;
  struct BatchDim {
    int64_t extent, a, b, c;
  };
  llvm::SmallVector<BatchDim> batch;
  int64_t aRow = 0, aCol = 0, bRow = 0, bCol = 0, cRow = 0, cCol = 0;

  /// True for f32 factors.
  bool isF32() const { return dtype == 0; }
  bool isF64() const { return dtype == 1; }
};

/// One call of the compiled function, or a marker.
struct Action {
  enum class Kind {
    /// A loop nest, run as a kernel.
    Loops,
    /// A plain copy; dropped when source and target share their place.
    Copy,
    Matmul,
    /// A tp.attention or tp.attention_grad.
    Attention,
    Collective,
    /// A scalar operation, done on the host.
    Scalar,
    /// An element that the host reads from a buffer.
    Extract,
    /// An event of a stream, and a stream that waits for one (see addEvents).
    Record,
    Wait,
    /// Around the body of an scf.for.
    LoopBegin,
    LoopEnd,
    /// Around the branches of an scf.if: the first one, then the other.
    BranchBegin,
    BranchElse,
    BranchEnd
  };
  Kind kind;
  mlir::Location loc;
  llvm::SmallVector<BufferId> reads, writes;
  /// (write, read): the written buffer may take the place of the one read.
  llvm::SmallVector<std::pair<BufferId, BufferId>> reuse;
  Nest nest;
  /// Loops of equal group are one kernel; groups are numbered in order. With
  /// several members, `units` is their common launch range.
  unsigned group = 0;
  std::optional<int64_t> units;
  Matmul matmul;
  /// Of all kinds but nests, copies, products and events: the operation.
  mlir::Operation *op = nullptr;
  /// Collective: where it is enqueued. Record and Wait: of which stream.
  Stream stream = Stream::Compute;
  /// Record, Wait: the number.
  unsigned event = 0;
  /// Buffers that collectives of other streams may still use at this point.
  llvm::SmallVector<BufferId, 0> held;
  /// Extract: where the element is.
  HostOffsets offsets;

  Action(Kind kind, mlir::Location loc, mlir::Operation *op = nullptr)
      : kind(kind), loc(loc), op(op) {}

  bool isMarker() const { return kind >= Kind::LoopBegin; }
};

struct Program {
  mlir::func::FuncOp function;
  std::vector<Buffer> buffers;
  std::vector<Action> actions;
  /// Numbers of events that are used.
  unsigned numEvents = 0;
};

/// What matmul calls of the target do.
struct ProductOptions {
  /// f32 sums of 16-bit floats, and operations marked `tp.epilogue`.
  bool fused = false;
  /// Factors of f32 may be rounded to TF32.
  bool tf32 = false;
  /// What the matrix library may use while it computes one; all calls have the
  /// same.
  int64_t workspaceBytes = 0;
};

/// Actions that are enqueued as one: a kernel group, or a single other action,
/// with the host arithmetic behind it. Begin and end are numbers of actions.
struct Unit {
  unsigned begin, end;
};

/// The units between two markers, or a marker and an end of the program. Work
/// that was enqueued in one is complete for the next.
struct Run {
  unsigned begin, end;
  std::vector<Unit> units;

  bool isFirst() const { return begin == 0; }
  bool isLast(const Program &program) const {
    return end == program.actions.size();
  }
};
std::vector<Run> findRuns(const Program &program);

/// The actions of `function`. Reports what it does not support on the
/// operation at fault.
mlir::FailureOr<Program> buildProgram(mlir::func::FuncOp function,
                                      ProductOptions options = {});

/// Bytes of one element in memory, 0 for types tensors may not have here.
int64_t elementBytes(mlir::Type type);

} // namespace tpc::lower

#endif // TPC_LOWER_PROGRAM_H
