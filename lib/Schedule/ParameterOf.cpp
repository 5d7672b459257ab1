// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the parameter a collective serves, along the operations that lie
// between a parameter and its use, or between a gradient and the result it is.
//
// Backward from an operand: other collectives and operations of the tensor
// dialect, to a function argument with `tp.param`. Forward from a result: those
// and elementwise operations (an update), to a function result named like a
// parameter or its gradient. A reduction ends the search: behind it a value is
// an activation.

#include "ParameterOf.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tpc;

static std::optional<std::string> findStored(Value value) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto func =
          dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
      unsigned number = argument.getArgNumber();
      if (!func || !func.getArgAttr(number, tp::TPDialect::kParam))
        return std::nullopt;
      return tp::getUserName(argument);
    }
    Operation *op = value.getDefiningOp();
    unsigned result = cast<OpResult>(value).getResultNumber();
    if (auto collective = dyn_cast<tp::CollectiveOpInterface>(op))
      value = collective.getInputs()[result];
    else if (isa_and_nonnull<tensor::TensorDialect>(op->getDialect()) &&
             op->getNumOperands())
      value = op->getOperand(0);
    else
      return std::nullopt;
  }
}

/// The parameter whose new value or gradient result `number` of `func` is.
static std::optional<std::string> findUpdated(FunctionOpInterface func,
                                              unsigned number) {
  auto name =
      func.getResultAttrOfType<StringAttr>(number, tp::TPDialect::kName);
  if (!name)
    return std::nullopt;
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i) {
    auto own = func.getArgAttrOfType<StringAttr>(i, tp::TPDialect::kName);
    if (own && func.getArgAttr(i, tp::TPDialect::kParam) &&
        (name == own || name.getValue() == ("d" + own.getValue()).str()))
      return own.str();
  }
  return std::nullopt;
}

/// Values of the same elements, or made of them one by one.
static bool isElementwise(Operation *op) {
  if (isa<tp::CollectiveOpInterface>(op) ||
      isa_and_nonnull<tensor::TensorDialect>(op->getDialect()))
    return true;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && structured.getNumReductionLoops() == 0;
}

static std::optional<std::string> findMade(Value value) {
  SmallVector<Value> queue{value};
  llvm::SmallDenseSet<Value> seen;
  for (size_t next = 0; next < queue.size(); ++next)
    for (OpOperand &use : queue[next].getUses()) {
      Operation *user = use.getOwner();
      unsigned number = use.getOperandNumber();
      Operation *parent = user->getParentOp();
      SmallVector<Value> results;
      auto func = dyn_cast<FunctionOpInterface>(parent);
      if (func && user->hasTrait<OpTrait::ReturnLike>()) {
        if (std::optional<std::string> name = findUpdated(func, number))
          return name;
        continue;
      }
      if (auto collective = dyn_cast<tp::CollectiveOpInterface>(user))
        results.push_back(collective.getOutputs()[number]);
      else if (user->hasTrait<OpTrait::IsTerminator>() &&
               parent->getNumResults() == user->getNumOperands())
        results.push_back(parent->getResult(number));
      else if (isElementwise(user))
        llvm::append_range(results, user->getResults());
      for (Value result : results)
        if (seen.insert(result).second)
          queue.push_back(result);
    }
  return std::nullopt;
}

std::optional<ServedParameter>
tpc::findParameter(tp::CollectiveOpInterface op) {
  if (std::optional<std::string> name = findStored(op.getInputs()[0]))
    return ServedParameter{*name, true};
  if (std::optional<std::string> name = findMade(op.getOutputs()[0]))
    return ServedParameter{*name, false};
  return std::nullopt;
}

StringRef tpc::getModelBlock(StringRef parameter) {
  size_t end = 0, begin = 0;
  while (begin < parameter.size()) {
    size_t dot = std::min(parameter.find('.', begin), parameter.size());
    StringRef component = parameter.slice(begin, dot);
    if (!component.empty() && llvm::all_of(component, llvm::isDigit))
      end = dot;
    begin = dot + 1;
  }
  return parameter.take_front(end);
}
