// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts types and collectives in the terms of Support.

#include "tpc/Dialect/TP/Steps.h"

using namespace mlir;

int64_t tpc::tp::getElementBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return 8;
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

tpc::Step tpc::tp::getStep(CollectiveOpInterface op, PartAttr part,
                           const Mesh &mesh) {
  Step step{op.getStepKind(),
            {},
            part.getFrom().resolve(mesh),
            part.getTo().resolve(mesh)};
  for (Attribute axis : op.getAxes())
    step.axes.push_back(*mesh.find(cast<StringAttr>(axis).getValue()));
  llvm::sort(step.axes);
  return step;
}
