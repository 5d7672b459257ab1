// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers the dialect, names placements in printed IR, and allows inlining.

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "tpc/Dialect/TP/TP.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tpc;
using namespace tpc::tp;

#include "tpc/Dialect/TP/TPDialect.cpp.inc"

#include "tpc/Dialect/TP/TPInterfaces.cpp.inc"

namespace {

/// Placements print as `#S0_tp`, `#S0_tp_S1_dp`, `#Psum_tp` and `#R`: the
/// state, then the axis. (State first, because MLIR appends `_` to an alias
/// that ends in a digit.) A mesh that is not called `mesh` is appended; equal
/// aliases of different placements are numbered by the printer.
struct TPAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    auto placement = dyn_cast<PlacementAttr>(attr);
    if (!placement)
      return AliasResult::NoAlias;
    if (placement.getAxes().empty())
      os << 'R';
    llvm::ListSeparator separator("_");
    for (const AxisPlacement &axis : placement.getAxes()) {
      os << separator;
      if (axis.kind == Placement::Kind::Shard)
        os << 'S' << axis.dim;
      else
        os << 'P' << stringify(axis.reduction);
      os << '_' << axis.axis.getValue();
    }
    if (placement.getMesh().getValue() != "mesh")
      os << "_on_" << placement.getMesh().getValue();
    return AliasResult::FinalAlias;
  }
};

/// Every operation of the dialect means the same wherever it stands.
struct TPInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};

} // namespace

void TPDialect::initialize() {
  registerPlacementAttributes();
  addOperations<
#define GET_OP_LIST
#include "tpc/Dialect/TP/TPOps.cpp.inc"
      >();
  addInterfaces<TPAsmInterface, TPInlinerInterface>();
}
