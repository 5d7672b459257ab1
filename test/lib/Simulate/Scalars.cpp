// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes with scalars: a table for what is common or has no folder, and
// MLIR's own folders for the rest.

#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace tpc::simulate {

static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b)
             ? std::numeric_limits<double>::quiet_NaN()
             : std::max(a, b);
}

static double minimum(double a, double b) { return -maximum(-a, -b); }

static const llvm::StringMap<double (*)(double)> &unaryTable() {
  static const llvm::StringMap<double (*)(double)> table = {
      {"arith.negf", [](double a) { return -a; }},
      // Floats of all widths are doubles here.
      {"arith.extf", [](double a) { return a; }},
      {"arith.truncf", [](double a) { return a; }},
      {"math.rsqrt", [](double a) { return 1 / std::sqrt(a); }},
      {"math.cbrt", [](double a) { return std::cbrt(a); }},
  };
  return table;
}

static const llvm::StringMap<double (*)(double, double)> &binaryTable() {
  static const llvm::StringMap<double (*)(double, double)> table = {
      {"arith.addf", [](double a, double b) { return a + b; }},
      {"arith.subf", [](double a, double b) { return a - b; }},
      {"arith.mulf", [](double a, double b) { return a * b; }},
      {"arith.divf", [](double a, double b) { return a / b; }},
      {"arith.maximumf", maximum},
      {"arith.minimumf", minimum},
      {"arith.maxnumf", [](double a, double b) { return std::fmax(a, b); }},
      {"arith.minnumf", [](double a, double b) { return std::fmin(a, b); }},
  };
  return table;
}

static double fusedMultiplyAdd(double a, double b, double c) {
  return std::fma(a, b, c);
}

static Type lifted(Type type) {
  return isa<FloatType>(type) ? Float64Type::get(type.getContext()) : type;
}

unsigned ScalarProgram::addSlot(Value value) {
  unsigned slot = slots.size();
  slots.emplace_back();
  numbers[value] = slot;
  return slot;
}

unsigned ScalarProgram::slotOf(Value value) {
  auto known = numbers.find(value);
  if (known != numbers.end())
    return known->second;
  captureList.push_back(value);
  captureSlots.push_back(addSlot(value));
  return captureSlots.back();
}

Operation *ScalarProgram::lift(Operation *op) {
  Operation *copy = op->clone();
  scratch.push_back(copy);
  for (OpOperand &operand : copy->getOpOperands())
    operand.set(
        scratch.addArgument(lifted(operand.get().getType()), op->getLoc()));
  for (OpResult result : copy->getResults())
    result.setType(lifted(result.getType()));
  return copy;
}

LogicalResult ScalarProgram::append(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    slots[addSlot(constant)] = toScalar(constant.getValue());
    return success();
  }
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  // A bitcast would see the bits of a double.
  if (op->getNumRegions() || isa<arith::BitcastOp>(op) ||
      !llvm::all_of(op->getOperandTypes(), isScalar) ||
      !llvm::all_of(op->getResultTypes(), isScalar))
    return op->emitError("unsupported: simulation of '")
           << op->getName() << "'";
  Instruction instruction;
  instruction.op = op;
  for (Value operand : op->getOperands())
    instruction.operands.push_back(slotOf(operand));
  instruction.firstResult = slots.size();
  for (Value result : op->getResults())
    addSlot(result);
  StringRef name = op->getName().getStringRef();
  instruction.real1 = unaryTable().lookup(name);
  instruction.real2 = binaryTable().lookup(name);
  instruction.real3 = isa<math::FmaOp>(op) ? fusedMultiplyAdd : nullptr;
  if (!instruction.real1 && !instruction.real2 && !instruction.real3 &&
      !isa<arith::SelectOp, arith::CmpFOp, arith::CmpIOp, linalg::IndexOp,
           math::FPowIOp>(op))
    instruction.lifted = lift(op);
  instructions.push_back(std::move(instruction));
  return success();
}

LogicalResult ScalarProgram::build(Block &block) {
  for (BlockArgument argument : block.getArguments())
    argumentSlots.push_back(addSlot(argument));
  for (Operation &op : block.without_terminator())
    if (failed(append(&op)))
      return failure();
  for (Value result : block.getTerminator()->getOperands())
    resultSlots.push_back(slotOf(result));
  return success();
}

LogicalResult ScalarProgram::build(Operation *op) {
  for (Value operand : op->getOperands())
    if (!numbers.count(operand))
      addSlot(operand);
  for (Value operand : op->getOperands())
    argumentSlots.push_back(numbers[operand]);
  if (failed(append(op)))
    return failure();
  for (Value result : op->getResults())
    resultSlots.push_back(numbers[result]);
  return success();
}

