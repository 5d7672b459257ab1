// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the tensor behind copies that widen and transpose it, also when
// reshapes lie between.
#include "OperandView.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpc::lower {

bool isCopy(linalg::GenericOp generic) {
  if (generic.getNumDpsInputs() != 1 || generic->getNumResults() != 1 ||
      generic.getNumParallelLoops() != generic.getNumLoops() ||
      !llvm::all_of(generic.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isPermutation(); }))
    return false;
  Value yielded = generic.getBody()->getTerminator()->getOperand(0);
  if (auto extension = yielded.getDefiningOp<arith::ExtFOp>())
    yielded = extension.getIn();
  return yielded == generic.getBody()->getArgument(0);
}

namespace {

OperandView identityView(Value value) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return {value, llvm::to_vector(llvm::seq<unsigned>(0, rank))};
}

OperandView viewCopy(linalg::GenericOp copy, OpBuilder &builder) {
  OperandView source = viewOperand(copy.getInputs()[0], builder);
  AffineMap in = copy.getIndexingMapsArray()[0];
  AffineMap out = copy.getIndexingMapsArray()[1];
  OperandView view{source.root, {}};
  for (unsigned dim = 0; dim < out.getNumResults(); ++dim) {
    AffineExpr loop = out.getResult(dim);
    view.dims.push_back(source.dims[*in.getResultPosition(loop)]);
  }
  return view;
}

/// A root's dims are cut as those of the view are.
OperandView viewExpand(tensor::ExpandShapeOp expand, OpBuilder &builder) {
  OperandView source = viewOperand(expand.getSrc(), builder);
  SmallVector<ReassociationIndices> groups = expand.getReassociationIndices();
  auto type = expand.getResultType();
  SmallVector<ReassociationIndices> rootGroups(groups.size());
  SmallVector<int64_t> shape;
  OperandView view{nullptr, SmallVector<unsigned>(type.getRank())};
  for (unsigned rootDim = 0; rootDim < groups.size(); ++rootDim) {
    unsigned dim = llvm::find(source.dims, rootDim) - source.dims.begin();
    for (int64_t part : groups[dim]) {
      view.dims[part] = shape.size();
      rootGroups[rootDim].push_back(shape.size());
      shape.push_back(type.getDimSize(part));
    }
  }
  auto rootType = cast<RankedTensorType>(source.root.getType());
  view.root = tensor::ExpandShapeOp::create(
      builder, expand.getLoc(),
      RankedTensorType::get(shape, rootType.getElementType()), source.root,
      rootGroups);
  return view;
}

/// Dims that a reshape joins have to be neighbours of the root, in order.
std::optional<OperandView> viewCollapse(tensor::CollapseShapeOp collapse,
                                        OpBuilder &builder) {
  OperandView source = viewOperand(collapse.getSrc(), builder);
  SmallVector<std::pair<unsigned, unsigned>> order; // root dim, group
  SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
  for (auto [number, group] : llvm::enumerate(groups)) {
    for (auto [place, dim] : llvm::enumerate(group))
      if (source.dims[dim] != source.dims[group[0]] + place)
        return std::nullopt;
    order.push_back({source.dims[group[0]], number});
  }
  llvm::sort(order);
  OperandView view{nullptr, SmallVector<unsigned>(groups.size())};
  SmallVector<ReassociationIndices> rootGroups;
  for (auto [first, group] : order) {
    view.dims[group] = rootGroups.size();
    rootGroups.emplace_back();
    for (unsigned place = 0; place < groups[group].size(); ++place)
      rootGroups.back().push_back(first + place);
  }
  view.root = tensor::CollapseShapeOp::create(builder, collapse.getLoc(),
                                              source.root, rootGroups);
  return view;
}

} // namespace

bool OperandView::isIdentity() const {
  return llvm::equal(dims, llvm::seq<unsigned>(0, dims.size()));
}

OperandView viewOperand(Value value, OpBuilder &builder) {
  Operation *op = value.getDefiningOp();
  if (auto generic = dyn_cast_if_present<linalg::GenericOp>(op))
    if (isCopy(generic))
      return viewCopy(generic, builder);
  if (auto expand = dyn_cast_if_present<tensor::ExpandShapeOp>(op))
    return viewExpand(expand, builder);
  if (auto collapse = dyn_cast_if_present<tensor::CollapseShapeOp>(op))
    if (std::optional<OperandView> view = viewCollapse(collapse, builder))
      return *view;
  return identityView(value);
}

} // namespace tpc::lower
