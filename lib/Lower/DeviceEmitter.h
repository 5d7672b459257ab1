// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes scheduled kernels as functions of one GPU thread.
#ifndef TPC_LOWER_DEVICEEMITTER_H
#define TPC_LOWER_DEVICEEMITTER_H

#include "DeviceSchedule.h"
#include "EmitPoint.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tpc::lower {

/// A kernel takes its pointers, then the host values of its parts. Barriers and
/// shuffles are reached by all threads of a block: what a thread must not do is
/// guarded where it writes, and what it must not read is read elsewhere.
class DeviceEmitter : PointEmitter {
public:
  DeviceEmitter(mlir::gpu::GPUModuleOp module, llvm::StringRef name,
                const Kernel &kernel, const DeviceKernel &schedule,
                mlir::Location loc);

  mlir::gpu::GPUFuncOp emit();

private:
  using Dims = llvm::ArrayRef<unsigned>;
  using Sums = llvm::SmallVector<mlir::Value>;

  // DevicePoints.cpp: kernels without threads that wait for others, and tiles.
  void emitPoints();
  void emitTiles();
  void emitResults();
  /// All points of the result at the current parallel indices.
  void emitResult();
  void emitOwned();

  // DeviceRows.cpp: what teams do.
  void emitRows();
  void emitPart();
  void emitStagedLoads(mlir::Value unit);
  void emitJoin();
  void emitScan();

  // DeviceSums.cpp: sums of several threads.
  void emitColumns();
  /// Partial sums of what `first`, `first` + `step`, ... below `count` number
  /// in the reductions, from where a share starts.
  Sums emitPartialSums(mlir::Value first, int64_t step);
  /// The sums over groups of `lanes` threads, in all of them.
  Sums joinLanes(Sums sums, int64_t lanes);
  /// Joins the sums with what the outputs start from and stores them.
  void storeSums(mlir::ValueRange sums);
  /// What joining changes nothing: neutral elements, or what a selection starts
  /// from.
  Sums neutralSums();
  /// The sums of two shares.
  Sums joinSums(mlir::ValueRange x, mlir::ValueRange y);
  Sums joinSelected(const Selection &selection, mlir::ValueRange x,
                    mlir::ValueRange y);
  mlir::Value join(mlir::Operation *join, mlir::Value x, mlir::Value y);
  mlir::Value neutral(mlir::Operation *join);
  /// Sums in the shared memory of joins, `number` of `count` of each.
  void leaveSums(mlir::ValueRange sums, int64_t count, mlir::Value number);
  Sums fetchSums(mlir::ValueRange like, int64_t count, mlir::Value number);
  mlir::Value shuffle(mlir::Value value, mlir::Value offset,
                      mlir::gpu::ShuffleMode mode);
  /// `value`, or 16-bit floats in 32 bits.
  mlir::Value widen(mlir::Value value);

  // DeviceEmitter.cpp
  void enter(const DevicePart &next, bool takesScalars = true);
  /// Sets the indices of `dims` from their number in row-major order, of which
  /// the last one counts vectors.
  void setIndices(Dims dims, mlir::Value number, int64_t vector = 1);
  /// One vector of points that starts at the current indices.
  Sums emitVector(unsigned inner, mlir::ValueRange carried);
  void flushVectors();
  Sums emitLoop(mlir::Value first, int64_t count, int64_t step,
                mlir::ValueRange carried,
                llvm::function_ref<Sums(mlir::Value, mlir::ValueRange)> body);
  void emitIf(mlir::Value condition, llvm::function_ref<void()> body);
  mlir::Value addressOf(unsigned access) override;
  mlir::Value load(unsigned access) override;
  void store(mlir::Value value, unsigned access) override;
  void writeElement(mlir::Value stored, unsigned access);
  mlir::Value globalAddress(unsigned access);
  mlir::Value sharedAddress(mlir::Value byte);
  /// Where thread or warp `number` leaves sum `sum` of `count` each.
  mlir::Value joinSlot(unsigned sum, int64_t count, mlir::Value number);
  mlir::Value at(mlir::Value base, mlir::Type type, mlir::Value index);
  bool isInvariant(unsigned access) const;

  mlir::Value plus(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddIOp::create(b, x, y);
  }
  mlir::Value times(mlir::Value x, int64_t y);
  mlir::Value quotient(mlir::Value x, int64_t y);
  mlir::Value rest(mlir::Value x, int64_t y);
  mlir::Value below(mlir::Value x, int64_t y);

  mlir::gpu::GPUModuleOp module;
  llvm::StringRef name;
  const Kernel &kernel;
  const DeviceKernel &schedule;
  mlir::Value thread, block, shared;
  /// Row kernels: the number in the team, and the team's memory.
  mlir::Value lane, teamMemory;

  /// The first row of the result that the thread adds to, if it shares them.
  mlir::Value firstOwned;

  const DevicePart *part = nullptr;
  unsigned partNumber = 0;
  /// Writes happen where this holds, if set.
  mlir::Value guard;
  /// Of the vector of points that is being written: which one it is, what was
  /// read at once or does not change, and what is to be written at once.
  std::optional<unsigned> vectorLane;
  llvm::SmallVector<mlir::Value> atOnce, pending;
  /// Per access: where its element lies in a tile in place of global memory.
  llvm::SmallVector<mlir::Value> tiles;
};

} // namespace tpc::lower

#endif // TPC_LOWER_DEVICEEMITTER_H
