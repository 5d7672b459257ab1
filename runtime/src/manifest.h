// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an artifact says about itself, checked.
#ifndef TPC_RT_SRC_MANIFEST_H
#define TPC_RT_SRC_MANIFEST_H

#include "plan.h"

namespace tpc::rt {

/// An argument or result.
struct Value {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  Placement placement;
  bool isParam = false;
  bool isDonated = false;
  /// Derived: of every rank's buffer.
  Shape localShape;
  int64_t localBytes = 0;
  std::string placementText;
};

struct Function {
  std::string name;
  std::string symbol;
  int64_t workspaceBytes = 0;
  std::vector<Value> arguments;
  std::vector<Value> results;
};

struct Collective {
  std::string kind;
  /// Axis numbers, ascending. Empty for a local step.
  std::vector<int32_t> axes;
  bool isLocal = false;
  std::vector<Part> parts;
  /// For messages and traces: all_reduce over [tp] of "y" (toy.py:12).
  std::string label;
};

struct Manifest {
  std::string text;
  std::string fingerprint;
  std::string reference;
  Mesh mesh;
  std::string meshText;
  std::vector<Function> functions;
  std::vector<Collective> collectives;
};

/// Parses and checks `text`. Errors name the place in the manifest.
Status parseManifest(const std::string &text, Manifest &manifest);

} // namespace tpc::rt

#endif // TPC_RT_SRC_MANIFEST_H
