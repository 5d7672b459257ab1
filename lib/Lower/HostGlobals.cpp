// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes constants and descriptions of products, each once per module.
#include "HostGlobals.h"
#include "tpc/Lower/Passes.h"

using namespace mlir;

namespace tpc::lower {

LLVM::GlobalOp HostGlobals::add(StringRef stem, Type type, Attribute value,
                                unsigned alignment) {
  LLVM::GlobalOp &global = globals[value];
  if (global)
    return global;
  std::string name = (stem + Twine(globals.size() - 1)).str();
  b.setInsertionPointToStart(module.getBody());
  global =
      LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, value, alignment);
  return global;
}

LLVM::GlobalOp HostGlobals::constant(DenseElementsAttr elements) {
  // The bytes as they lie in memory; booleans are packed in the attribute.
  std::string bytes;
  if (elements.getElementType().isInteger(1)) {
    for (bool value : elements.getValues<bool>())
      bytes.push_back(value);
  } else {
    ArrayRef<char> raw = elements.getRawData();
    int64_t copies = elements.isSplat() ? elements.getNumElements() : 1;
    for (int64_t copy = 0; copy < copies; ++copy)
      bytes.append(raw.begin(), raw.end());
  }
  StringAttr value = b.getStringAttr(bytes);
  return add("tpc_constant_",
             LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()), value, 64);
}

int64_t HostGlobals::deviceConstant(DenseElementsAttr elements) {
  LLVM::GlobalOp global = constant(elements);
  auto number = global->getAttrOfType<IntegerAttr>(kConstantIndex);
  if (!number) {
    number = b.getI64IntegerAttr(deviceConstants++);
    global->setAttr(kConstantIndex, number);
    // The runtime looks for it by name.
    global.setLinkage(LLVM::Linkage::External);
  }
  return number.getInt();
}

LLVM::GlobalOp HostGlobals::product(const Matmul &matmul) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  // tpc_rt_matmul_t: four 32-bit numbers, then 64-bit ones, two 32-bit ones
  // and two of 64 bits.
  SmallVector<Attribute> fields;
  SmallVector<Type> types;
  auto add32 = [&](int32_t value) {
    fields.push_back(b.getI32IntegerAttr(value));
    types.push_back(i32);
  };
  auto add64 = [&](int64_t value) {
    fields.push_back(b.getI64IntegerAttr(value));
    types.push_back(i64);
  };
  auto addBatch = [&](int64_t Matmul::BatchDim::*field, int64_t rest) {
    SmallVector<int64_t> values(Matmul::kMaxBatch, rest);
    for (auto [index, dim] : llvm::enumerate(matmul.batch))
      values[index] = dim.*field;
    fields.push_back(b.getI64TensorAttr(values));
    types.push_back(LLVM::LLVMArrayType::get(i64, Matmul::kMaxBatch));
  };
  constexpr int32_t kSize = 4 * 4 + 33 * 8 + 2 * 4 + 2 * 8;
  add32(kSize);
  add32(matmul.dtype);
  add32(matmul.accumulate);
  add32(matmul.batch.size());
  add64(matmul.m);
  add64(matmul.n);
  add64(matmul.k);
  addBatch(&Matmul::BatchDim::extent, 1);
  addBatch(&Matmul::BatchDim::a, 0);
  add64(matmul.aRow);
  add64(matmul.aCol);
  addBatch(&Matmul::BatchDim::b, 0);
  add64(matmul.bRow);
  add64(matmul.bCol);
  addBatch(&Matmul::BatchDim::c, 0);
  add64(matmul.cRow);
  add64(matmul.cCol);
  add32(matmul.resultType);
  add32(matmul.flags);
  add64(matmul.auxStride);
  add64(matmul.workspaceBytes);
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Attribute value = b.getArrayAttr(fields);
  return add("tpc_matmul_", type, value, 8);
}

/// Strides per batch, head, row and feature of a tensor.
static void addStrides(RankedTensorType type, AffineMap map,
                       SmallVectorImpl<int64_t> &strides) {
  unsigned first = strides.size();
  strides.append(4, 0);
  int64_t stride = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (auto axis = dyn_cast<AffineDimExpr>(map.getResult(dim)))
      strides[first + axis.getPosition()] = stride;
    stride *= type.getDimSize(dim);
  }
}

LLVM::GlobalOp HostGlobals::attention(Operation *op) {
  auto gradient = dyn_cast<tp::AttentionGradOp>(op);
  SmallVector<Value> tensors;
  ArrayAttr maps;
  FloatAttr scale;
  bool causal;
  if (gradient) {
    tensors = {gradient.getQ(),      gradient.getK(),       gradient.getV(),
               gradient.getOutput(), gradient.getDoutput(), gradient.getDq(),
               gradient.getDk(),     gradient.getDv()};
    maps = gradient.getMaps();
    scale = gradient.getScaleAttr();
    causal = gradient.getCausal();
  } else {
    auto forward = cast<tp::AttentionOp>(op);
    tensors = {forward.getQ(), forward.getK(), forward.getV(),
               forward.getOutput()};
    maps = forward.getMaps();
    scale = forward.getScaleAttr();
    causal = forward.getCausal();
  }
  SmallVector<int64_t> strides;
  for (auto [tensor, map] : llvm::zip_equal(tensors, maps))
    addStrides(cast<RankedTensorType>(tensor.getType()),
               cast<AffineMapAttr>(map).getValue(), strides);
  strides.resize(8 * 4, 0);
  auto extentOf = [&](unsigned number, unsigned axis) -> int64_t {
    AffineMap map = cast<AffineMapAttr>(maps[number]).getValue();
    std::optional<unsigned> dim =
        map.getResultPosition(b.getAffineDimExpr(axis));
    return dim ? cast<RankedTensorType>(tensors[number].getType())
                     .getDimSize(*dim)
               : 1;
  };
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  constexpr int32_t kSize = 4 * 4 + 8 * (5 + 1 + 8 * 4);
  bool isHalf = getElementTypeOrSelf(tensors[0].getType()).isF16();
  SmallVector<Attribute> fields;
  SmallVector<Type> types;
  for (int32_t value :
       {kSize, isHalf ? 2 : 3, int32_t(causal), int32_t(bool(gradient))}) {
    fields.push_back(b.getI32IntegerAttr(value));
    types.push_back(i32);
  }
  for (int64_t value : {extentOf(0, 0), extentOf(0, 1), extentOf(0, 2),
                        extentOf(1, 2), extentOf(0, 3)}) {
    fields.push_back(b.getI64IntegerAttr(value));
    types.push_back(i64);
  }
  fields.push_back(scale);
  types.push_back(b.getF64Type());
  fields.push_back(b.getI64TensorAttr(strides));
  types.push_back(LLVM::LLVMArrayType::get(i64, 8 * 4));
  return add("tpc_attention_",
             LLVM::LLVMStructType::getLiteral(b.getContext(), types),
             b.getArrayAttr(fields), 8);
}

} // namespace tpc::lower
