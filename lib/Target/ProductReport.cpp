// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the report says of products: the size of each, and what its call does
// besides.
#include "tpc/Dialect/TP/LoweredNames.h"
#include "tpc/Target/Report.h"

using namespace mlir;
namespace json = llvm::json;

namespace tpc {

void addProducts(json::Object &report, ModuleOp lowered) {
  json::Array products;
  for (Operation &op : *lowered.getBody()) {
    auto list = op.getAttrOfType<ArrayAttr>(kProducts);
    if (!list)
      continue;
    for (auto product : list.getAsRange<DictionaryAttr>()) {
      json::Object entry;
      for (NamedAttribute attribute : product)
        if (auto text = dyn_cast<StringAttr>(attribute.getValue()))
          entry[attribute.getName().getValue()] = text.getValue();
        else
          entry[attribute.getName().getValue()] =
              cast<IntegerAttr>(attribute.getValue()).getInt();
      products.push_back(std::move(entry));
    }
  }
  report["products"] = std::move(products);
}

void printProducts(const json::Object &report, llvm::raw_ostream &os) {
  const json::Array *products = report.getArray("products");
  if (!products || products->empty())
    return;
  os << "products:\n";
  int64_t fused = 0;
  for (const json::Value &value : *products) {
    const json::Object &product = *value.getAsObject();
    os << "  " << *product.getInteger("m") << " x " << *product.getInteger("n")
       << " x " << *product.getInteger("k") << " "
       << *product.getString("dtype");
    if (llvm::StringRef loc = *product.getString("loc"); !loc.empty())
      os << " at " << loc;
    if (llvm::StringRef epilogue = *product.getString("epilogue");
        !epilogue.empty()) {
      os << ": " << epilogue;
      ++fused;
    }
    os << "\n";
  }
  os << "total: " << products->size() << " products, " << fused
     << " with an epilogue\n";
}

} // namespace tpc
