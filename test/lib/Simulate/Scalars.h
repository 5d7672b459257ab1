// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs operations on scalars: the bodies of structured operations.
#ifndef TPC_TEST_LIB_SIMULATE_SCALARS_H
#define TPC_TEST_LIB_SIMULATE_SCALARS_H

#include "Values.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace tpc::simulate {

/// Straight-line operations on scalars, ready to run many times. Common
/// arithmetic is a table; everything else is folded as an operation on
/// constants by its own dialect, on f64 in place of narrower floats.
class ScalarProgram {
public:
  /// The operations of `block`: block arguments in, terminator operands out.
  llvm::LogicalResult build(mlir::Block &block);
  /// One operation: its operands in, its results out.
  llvm::LogicalResult build(mlir::Operation *op);

  /// Values from outside of the block that it uses; bind each before running.
  llvm::ArrayRef<mlir::Value> captures() const { return captureList; }
  void bind(unsigned capture, Scalar scalar) {
    slots[captureSlots[capture]] = scalar;
  }

  /// `indices`: what linalg.index gives, by loop.
  void run(llvm::ArrayRef<Scalar> arguments, llvm::ArrayRef<int64_t> indices,
           llvm::MutableArrayRef<Scalar> results);

  /// False once a float was computed that is no integer doubles hold exactly.
  bool isExact() const { return exact; }
  /// The first operation that could not be computed, or null.
  mlir::Operation *failingOperation() const { return failing; }

private:
  using Real1 = double (*)(double);
  using Real2 = double (*)(double, double);
  using Real3 = double (*)(double, double, double);
  struct Instruction {
    mlir::Operation *op;
    llvm::SmallVector<unsigned, 3> operands;
    unsigned firstResult = 0;
    Real1 real1 = nullptr;
    Real2 real2 = nullptr;
    Real3 real3 = nullptr;
    /// The operation on f64, for folding; null where not folded.
    mlir::Operation *lifted = nullptr;
  };

  unsigned slotOf(mlir::Value value);
  unsigned addSlot(mlir::Value value);
  llvm::LogicalResult append(mlir::Operation *op);
  mlir::Operation *lift(mlir::Operation *op);
  void execute(const Instruction &instruction, llvm::ArrayRef<int64_t> indices);
  Scalar compare(const Instruction &instruction) const;
  void fold(const Instruction &instruction);
  void foldFailed(const Instruction &instruction);

  llvm::DenseMap<mlir::Value, unsigned> numbers;
  std::vector<Scalar> slots;
  std::vector<Instruction> instructions;
  llvm::SmallVector<unsigned> argumentSlots, resultSlots, captureSlots;
  llvm::SmallVector<mlir::Value> captureList;
  /// Owns the lifted operations and gives them operands.
  mlir::Block scratch;
  bool exact = true;
  mlir::Operation *failing = nullptr;
};

} // namespace tpc::simulate

#endif // TPC_TEST_LIB_SIMULATE_SCALARS_H
