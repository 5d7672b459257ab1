// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides the signature of a differentiated function: which cotangents come in,
// which gradients go out, and their names and placements.

#include "ReverseMode.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tpc/Autodiff/Passes.h"
#include "tpc/Interfaces/Adjoint.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_DIFFERENTIATEPASS
#include "tpc/Autodiff/Passes.h.inc"

static constexpr llvm::StringLiteral kDerivedPlacements =
    "tp.derived_placements";

namespace {
/// Marks operations as they are inserted into the function or into a loop or
/// branch; operations in other regions are a part of theirs.
class PhaseMarker : public OpBuilder::Listener {
public:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (isa_and_nonnull<func::FuncOp, scf::ForOp, scf::IfOp>(
            op->getParentOp()) &&
        !op->hasTrait<OpTrait::IsTerminator>())
      op->setAttr(tp::TPDialect::kPhase,
                  StringAttr::get(op->getContext(), "backward"));
  }
};

/// The differentiation of one function.
class Differentiation {
public:
  explicit Differentiation(func::FuncOp func) : func(func) {}

  /// Returns the number of operations differentiated.
  LogicalResult run();

private:
  LogicalResult verify();
  void nameEverything();
  void removeMarks();
  LogicalResult checkNewName(const llvm::StringSet<> &used, StringRef name,
                             StringRef what, Location loc);
  LogicalResult addCotangentArguments();
  LogicalResult addGradients(ArrayRef<Value> gradients);
  DictionaryAttr getAttributes(StringRef name, DictionaryAttr like);
  void explain(Operation *op, Diagnostic &diag, const autodiff::ReverseMode &);

  StringRef argumentName(unsigned i) {
    return func.getArgAttrOfType<StringAttr>(i, tp::TPDialect::kName);
  }
  StringRef resultName(unsigned i) {
    return func.getResultAttrOfType<StringAttr>(i, tp::TPDialect::kName);
  }
  Operation *terminator() { return func.getBody().front().getTerminator(); }

  func::FuncOp func;
  SmallVector<unsigned> wanted;
  SmallVector<unsigned> floatResults;
  /// One per float result; null for the seed 1.
  SmallVector<Value> cotangents;
  llvm::StringSet<> placedNames;
};
} // namespace

/// [D1], and [D2] of the arguments.
LogicalResult Differentiation::verify() {
  if (!func.getBody().hasOneBlock())
    return func.emitError("expected one block to differentiate '@")
           << func.getName() << "', got " << func.getBody().getBlocks().size();
  bool ok = true;
  for (unsigned i : wanted) {
    // The dialect verifies that tp.grad is on tensors of floats [D3].
    Type type = func.getArgumentTypes()[i];
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.hasStaticShape() && !tp::getPlacement(tensor))
      continue;
    emitError(func.getArgument(i).getLoc(),
              "expected a static shape and no placement in the type to "
              "differentiate with respect to '")
        << argumentName(i) << "', got " << type;
    ok = false;
  }
  if (floatResults.empty()) {
    func.emitError("expected a float result to differentiate '@")
        << func.getName() << "', got none";
    ok = false;
  }
  return success(ok);
}

/// Attributes are set for all arguments at once: one by one, each would copy
/// the list.
void Differentiation::nameEverything() {
  Builder builder(func.getContext());
  auto named = [&](DictionaryAttr old, StringRef prefix, unsigned i) {
    NamedAttrList attributes(old);
    if (!attributes.get(tp::TPDialect::kName))
      attributes.set(tp::TPDialect::kName,
                     builder.getStringAttr(prefix + Twine(i)));
    return attributes.getDictionary(func.getContext());
  };
  SmallVector<DictionaryAttr> arguments, results;
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    arguments.push_back(named(func.getArgAttrDict(i), "arg", i));
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    results.push_back(named(func.getResultAttrDict(i), "result", i));
  func.setAllArgAttrs(arguments);
  func.setAllResultAttrs(results);
}

void Differentiation::removeMarks() {
  SmallVector<DictionaryAttr> arguments;
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i) {
    NamedAttrList attributes(func.getArgAttrDict(i));
    attributes.erase(tp::TPDialect::kGrad);
    arguments.push_back(attributes.getDictionary(func.getContext()));
  }
  func.setAllArgAttrs(arguments);
}

/// [D4].
LogicalResult Differentiation::checkNewName(const llvm::StringSet<> &used,
                                            StringRef name, StringRef what,
                                            Location loc) {
  if (!used.contains(name))
    return success();
  return emitError(loc, "expected no ")
         << what << " named '" << name
         << "', the name differentiation needs for itself";
}

