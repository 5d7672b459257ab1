// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns what the user said on the command line into attributes.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/Place/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

namespace tpc {
#define GEN_PASS_DEF_APPLYPLACEMENTSPASS
#include "tpc/Place/Passes.h.inc"
} // namespace tpc

using namespace mlir;
using namespace tpc;

static constexpr StringLiteral kDerived = "tp.derived_placements";

namespace {

/// A thing with a name that a GLOB may match.
struct Named {
  enum class Kind { Argument, Result, Derived } kind;
  unsigned index;
  std::string name;
  RankedTensorType type;
};

struct ApplyPlacementsPass
    : public tpc::impl::ApplyPlacementsPassBase<ApplyPlacementsPass> {
  using ApplyPlacementsPassBase::ApplyPlacementsPassBase;

  tp::MeshOp meshOp;
  Mesh grid;

  LogicalResult applyMesh(ModuleOp module);
  LogicalResult applyNames(func::FuncOp func);
  LogicalResult applyGradients(ModuleOp module);
  LogicalResult applyPlacements(ModuleOp module, StringRef flag,
                                StringRef entries, StringRef attribute);
  LogicalResult insertUses(func::FuncOp func);
  SmallVector<Named> namesOf(func::FuncOp func);
  void runOnOperation() override;
};

} // namespace

LogicalResult ApplyPlacementsPass::applyMesh(ModuleOp module) {
  SmallVector<tp::MeshOp> meshes(module.getOps<tp::MeshOp>());
  if (meshes.size() > 1) {
    InFlightDiagnostic diag =
        meshes[1].emitError("unsupported: a second mesh in one module");
    diag.attachNote(meshes[0].getLoc()) << "the first mesh is here";
    return diag;
  }
  if (mesh.empty()) {
    if (meshes.empty())
      return module.emitError("expected a mesh: give --mesh NAME=SIZE,... or a "
                              "tp.mesh in the module");
    meshOp = meshes[0];
    grid = meshOp.getMesh();
    return success();
  }
  llvm::Expected<Mesh> parsed = Mesh::parse(mesh);
  if (!parsed)
    return module.emitError("--mesh: ") << llvm::toString(parsed.takeError());
  grid = *parsed;
  if (!meshes.empty()) {
    // The flag resizes the module's mesh; its axes stay.
    Mesh old = meshes[0].getMesh();
    for (const Mesh::Axis &axis : old.axes())
      if (!grid.find(axis.name)) {
        InFlightDiagnostic diag = module.emitError("--mesh: expected axis \"")
                                  << axis.name
                                  << "\" of the module's mesh, got " << mesh;
        diag.attachNote(meshes[0].getLoc()) << "the mesh is here";
        return diag;
      }
    OpBuilder builder(meshes[0]);
    meshOp = tp::MeshOp::create(builder, meshes[0].getLoc(),
                                meshes[0].getSymName(), grid);
    meshes[0].erase();
    return success();
  }
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  if (Operation *clash = SymbolTable::lookupSymbolIn(module, "mesh"))
    return clash->emitError("expected no symbol '@mesh' besides the mesh that "
                            "--mesh makes; rename this one");
  meshOp = tp::MeshOp::create(builder, module.getLoc(), "mesh", grid);
  return success();
}

LogicalResult ApplyPlacementsPass::applyNames(func::FuncOp func) {
  Builder builder(&getContext());
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (!func.getArgAttr(i, tp::TPDialect::kName))
      func.setArgAttr(i, tp::TPDialect::kName,
                      builder.getStringAttr("arg" + Twine(i)));
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (!func.getResultAttr(i, tp::TPDialect::kName))
      func.setResultAttr(i, tp::TPDialect::kName,
                         builder.getStringAttr("result" + Twine(i)));
  return success();
}

