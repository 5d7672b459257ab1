// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers, boxes of tensors and who holds what in a simulation.
#ifndef TPC_TEST_LIB_SIMULATE_VALUES_H
#define TPC_TEST_LIB_SIMULATE_VALUES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "tpc/Support/Placement.h"
#include <vector>

namespace tpc::simulate {

/// One number. Floats of every width are held, and computed with, in double
/// precision, so that what differs is a fault and no rounding; integers are
/// sign-extended. An undefined number is one nobody may depend on: what
/// tensor.empty holds, what lies behind a chunk. Whatever is computed from it
/// is undefined too.
struct Scalar {
  bool defined = false;
  union {
    int64_t integer = 0;
    double real;
  };

  static Scalar ofInteger(int64_t value) {
    Scalar scalar;
    scalar.defined = true;
    scalar.integer = value;
    return scalar;
  }
  static Scalar ofReal(double value) {
    Scalar scalar;
    scalar.defined = true;
    scalar.real = value;
    return scalar;
  }
};

/// The number in an IntegerAttr or FloatAttr.
Scalar toScalar(mlir::Attribute attr);
/// The number as an attribute of `type`; it must be defined.
mlir::Attribute toAttribute(Scalar scalar, mlir::Type type);
/// `7`, `0.5` or `nothing`.
std::string toString(Scalar scalar, mlir::Type type);
/// The same bits; all NaNs count as one number.
bool areSame(Scalar a, Scalar b, mlir::Type type);

/// `reduction` of two numbers, and the number that leaves the other one alone.
Scalar combine(Reduction reduction, Scalar a, Scalar b, mlir::Type type);
Scalar neutral(Reduction reduction, mlir::Type type);

using Box = llvm::SmallVector<Chunk, 4>;
Box wholeBox(llvm::ArrayRef<int64_t> shape);
Chunk intersect(Chunk a, Chunk b);
/// Calls `visit` for every index in `box`, row-major.
void forEachIndex(llvm::ArrayRef<Chunk> box,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// What somebody holds of a tensor: the numbers of a box of it, found by their
/// indices in the whole tensor. A scalar is a tensor without dims.
struct Piece {
  Box box;
  std::vector<Scalar> elements;

  Piece() = default;
  /// Undefined everywhere.
  explicit Piece(Box box);
  static Piece ofScalar(Scalar scalar);

  /// Null where the index is not in the box.
  const Scalar *find(llvm::ArrayRef<int64_t> index) const;
  Scalar *find(llvm::ArrayRef<int64_t> index) {
    return const_cast<Scalar *>(std::as_const(*this).find(index));
  }
  /// Undefined where the index is not in the box.
  Scalar read(llvm::ArrayRef<int64_t> index) const {
    const Scalar *found = find(index);
    return found ? *found : Scalar();
  }
};

/// A value of the program: of the global program, and what each rank holds.
struct Held {
  mlir::Type type;
  Placement placement;
  Piece global;
  std::vector<Piece> ranks;
  /// True when all numbers it was made from are integers that doubles hold
  /// exactly: then the order of sums makes no difference.
  bool exact = true;

  mlir::Type elementType() const { return mlir::getElementTypeOrSelf(type); }
  llvm::ArrayRef<int64_t> shape() const {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return tensor ? tensor.getShape() : llvm::ArrayRef<int64_t>();
  }
};

} // namespace tpc::simulate

#endif // TPC_TEST_LIB_SIMULATE_VALUES_H
