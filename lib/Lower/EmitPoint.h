// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what a nest does at one point of its loops: the reads, the body and
// the writes. CPU and device kernels differ in the loops around it, and in
// where some elements lie.
#ifndef TPC_LOWER_EMITPOINT_H
#define TPC_LOWER_EMITPOINT_H

#include "Kernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tpc::lower {

/// f16 and bf16: computed in 32 bits and rounded.
bool isHalf(mlir::Type type);

/// How a scalar lies in memory. Brain floats are read and written as integers:
/// most targets have no instructions for them.
mlir::Type storageType(mlir::Type type);

/// The host values among the scalars of the parts, as they lie in memory.
llvm::SmallVector<mlir::Type> hostScalarTypes(const Kernel &kernel);

/// The operation of a body that gives `yielded` and that alone reads `carried`:
/// all it does is to join the carried value with what comes next. Nothing when
/// the joined value is used for more.
mlir::Operation *findJoin(mlir::Value carried, mlir::Value yielded);

/// The same for accumulated output `number` of a nest.
mlir::Operation *findJoin(const Nest &nest, unsigned number);

class PointEmitter {
protected:
  /// Addresses are computed in `indexType`.
  PointEmitter(mlir::Location loc, mlir::Type indexType)
      : b(loc, loc.getContext()), i64(b.getI64Type()), indexType(indexType),
        ptr(mlir::LLVM::LLVMPointerType::get(loc.getContext())) {}
  virtual ~PointEmitter() = default;

  /// Goes on with a nest whose accesses go through `pointers`, at `addresses`
  /// of its new dims. Takes its host values off the front of `hostValues`,
  /// unless only addresses are asked for.
  void beginNest(const Nest &next, llvm::ArrayRef<mlir::AffineExpr> addresses,
                 llvm::ArrayRef<mlir::AffineExpr> originalDims,
                 llvm::ArrayRef<unsigned> pointers, size_t numDims,
                 bool takesScalars = true);

  /// The body at the current indices. `carried` are the accumulated outputs'
  /// last values; returns their next ones.
  llvm::SmallVector<mlir::Value> emitPoint(mlir::ValueRange carried);
  /// The values that the body yields.
  llvm::SmallVector<mlir::Value> emitBody(mlir::ValueRange carried);

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantOp::create(b,
                                           b.getIntegerAttr(indexType, value));
  }
  mlir::Value evaluate(mlir::AffineExpr expr);
  bool isIndirect(unsigned access) const;
  virtual mlir::Value addressOf(unsigned access);
  virtual mlir::Value load(unsigned access);
  virtual void store(mlir::Value value, unsigned access);
  mlir::Value read(Nest::Source source);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value fromStorage(mlir::Value stored, mlir::Type type);
  mlir::Value toStorage(mlir::Value value);
  /// What is read through an index that is out of range is 0.
  mlir::Value selectInRange(mlir::Value stored, unsigned access);
  /// The value as output `access` holds it in memory.
  mlir::Value roundToStorage(mlir::Value value, unsigned access);
  mlir::Value cloneOperation(mlir::Operation &op, mlir::IRMapping &mapping,
                             bool joins);
  void readIndices();

  mlir::ImplicitLocOpBuilder b;
  mlir::Type i64, indexType, ptr;
  /// Sums of 16-bit floats stay in 32 bits until they are stored.
  bool keepsSumsWide = false;

  /// The pointers of the kernel and the host values of its nests.
  llvm::SmallVector<mlir::Value> pointerValues, hostValues;
  // Of the nest that is being written: its scalars, and the loop indices so
  // far.
  const Nest *nest = nullptr;
  llvm::ArrayRef<mlir::AffineExpr> addresses, originalDims;
  llvm::ArrayRef<unsigned> pointers;
  llvm::SmallVector<mlir::Value> scalarValues, indices;
  /// At the current point: the indices read from memory, 0 in place of one out
  /// of range, and whether all are within range.
  llvm::SmallVector<mlir::Value> indexValues;
  mlir::Value inRange;

private:
  /// Adds `value` to what memory holds, unless an index is out of range.
  void addInMemory(mlir::Value value, unsigned access);
};

} // namespace tpc::lower

#endif // TPC_LOWER_EMITPOINT_H