/// Attributes of a cotangent or gradient: its name, and the placement the user
/// gave to that name or that of the value it belongs to.
DictionaryAttr Differentiation::getAttributes(StringRef name,
                                              DictionaryAttr like) {
  Builder builder(func.getContext());
  SmallVector<NamedAttribute> attributes;
  attributes.push_back(
      builder.getNamedAttr(tp::TPDialect::kName, builder.getStringAttr(name)));
  auto derived = func->getAttrOfType<DictionaryAttr>(kDerivedPlacements);
  Attribute placement = derived ? derived.get(name) : Attribute();
  if (placement)
    placedNames.insert(name);
  else if (like)
    placement = like.get(tp::TPDialect::kPlacement);
  if (placement)
    attributes.push_back(
        builder.getNamedAttr(tp::TPDialect::kPlacement, placement));
  return builder.getDictionaryAttr(attributes);
}

LogicalResult Differentiation::addCotangentArguments() {
  if (floatResults.size() == 1) {
    auto type =
        dyn_cast<RankedTensorType>(func.getResultTypes()[floatResults.front()]);
    if (!type || type.getRank() == 0) {
      cotangents.push_back(nullptr);
      return success();
    }
  }
  llvm::StringSet<> used;
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    used.insert(argumentName(i));
  for (unsigned result : floatResults) {
    std::string name = ("d" + resultName(result)).str();
    unsigned index = func.getNumArguments();
    Value returned = terminator()->getOperand(result);
    if (failed(checkNewName(used, name, "argument", func.getLoc())))
      return failure();
    auto loc = NameLoc::get(StringAttr::get(func.getContext(), name),
                            returned.getLoc());
    if (failed(func.insertArgument(
            index, func.getResultTypes()[result],
            getAttributes(name, func.getResultAttrDict(result)), loc)))
      return failure();
    cotangents.push_back(func.getArgument(index));
  }
  return success();
}

LogicalResult Differentiation::addGradients(ArrayRef<Value> gradients) {
  llvm::StringSet<> used;
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    used.insert(resultName(i));
  SmallVector<Value> returned(terminator()->getOperands());
  SmallVector<DictionaryAttr> attributes;
  SmallVector<Type> types;
  for (auto [argument, gradient] : llvm::zip_equal(wanted, gradients)) {
    std::string name = ("d" + argumentName(argument)).str();
    if (failed(checkNewName(used, name, "result",
                            func.getArgument(argument).getLoc())))
      return failure();
    attributes.push_back(getAttributes(name, func.getArgAttrDict(argument)));
    types.push_back(gradient.getType());
    returned.push_back(gradient);
    // The report names what a collective moves by its location.
    Operation *op = gradient.getDefiningOp();
    if (op && op->hasAttr(tp::TPDialect::kPhase))
      op->setLoc(
          NameLoc::get(StringAttr::get(func.getContext(), name), op->getLoc()));
  }
  terminator()->setOperands(returned);
  SmallVector<unsigned> indices(types.size(), func.getNumResults());
  if (failed(func.insertResults(indices, types, attributes)))
    return failure();
  if (auto derived = func->getAttrOfType<DictionaryAttr>(kDerivedPlacements))
    for (NamedAttribute entry : derived)
      if (!placedNames.contains(entry.getName()))
        return func.emitError("expected a cotangent or gradient named '")
               << entry.getName().getValue()
               << "', for which there is a placement";
  func->removeAttr(kDerivedPlacements);
  removeMarks();
  return success();
}

/// Says which gradient an operation without derivative stands in the way of.
void Differentiation::explain(Operation *op, Diagnostic &diag,
                              const autodiff::ReverseMode &reverse) {
  Block *block = &func.getBody().front();
  // Backward along active operands to an argument. What a loop carries comes
  // from the loop.
  llvm::SmallPtrSet<Operation *, 16> seen;
  BlockArgument argument;
  SmallVector<Operation *> worklist{op};
  while (!argument && !worklist.empty()) {
    Operation *current = worklist.pop_back_val();
    SmallVector<Value> reads;
    current->walk([&](Operation *inner) {
      llvm::append_range(reads, inner->getOperands());
    });
    for (Value value : reads) {
      if (!reverse.isActive(value))
        continue;
      Operation *from = value.getDefiningOp();
      if (!from && value.getParentBlock() == block) {
        argument = cast<BlockArgument>(value);
        break;
      }
      if (!from)
        from = value.getParentBlock()->getParentOp();
      if (seen.insert(from).second)
        worklist.push_back(from);
    }
  }
  // Forward along active results to a returned value.
  std::optional<unsigned> result;
  seen.clear();
  worklist.assign(1, block->findAncestorOpInBlock(*op));
  while (!result && !worklist.empty()) {
    Operation *current = worklist.pop_back_val();
    for (Value value : current->getResults()) {
      if (!reverse.isActive(value))
        continue;
      for (OpOperand &use : value.getUses()) {
        Operation *user = block->findAncestorOpInBlock(*use.getOwner());
        if (user == terminator())
          result = use.getOperandNumber();
        else if (seen.insert(user).second)
          worklist.push_back(user);
      }
    }
  }
  assert(argument && result && "a cotangent reached an active operation");
  StringRef from = argumentName(argument.getArgNumber());
  StringRef to = resultName(*result);
  diag << " on the path from '" << from << "' to result '" << to << "'";
  diag.attachNote(argument.getLoc())
      << "argument '" << from << "' needs a gradient";
  diag.attachNote(terminator()->getLoc())
      << "result '" << to << "' depends on it";
}