SmallVector<Named> ApplyPlacementsPass::namesOf(func::FuncOp func) {
  SmallVector<Named> names;
  SmallVector<Named> derived;
  unsigned floatResults = 0;
  bool scalar = false;
  bool anyGrad = false;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto type = dyn_cast<RankedTensorType>(func.getArgumentTypes()[i]);
    if (!type)
      continue;
    std::string name =
        func.getArgAttrOfType<StringAttr>(i, tp::TPDialect::kName).str();
    names.push_back({Named::Kind::Argument, i, name, type});
    if (func.getArgAttr(i, tp::TPDialect::kGrad)) {
      derived.push_back({Named::Kind::Derived, i, "d" + name, type});
      anyGrad = true;
    }
  }
  SmallVector<Named> cotangents;
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    auto type = dyn_cast<RankedTensorType>(func.getResultTypes()[i]);
    if (!type)
      continue;
    std::string name =
        func.getResultAttrOfType<StringAttr>(i, tp::TPDialect::kName).str();
    names.push_back({Named::Kind::Result, i, name, type});
    if (!isa<FloatType>(type.getElementType()))
      continue;
    ++floatResults;
    scalar = type.getRank() == 0;
    cotangents.push_back({Named::Kind::Derived, i, "d" + name, type});
  }
  // One scalar result is differentiated with seed 1: it has no cotangent.
  if (anyGrad && !(floatResults == 1 && scalar))
    derived.append(cotangents);
  names.append(derived);
  return names;
}

LogicalResult ApplyPlacementsPass::applyGradients(ModuleOp module) {
  SmallVector<StringRef> entries;
  StringRef(grad).split(entries, ';', -1, /*KeepEmpty=*/false);
  bool ok = true;
  for (StringRef entry : entries) {
    auto fail = [&]() {
      ok = false;
      return module.emitError("--grad '") << entry << "': ";
    };
    bool any = false, refused = false;
    llvm::Expected<llvm::GlobPattern> pattern =
        llvm::GlobPattern::create(entry);
    if (!pattern) {
      fail() << llvm::toString(pattern.takeError());
      continue;
    }
    for (auto func : module.getOps<func::FuncOp>()) {
      if (!func.isPublic())
        continue;
      for (unsigned i = 0; i < func.getNumArguments(); ++i) {
        bool isParam = !!func.getArgAttr(i, tp::TPDialect::kParam);
        StringRef name =
            func.getArgAttrOfType<StringAttr>(i, tp::TPDialect::kName)
                .getValue();
        bool byGroup = entry == "params" || entry == "inputs" || entry == "all";
        bool matches = entry == "params"   ? isParam
                       : entry == "inputs" ? !isParam
                       : entry == "all"    ? true
                                           : pattern->match(name);
        if (!matches)
          continue;
        if (!isa<FloatType>(getElementTypeOrSelf(func.getArgumentTypes()[i]))) {
          if (byGroup || entry.find_first_of("*?[{") != StringRef::npos)
            continue;
          fail() << "expected a float argument, got '" << name << "' of type "
                 << func.getArgumentTypes()[i];
          refused = true;
          continue;
        }
        any = true;
        func.setArgAttr(i, tp::TPDialect::kGrad, UnitAttr::get(&getContext()));
      }
    }
    if (!any && !refused)
      fail() << "expected to match the name of a float argument"
             << (entry == "params" ? " marked tp.param" : "")
             << ", got no match";
  }
  return success(ok);
}