Scalar ScalarProgram::compare(const Instruction &instruction) const {
  Scalar a = slots[instruction.operands[0]], b = slots[instruction.operands[1]];
  bool result;
  if (auto floats = dyn_cast<arith::CmpFOp>(instruction.op)) {
    result = arith::applyCmpPredicate(floats.getPredicate(), APFloat(a.real),
                                      APFloat(b.real));
  } else {
    auto integers = cast<arith::CmpIOp>(instruction.op);
    Type type = integers.getLhs().getType();
    auto valueOf = [&](Scalar scalar) {
      return cast<IntegerAttr>(toAttribute(scalar, type)).getValue();
    };
    result = arith::applyCmpPredicate(integers.getPredicate(), valueOf(a),
                                      valueOf(b));
  }
  return Scalar::ofInteger(result ? -1 : 0);
}

void ScalarProgram::fold(const Instruction &instruction) {
  SmallVector<Attribute> constants;
  for (auto [slot, operand] :
       llvm::zip_equal(instruction.operands, instruction.lifted->getOperands()))
    constants.push_back(toAttribute(slots[slot], operand.getType()));
  SmallVector<OpFoldResult> folded;
  if (failed(instruction.lifted->fold(constants, folded)) || folded.empty()) {
    foldFailed(instruction);
    return;
  }
  for (auto [index, result] : llvm::enumerate(folded)) {
    Scalar &target = slots[instruction.firstResult + index];
    if (auto attr = dyn_cast<Attribute>(result))
      target = isa<IntegerAttr, FloatAttr>(attr) ? toScalar(attr) : Scalar();
    else
      target =
          slots[instruction.operands
                    [cast<BlockArgument>(cast<Value>(result)).getArgNumber() -
                     cast<BlockArgument>(instruction.lifted->getOperand(0))
                         .getArgNumber()]];
  }
}

/// Folders leave alone what has no result, as the logarithm of a negative
/// number: not a number for floats, undefined for integers. An operation that
/// does not fold on ones either has no folder.
void ScalarProgram::foldFailed(const Instruction &instruction) {
  SmallVector<Attribute> ones;
  for (Type type : instruction.lifted->getOperandTypes())
    ones.push_back(toAttribute(
        isa<FloatType>(type) ? Scalar::ofReal(1) : Scalar::ofInteger(1), type));
  SmallVector<OpFoldResult> folded;
  if (failed(instruction.lifted->fold(ones, folded)) || folded.empty())
    failing = instruction.op;
  else if (isa<FloatType>(instruction.op->getResult(0).getType()))
    slots[instruction.firstResult] =
        Scalar::ofReal(std::numeric_limits<double>::quiet_NaN());
}

void ScalarProgram::execute(const Instruction &instruction,
                            ArrayRef<int64_t> indices) {
  auto operand = [&](unsigned i) -> const Scalar & {
    return slots[instruction.operands[i]];
  };
  Scalar &result = slots[instruction.firstResult];
  if (auto index = dyn_cast<linalg::IndexOp>(instruction.op)) {
    result = Scalar::ofInteger(indices[index.getDim()]);
    return;
  }
  // The operand that is not chosen may be undefined.
  if (isa<arith::SelectOp>(instruction.op)) {
    result = !operand(0).defined      ? Scalar()
             : operand(0).integer & 1 ? operand(1)
                                      : operand(2);
    return;
  }
  for (unsigned i = 0; i < instruction.op->getNumResults(); ++i)
    slots[instruction.firstResult + i] = Scalar();
  for (unsigned slot : instruction.operands)
    if (!slots[slot].defined)
      return;
  if (instruction.real1)
    result = Scalar::ofReal(instruction.real1(operand(0).real));
  else if (instruction.real2)
    result =
        Scalar::ofReal(instruction.real2(operand(0).real, operand(1).real));
  else if (instruction.real3)
    result = Scalar::ofReal(
        instruction.real3(operand(0).real, operand(1).real, operand(2).real));
  else if (isa<math::FPowIOp>(instruction.op))
    result =
        Scalar::ofReal(std::pow(operand(0).real, double(operand(1).integer)));
  else if (isa<arith::CmpFOp, arith::CmpIOp>(instruction.op))
    result = compare(instruction);
  else
    fold(instruction);
  // Beyond 2^53 doubles skip integers. Not-a-number fails both comparisons.
  if (exact && result.defined &&
      isa<FloatType>(instruction.op->getResult(0).getType()))
    exact = std::trunc(result.real) == result.real &&
            std::abs(result.real) <= 9007199254740992.0;
}

void ScalarProgram::run(ArrayRef<Scalar> arguments, ArrayRef<int64_t> indices,
                        MutableArrayRef<Scalar> results) {
  for (auto [slot, argument] : llvm::zip_equal(argumentSlots, arguments))
    slots[slot] = argument;
  for (const Instruction &instruction : instructions)
    execute(instruction, indices);
  for (auto [slot, result] : llvm::zip_equal(resultSlots, results))
    result = slots[slot];
}

} // namespace tpc::simulate