/// The location of an operation of the backward pass says so, and keeps that of
/// the forward operation. Operations in a tp.manual are marked here first.
static void locateBackward(Block &block, bool inBackward) {
  MLIRContext *context = block.getParentOp()->getContext();
  auto name = StringAttr::get(context, "backward");
  for (Operation &op : block.without_terminator()) {
    if (inBackward)
      op.setAttr(tp::TPDialect::kPhase, name);
    bool backward = tp::getPhase(&op) == name.getValue();
    if (backward)
      op.setLoc(FusedLoc::get(context, {op.getLoc()}, name));
    if (isa<scf::ForOp, scf::IfOp>(op) || (backward && isa<tp::ManualOp>(op)))
      for (Region &region : op.getRegions())
        locateBackward(region.front(), backward);
  }
}

LogicalResult Differentiation::run() {
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    if (func.getArgAttr(i, tp::TPDialect::kGrad))
      wanted.push_back(i);
  for (auto [index, type] : llvm::enumerate(func.getResultTypes()))
    if (isDifferentiable(type))
      floatResults.push_back(index);
  nameEverything();
  if (failed(verify()))
    return failure();

  Block &block = func.getBody().front();
  SmallVector<Value> wantedValues;
  for (unsigned i : wanted)
    wantedValues.push_back(func.getArgument(i));
  autodiff::Activity activity(block, wantedValues);
  autodiff::ReverseMode reverse(block, activity);
  if (failed(addCotangentArguments()))
    return failure();

  // Adjoints tell the operations of the two passes apart as they are built.
  PhaseMarker marker;
  OpBuilder builder(func.getContext(), &marker);
  builder.setInsertionPoint(terminator());
  for (auto [result, cotangent] : llvm::zip_equal(floatResults, cotangents)) {
    Value returned = terminator()->getOperand(result);
    if (!reverse.isActive(returned))
      continue;
    Value seed = cotangent;
    if (!seed)
      seed = createSplat(builder, returned.getLoc(), returned.getType(), 1);
    reverse.addCotangent(builder, returned.getLoc(), returned, seed);
  }
  if (failed(reverse.run(builder, [&](Operation *op, Diagnostic &diag) {
        explain(op, diag, reverse);
      })))
    return failure();

  SmallVector<Value> gradients;
  for (Value value : wantedValues) {
    Value gradient = reverse.getCotangent(value);
    if (!gradient)
      gradient = createSplat(builder, value.getLoc(), value.getType(), 0);
    gradients.push_back(gradient);
  }
  locateBackward(block, /*inBackward=*/false);
  if (failed(addGradients(gradients)))
    return failure();
  autodiff::eraseDeadOperations(block);
  return success();
}

namespace {
struct DifferentiatePass : impl::DifferentiatePassBase<DifferentiatePass> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      bool wanted = false;
      for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
        wanted |= func.getArgAttr(i, tp::TPDialect::kGrad) != nullptr;
      if (!wanted || !func.isPublic() || func.isDeclaration())
        continue;
      if (failed(Differentiation(func).run()))
        signalPassFailure();
    }
  }
};
} // namespace

void buildAutodiffPipeline(OpPassManager &manager, int64_t microbatches,
                           const std::string &inputs) {
  manager.addPass(createDifferentiatePass());
  // Behind it, since of the two reductions alone no derivative would know which
  // of equal elements was taken.
  manager.addPass(createDecomposeArgmaxPass());
  manager.addPass(createCSEPass());
  if (microbatches == 1)
    return;
  AccumulateGradientsPassOptions options;
  options.count = microbatches;
  options.inputs = inputs;
  manager.addPass(createAccumulateGradientsPass(options));
  manager.addPass(createCSEPass());
}

} // namespace tpc
