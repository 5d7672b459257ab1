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

bool compare(arith::CmpFPredicate predicate, double x, double y) {
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::OEQ:
    return x == y;
  case arith::CmpFPredicate::OGT:
    return x > y;
  case arith::CmpFPredicate::OGE:
    return x >= y;
  case arith::CmpFPredicate::OLT:
    return x < y;
  case arith::CmpFPredicate::OLE:
    return x <= y;
  case arith::CmpFPredicate::ONE:
    return !unordered && x != y;
  case arith::CmpFPredicate::UEQ:
    return unordered || x == y;
  case arith::CmpFPredicate::UGT:
    return !(x <= y);
  case arith::CmpFPredicate::UGE:
    return !(x < y);
  case arith::CmpFPredicate::ULT:
    return !(x >= y);
  case arith::CmpFPredicate::ULE:
    return !(x > y);
  case arith::CmpFPredicate::UNE:
    return x != y;
  }
  llvm_unreachable("all predicates are handled");
}

bool compare(arith::CmpIPredicate predicate, int64_t x, int64_t y) {
  uint64_t ux = x, uy = y;
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return x == y;
  case arith::CmpIPredicate::ne:
    return x != y;
  case arith::CmpIPredicate::slt:
    return x < y;
  case arith::CmpIPredicate::sle:
    return x <= y;
  case arith::CmpIPredicate::sgt:
    return x > y;
  case arith::CmpIPredicate::sge:
    return x >= y;
  case arith::CmpIPredicate::ult:
    return ux < uy;
  case arith::CmpIPredicate::ule:
    return ux <= uy;
  case arith::CmpIPredicate::ugt:
    return ux > uy;
  case arith::CmpIPredicate::uge:
    return ux >= uy;
  }
  llvm_unreachable("all predicates are handled");
}

std::optional<Scalar> evaluate(Operation *op, ArrayRef<Scalar> in) {
  auto real = [](double value) { return Scalar::of(value); };
  auto integer = [](int64_t value) { return Scalar::of(value); };
  // Wraps around as the operations do.
  auto wrapped = [](uint64_t value) { return Scalar::of(int64_t(value)); };
  using Result = std::optional<Scalar>;
  return TypeSwitch<Operation *, Result>(op)
      .Case<arith::ExtFOp, arith::TruncFOp, arith::IndexCastOp, arith::ExtSIOp,
            arith::ExtUIOp>([&](Operation *) { return in[0]; })
      .Case<arith::SIToFPOp, arith::UIToFPOp>(
          [&](Operation *) { return real(in[0].integer); })
      .Case([&](arith::AddFOp) { return real(in[0].real + in[1].real); })
      .Case([&](arith::SubFOp) { return real(in[0].real - in[1].real); })
      .Case([&](arith::MulFOp) { return real(in[0].real * in[1].real); })
      .Case([&](arith::DivFOp) { return real(in[0].real / in[1].real); })
      .Case([&](arith::NegFOp) { return real(-in[0].real); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [&](Operation *) { return real(std::fmax(in[0].real, in[1].real)); })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [&](Operation *) { return real(std::fmin(in[0].real, in[1].real)); })
      .Case([&](arith::CmpFOp cmp) {
        return integer(compare(cmp.getPredicate(), in[0].real, in[1].real));
      })
      .Case([&](arith::CmpIOp cmp) {
        return integer(
            compare(cmp.getPredicate(), in[0].integer, in[1].integer));
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
        return integer(std::min(in[0].integer, in[1].integer));
      })
      .Case([&](arith::MaxSIOp) {
        return integer(std::max(in[0].integer, in[1].integer));
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
