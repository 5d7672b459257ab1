// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates arith and math operations in f64 and i64.
#include "ScalarValue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace tpc::lower {

namespace {

std::optional<Scalar> constantValue(Attribute attribute) {
  if (auto real = dyn_cast<FloatAttr>(attribute))
    return Scalar::of(real.getValueAsDouble());
  // A boolean is 0 or 1.
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return Scalar::of(integer.getType().isInteger(1)
                          ? int64_t(integer.getValue().getBoolValue())
                          : integer.getValue().getSExtValue());
  return std::nullopt;
}

/// An integer in its type: i1 as 0 or 1, others with their sign.
int64_t wrap(int64_t value, Type type) {
  if (type.isInteger(1))
    return value & 1;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() < 64
             ? llvm::SignExtend64(value, integer.getWidth())
             : value;
}

APInt bitsOf(const Scalar &scalar, Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return APInt(width, scalar.integer, /*isSigned=*/true,
               /*implicitTrunc=*/true);
}

std::optional<Scalar> evaluate(Operation *op, ArrayRef<Scalar> in) {
  auto real = [](double value) { return Scalar::of(value); };
  auto integer = [](int64_t value) { return Scalar::of(value); };
  // Wraps around as the operations do.
  Type type = op->getResult(0).getType();
  auto wrapped = [&](uint64_t value) {
    return Scalar::of(wrap(int64_t(value), type));
  };
  auto bits = [&](unsigned operand) {
    return bitsOf(in[operand], op->getOperand(operand).getType());
  };
  using Result = std::optional<Scalar>;
  return TypeSwitch<Operation *, Result>(op)
      .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *) { return in[0]; })
      .Case<arith::IndexCastOp, arith::ExtSIOp>(
          [&](Operation *) { return wrapped(bits(0).getSExtValue()); })
      .Case([&](arith::ExtUIOp) { return wrapped(bits(0).getZExtValue()); })
      .Case([&](arith::SIToFPOp) { return real(bits(0).getSExtValue()); })
      .Case([&](arith::UIToFPOp) { return real(bits(0).getZExtValue()); })
      .Case([&](arith::AddFOp) { return real(in[0].real + in[1].real); })
      .Case([&](arith::SubFOp) { return real(in[0].real - in[1].real); })
      .Case([&](arith::MulFOp) { return real(in[0].real * in[1].real); })
      .Case([&](arith::DivFOp) { return real(in[0].real / in[1].real); })
      .Case([&](arith::NegFOp) { return real(-in[0].real); })
      .Case([&](arith::MaximumFOp) {
        return real(llvm::maximum(APFloat(in[0].real), APFloat(in[1].real))
                        .convertToDouble());
      })
      .Case([&](arith::MinimumFOp) {
        return real(llvm::minimum(APFloat(in[0].real), APFloat(in[1].real))
                        .convertToDouble());
      })
      .Case([&](arith::MaxNumFOp) {
        return real(std::fmax(in[0].real, in[1].real));
      })
      .Case([&](arith::MinNumFOp) {
        return real(std::fmin(in[0].real, in[1].real));
      })
      .Case([&](arith::CmpFOp cmp) {
        return integer(arith::applyCmpPredicate(
            cmp.getPredicate(), APFloat(in[0].real), APFloat(in[1].real)));
      })
      .Case([&](arith::CmpIOp cmp) {
        return integer(
            arith::applyCmpPredicate(cmp.getPredicate(), bits(0), bits(1)));
      })
      .Case([&](arith::SelectOp) { return in[0].integer ? in[1] : in[2]; })
      .Case(
          [&](arith::AndIOp) { return integer(in[0].integer & in[1].integer); })
      .Case(
          [&](arith::OrIOp) { return integer(in[0].integer | in[1].integer); })
      .Case(
          [&](arith::XOrIOp) { return integer(in[0].integer ^ in[1].integer); })
      .Case([&](arith::AddIOp) {
        return wrapped(uint64_t(in[0].integer) + uint64_t(in[1].integer));
      })
      .Case([&](arith::SubIOp) {
        return wrapped(uint64_t(in[0].integer) - uint64_t(in[1].integer));
      })
      .Case([&](arith::MulIOp) {
        return wrapped(uint64_t(in[0].integer) * uint64_t(in[1].integer));
      })
      .Case([&](arith::MinSIOp) {
        return wrapped(llvm::APIntOps::smin(bits(0), bits(1)).getSExtValue());
      })
      .Case([&](arith::MaxSIOp) {
        return wrapped(llvm::APIntOps::smax(bits(0), bits(1)).getSExtValue());
      })
      .Case([&](math::ExpOp) { return real(std::exp(in[0].real)); })
      .Case([&](math::Exp2Op) { return real(std::exp2(in[0].real)); })
      .Case([&](math::LogOp) { return real(std::log(in[0].real)); })
      .Case([&](math::TanhOp) { return real(std::tanh(in[0].real)); })
      .Case([&](math::SqrtOp) { return real(std::sqrt(in[0].real)); })
      .Case([&](math::RsqrtOp) { return real(1 / std::sqrt(in[0].real)); })
      .Case([&](math::AbsFOp) { return real(std::fabs(in[0].real)); })
      .Case(
          [&](math::PowFOp) { return real(std::pow(in[0].real, in[1].real)); })
      .Case([&](math::FPowIOp) {
        return real(std::pow(in[0].real, double(in[1].integer)));
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace

std::optional<Scalar> ScalarValues::get(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  std::optional<Scalar> result;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    result = constantValue(constant.getValue());
  } else if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    if (index.getDim() < indices.size())
      result = Scalar::of(indices[index.getDim()]);
  } else {
    SmallVector<Scalar> operands;
    for (Value operand : op->getOperands()) {
      std::optional<Scalar> scalar = get(operand);
      if (!scalar)
        return std::nullopt;
      operands.push_back(*scalar);
    }
    result = evaluate(op, operands);
  }
  if (result)
    known[value] = *result;
  return result;
}

} // namespace tpc::lower