LogicalResult ApplyPlacementsPass::applyPlacements(ModuleOp module,
                                                   StringRef flag,
                                                   StringRef text,
                                                   StringRef attribute) {
  auto symbol = FlatSymbolRefAttr::get(meshOp.getSymNameAttr());
  bool isUse = attribute == tp::TPDialect::kUse;
  SmallVector<StringRef> entries;
  text.split(entries, ';', -1, /*KeepEmpty=*/false);
  bool ok = true;
  for (StringRef entry : entries) {
    auto fail = [&]() {
      ok = false;
      return module.emitError(flag) << " '" << entry << "': ";
    };
    auto [glob, body] = entry.split('=');
    if (glob.trim().empty() || body.trim().empty()) {
      fail() << "expected GLOB=axis:P,axis:P";
      continue;
    }
    llvm::Expected<llvm::GlobPattern> pattern =
        llvm::GlobPattern::create(glob.trim());
    if (!pattern) {
      fail() << llvm::toString(pattern.takeError());
      continue;
    }
    llvm::Expected<Placement> placement = Placement::parse(body, grid);
    if (!placement) {
      fail() << llvm::toString(placement.takeError());
      continue;
    }
    auto attr = tp::PlacementAttr::get(&getContext(), symbol, grid, *placement);
    bool any = false;
    std::string candidates;
    for (auto func : module.getOps<func::FuncOp>()) {
      if (!func.isPublic())
        continue;
      for (const Named &named : namesOf(func)) {
        if (isUse && named.kind != Named::Kind::Argument)
          continue;
        if (!candidates.empty())
          candidates += ", ";
        candidates += named.name;
        if (!pattern->match(named.name))
          continue;
        any = true;
        if (llvm::Error error = Placement::verify(placement->entries(), grid,
                                                  named.type.getRank())) {
          fail() << "for '" << named.name << "' of type " << named.type << ": "
                 << llvm::toString(std::move(error));
          continue;
        }
        switch (named.kind) {
        case Named::Kind::Argument:
          func.setArgAttr(named.index, attribute, attr);
          break;
        case Named::Kind::Result:
          func.setResultAttr(named.index, attribute, attr);
          break;
        case Named::Kind::Derived: {
          NamedAttrList list(func->getAttrOfType<DictionaryAttr>(kDerived));
          list.set(named.name, attr);
          func->setAttr(kDerived, list.getDictionary(&getContext()));
          break;
        }
        }
      }
    }
    if (!any)
      fail() << "expected to match the name of an argument"
             << (isUse ? "" : " or result") << ", got no match among "
             << candidates;
  }
  return success(ok);
}

LogicalResult ApplyPlacementsPass::insertUses(func::FuncOp func) {
  if (func.isExternal())
    return success();
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  for (BlockArgument arg : func.getArguments()) {
    auto use = func.getArgAttrOfType<tp::PlacementAttr>(arg.getArgNumber(),
                                                        tp::TPDialect::kUse);
    if (!use)
      continue;
    func.removeArgAttr(arg.getArgNumber(), tp::TPDialect::kUse);
    if (arg.use_empty())
      continue;
    auto constrain = tp::ConstrainOp::create(
        builder, arg.getLoc(), arg.getType(), arg, use, tp::PlacementAttr());
    // Its consumers take it as it is: see the plan stage.
    constrain->setAttr("tp.used", builder.getUnitAttr());
    arg.replaceAllUsesExcept(constrain.getOutput(), constrain);
  }
  return success();
}

void ApplyPlacementsPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(applyMesh(module)))
    return signalPassFailure();
  auto functions = module.getOps<func::FuncOp>();
  if (llvm::none_of(functions, [](func::FuncOp func) {
        return func.isPublic() && !func.isExternal();
      })) {
    module.emitError("expected a public function with a body, got none");
    return signalPassFailure();
  }
  for (auto func : functions)
    if (failed(applyNames(func)))
      return signalPassFailure();
  // All independent errors at once.
  LogicalResult gradients = applyGradients(module);
  LogicalResult placements =
      applyPlacements(module, "--place", place, tp::TPDialect::kPlacement);
  LogicalResult uses =
      applyPlacements(module, "--use", use, tp::TPDialect::kUse);
  if (failed(gradients) || failed(placements) || failed(uses))
    return signalPassFailure();
  for (auto func : module.getOps<func::FuncOp>())
    if (failed(insertUses(func)))
      return signalPassFailure();
}
