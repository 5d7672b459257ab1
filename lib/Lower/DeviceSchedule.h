// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a kernel is shared among the blocks and threads of a GPU.
#ifndef TPC_LOWER_DEVICESCHEDULE_H
#define TPC_LOWER_DEVICESCHEDULE_H

#include "Kernels.h"
#include "NestLoops.h"
#include "Selection.h"

namespace tpc::lower {

/// Shared memory that a block has on all GPUs without asking for it.
inline constexpr int64_t kStaticShared = 48 << 10;
/// Threads along the columns of a Column kernel and the sides of a tile.
inline constexpr int64_t kTileSide = 32;
/// Bytes of a value in the memory through which warps join.
inline constexpr int64_t kJoinSlot = 8;

/// How threads that share the points of a result join what they have.
struct Joins {
  /// Per accumulated output, in any order, from the operation's neutral element
  /// on.
  llvm::SmallVector<mlir::Operation *> operations;
  /// Or all outputs together, from what they start from on.
  std::optional<Selection> selection;
};

/// Nothing when some accumulated output cannot be joined.
std::optional<Joins> findJoins(const Nest &nest);

/// One nest of a device kernel. Its dims are those of `loops`: the launch
/// range, the other parallel ones, and the reductions.
struct DevicePart {
  const Nest *nest = nullptr;
  llvm::SmallVector<unsigned> pointers;
  ArrangedLoops loops;
  llvm::SmallVector<unsigned> launch, parallel, reductions;

  /// What the threads of a team do in it.
  enum class Form {
    /// Every thread takes results of its own, and all points of them.
    Results,
    /// `lanes` threads share the points of a result, and join what they have.
    Join,
    /// The team takes the points in order, a prefix sum at a time.
    Scan
  };
  Form form = Form::Results;
  std::optional<Joins> joins;
  int64_t lanes = 1;
  /// A thread takes so many neighbours of the innermost dim it runs along.
  int64_t vector = 1;
  /// Per access: its elements along a vector lie side by side, at a multiple of
  /// the vector's size, and are read or written at once.
  llvm::SmallVector<bool> vectorised;

  int64_t count(llvm::ArrayRef<unsigned> dims) const {
    int64_t points = 1;
    for (unsigned dim : dims)
      points *= loops.loops.dims[dim].extent;
    return points;
  }
  int64_t stride(unsigned dim, unsigned access) const {
    return loops.loops.dims[dim].strides[access];
  }
  /// Whether neighbours along `y`, and not along `x`, are neighbours in memory.
  bool isTurned(unsigned access, unsigned x, unsigned y) const {
    return stride(x, access) != 0 && stride(x, access) != 1 &&
           stride(y, access) == 1;
  }
  /// Of a tile in shared memory, whose rows are padded so that neither
  /// direction meets in one bank.
  int64_t tileBytes(unsigned access) const;
};

/// A part of a buffer that a team keeps in shared memory.
struct StagedPlace {
  /// Bytes from the start of the team's memory.
  int64_t offset = 0;
  int64_t elements = 0, elementBytes = 0;
  /// Read from global memory before the first part.
  bool loads = false;
  /// The part whose writes go to global memory too, and the first and the last
  /// part that reads or writes.
  std::optional<unsigned> storesIn;
  unsigned firstPart = 0, lastPart = 0;

  int64_t alignedBytes() const;
};

/// Bytes that a kernel reads and writes in global memory: as it is written,
/// each pass over the elements of an access counted once, and at least.
struct KernelTraffic {
  int64_t read = 0, written = 0, leastRead = 0, leastWritten = 0;
};

struct DeviceKernel {
  enum class Kind {
    /// A thread per point, or vector of them.
    Point,
    /// Tiles of two dims, turned in shared memory.
    Transpose,
    /// A thread per result.
    Result,
    /// Blocks of neighbouring results, each row of threads a share of the
    /// points.
    Column,
    /// A team of threads per unit: all parts, one after the other.
    Row
  };
  Kind kind = Kind::Point;
  int64_t grid = 1, block = 32;
  /// Row: threads of a unit.
  int64_t team = 32;
  /// Transpose: the dim, besides the innermost one, that tiles are of.
  unsigned tileDim = 0;
  std::vector<DevicePart> parts;
  /// Per pointer of the kernel.
  llvm::SmallVector<std::optional<StagedPlace>> staged;
  /// Result kernels that add in memory: threads of one column share the rows of
  /// the result, of which an index of the nest, the owner, chooses one.
  int64_t owners = 1;
  unsigned ownerIndex = 0;
  /// Shared memory of one team for staged places, and of the block.
  int64_t teamBytes = 0, sharedBytes = 0;
  /// Whether addresses fit into 32 bits.
  bool narrow = true;
  KernelTraffic traffic;

  llvm::StringRef kindName() const;
  /// The launch says how much shared memory there is.
  bool isSharedDynamic() const { return sharedBytes > kStaticShared; }
  int64_t teams() const { return block / team; }
  /// Rows of one owner.
  int64_t ownedRows() const;
};

/// `extent` of a kernel's parts is positive. A block may have `sharedLimit`
/// bytes of shared memory.
DeviceKernel scheduleDeviceKernel(const Kernel &kernel, int64_t sharedLimit);

/// Decides what the teams of `schedule` keep in shared memory, of `room` bytes
/// for each. DeviceStaging.cpp.
void stagePlaces(const Kernel &kernel, DeviceKernel &schedule, int64_t room);

/// What the kernel moves. DeviceTraffic.cpp.
KernelTraffic countTraffic(const Kernel &kernel, const DeviceKernel &schedule);

/// The elements along the dims `dims` that an access moves over when they lie
/// densely from its start, else nothing.
std::optional<int64_t> denseElements(const DevicePart &part,
                                     llvm::ArrayRef<unsigned> dims,
                                     unsigned access);

} // namespace tpc::lower

#endif // TPC_LOWER_DEVICESCHEDULE_H
