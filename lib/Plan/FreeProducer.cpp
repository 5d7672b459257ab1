// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which values any rank can make by itself, and which of them may be
// called partial.

#include "FreeProducer.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace tpc;

/// The scalar every element of a free producer has, or null for an empty one.
static TypedAttr getSplatValue(Operation *op) {
  Attribute value;
  if (!op || op->getNumResults() != 1)
    return nullptr;
  if (matchPattern(op->getResult(0), m_Constant(&value))) {
    if (auto splat = dyn_cast<SplatElementsAttr>(value))
      return cast<TypedAttr>(splat.getSplatValue<Attribute>());
    return nullptr;
  }
  StringRef name = op->getName().getStringRef();
  if ((name == "linalg.fill" || name == "tensor.splat") &&
      matchPattern(op->getOperand(0), m_Constant(&value)))
    return dyn_cast<TypedAttr>(value);
  return nullptr;
}

bool tpc::isFreeProducer(Operation *op) {
  if (!op)
    return false;
  return op->getName().getStringRef() == "tensor.empty" ||
         (getSplatValue(op) && op->getNumResults() == 1 &&
          isa<RankedTensorType>(op->getResult(0).getType()));
}

bool tpc::isNeutral(Operation *producer, Reduction reduction) {
  TypedAttr value = getSplatValue(producer);
  if (!value)
    return false;
  if (auto number = dyn_cast<FloatAttr>(value)) {
    APFloat v = number.getValue();
    switch (reduction) {
    case Reduction::Sum:
      return v.isZero();
    case Reduction::Prod:
      return v.isExactlyValue(1.0);
    case Reduction::Max:
      return v.isInfinity() && v.isNegative();
    case Reduction::Min:
      return v.isInfinity() && !v.isNegative();
    default:
      return false;
    }
  }
  if (auto number = dyn_cast<IntegerAttr>(value)) {
    APInt v = number.getValue();
    switch (reduction) {
    case Reduction::Sum:
    case Reduction::Or:
      return v.isZero();
    case Reduction::Prod:
      return v.isOne();
    case Reduction::And:
      return v.isAllOnes();
    case Reduction::Max:
      return v.isMinSignedValue();
    case Reduction::Min:
      return v.isMaxSignedValue();
    }
  }
  return false;
}
