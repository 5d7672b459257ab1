// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as attributes, their reductions, and boxes of tensors.

#include "Values.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace tpc::simulate {

static unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

Scalar toScalar(Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return Scalar::ofInteger(integer.getValue().getSExtValue());
  APFloat value = cast<FloatAttr>(attr).getValue();
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return Scalar::ofReal(value.convertToDouble());
}

Attribute toAttribute(Scalar scalar, Type type) {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, scalar.real);
  return IntegerAttr::get(type, APInt(widthOf(type), scalar.integer,
                                      /*isSigned=*/true,
                                      /*implicitTrunc=*/true));
}

std::string toString(Scalar scalar, Type type) {
  if (!scalar.defined)
    return "nothing";
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isa<FloatType>(type))
    os << llvm::format("%.9g", scalar.real);
  else
    os << (type.isInteger(1) ? scalar.integer & 1 : scalar.integer);
  return text;
}

bool areSame(Scalar a, Scalar b, Type type) {
  if (a.defined != b.defined)
    return false;
  if (!a.defined || a.integer == b.integer)
    return true;
  return isa<FloatType>(type) &&
         (a.real == b.real || (std::isnan(a.real) && std::isnan(b.real)));
}

/// `value` as an integer of `type` holds it.
static Scalar wrapped(uint64_t value, Type type) {
  return toScalar(toAttribute(Scalar::ofInteger(int64_t(value)), type));
}

Scalar combine(Reduction reduction, Scalar a, Scalar b, Type type) {
  if (!a.defined || !b.defined)
    return {};
  bool isFloat = isa<FloatType>(type);
  switch (reduction) {
  case Reduction::Sum:
    return isFloat ? Scalar::ofReal(a.real + b.real)
                   : wrapped(uint64_t(a.integer) + b.integer, type);
  case Reduction::Prod:
    return isFloat ? Scalar::ofReal(a.real * b.real)
                   : wrapped(uint64_t(a.integer) * b.integer, type);
  case Reduction::Max:
  case Reduction::Min: {
    if (isFloat && (std::isnan(a.real) || std::isnan(b.real)))
      return Scalar::ofReal(std::numeric_limits<double>::quiet_NaN());
    bool less = isFloat ? a.real < b.real : a.integer < b.integer;
    return less == (reduction == Reduction::Max) ? b : a;
  }
  case Reduction::And:
    return Scalar::ofInteger(a.integer & b.integer);
  case Reduction::Or:
    return Scalar::ofInteger(a.integer | b.integer);
  }
  return {};
}

Scalar neutral(Reduction reduction, Type type) {
  bool isFloat = isa<FloatType>(type);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (reduction) {
  case Reduction::Sum:
  case Reduction::Or:
    return isFloat ? Scalar::ofReal(0) : Scalar::ofInteger(0);
  case Reduction::Prod:
    return isFloat ? Scalar::ofReal(1) : Scalar::ofInteger(1);
  case Reduction::Max:
    return isFloat
               ? Scalar::ofReal(-infinity)
               : Scalar::ofInteger(
                     APInt::getSignedMinValue(widthOf(type)).getSExtValue());
  case Reduction::Min:
    return isFloat
               ? Scalar::ofReal(infinity)
               : Scalar::ofInteger(
                     APInt::getSignedMaxValue(widthOf(type)).getSExtValue());
  case Reduction::And:
    return Scalar::ofInteger(-1);
  }
  return {};
}

Box wholeBox(ArrayRef<int64_t> shape) {
  Box box;
  for (int64_t length : shape)
    box.push_back({0, length});
  return box;
}

Chunk intersect(Chunk a, Chunk b) {
  int64_t begin = std::max(a.offset, b.offset);
  int64_t end = std::min(a.offset + a.size, b.offset + b.size);
  return {begin, std::max<int64_t>(0, end - begin)};
}

void forEachIndex(ArrayRef<Chunk> box,
                  llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t, 4> index;
  for (const Chunk &chunk : box) {
    if (chunk.size == 0)
      return;
    index.push_back(chunk.offset);
  }
  while (true) {
    visit(index);
    int dim = int(box.size()) - 1;
    for (; dim >= 0; --dim) {
      if (++index[dim] < box[dim].offset + box[dim].size)
        break;
      index[dim] = box[dim].offset;
    }
    if (dim < 0)
      return;
  }
}

Piece::Piece(Box ownBox) : box(std::move(ownBox)) {
  size_t count = 1;
  for (const Chunk &chunk : box)
    count *= chunk.size;
  elements.resize(count);
}

Piece Piece::ofScalar(Scalar scalar) {
  Piece piece{Box()};
  piece.elements[0] = scalar;
  return piece;
}

const Scalar *Piece::find(ArrayRef<int64_t> index) const {
  size_t position = 0;
  for (auto [chunk, i] : llvm::zip_equal(box, index)) {
    if (i < chunk.offset || i >= chunk.offset + chunk.size)
      return nullptr;
    position = position * chunk.size + (i - chunk.offset);
  }
  return &elements[position];
}

} // namespace tpc::simulate
