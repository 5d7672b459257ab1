// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which of an operation's locations to show to a user.

#include "tpc/Dialect/TP/UserLocation.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/Path.h"

using namespace mlir;

static FileLineColLoc findFile(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return file;
  if (auto name = dyn_cast<NameLoc>(loc))
    return findFile(name.getChildLoc());
  // The callee is the code of the model; callers are the framework around it.
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    if (FileLineColLoc file = findFile(call.getCallee()))
      return file;
    return findFile(call.getCaller());
  }
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (FileLineColLoc file = findFile(part))
        return file;
  return nullptr;
}

std::string tpc::tp::getUserLocation(Location loc) {
  FileLineColLoc file = findFile(loc);
  if (!file)
    return "";
  return (llvm::sys::path::filename(file.getFilename().getValue()) + ":" +
          Twine(file.getLine()))
      .str();
}

static StringAttr findName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc)) {
    StringAttr inner = findName(name.getChildLoc());
    return inner ? inner : name.getName();
  }
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return findName(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringAttr name = findName(part))
        return name;
  return nullptr;
}

std::string tpc::tp::getModulePath(Location loc) {
  StringAttr name = findName(loc);
  return name ? name.str() : "";
}
