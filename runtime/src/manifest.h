// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an artifact says about itself, checked.
#ifndef TPC_RT_SRC_MANIFEST_H
#define TPC_RT_SRC_MANIFEST_H

#include "plan.h"
#include <array>

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
  /// Events it records and waits for: 0 to this, exclusive.
  int32_t events = 0;
  /// Its course depends on elements that it reads: it cannot be recorded and
  /// replayed.
  bool readsOnHost = false;
  /// It calls tpc_rt_attention.
  bool hasAttention = false;
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

/// A symbol of the artifact that holds so many bytes.
struct DataSymbol {
  std::string symbol;
  int64_t bytes = 0;
};

/// Machine code of all kernels for one processor.
struct Image {
  enum class Kind { Cubin, Ptx, Host };
  Kind kind = Kind::Cubin;
  /// sm_90; "host" for code that runs in the process.
  std::string arch;
  DataSymbol data;
};

/// What the assembler says of a kernel on one processor.
struct KernelStatistics {
  std::string arch;
  int64_t registers = 0;
  int64_t spillBytes = 0;
  int64_t sharedBytes = 0;
};

/// A kernel of the images, and how it is launched.
struct DeviceKernel {
  std::string name;
  std::array<uint32_t, 3> grid{}, block{};
  /// Dynamic shared memory.
  uint32_t sharedBytes = 0;
  int32_t parameters = 0;
  /// row, column, point, transpose, ...
  std::string kind;
  /// Bytes of device memory that it is expected to move, and the least for its
  /// inputs and outputs.
  int64_t readBytes = 0, writeBytes = 0;
  int64_t leastReadBytes = 0, leastWriteBytes = 0;
  std::vector<KernelStatistics> statistics;
  /// For messages and traces: tpc_kernel_3, row (toy.py:12).
  std::string label;
};

enum class Target { Cpu, Cuda };

inline const char *targetName(Target target) {
  return target == Target::Cuda ? "cuda" : "cpu";
}

struct Manifest {
  std::string text;
  std::string fingerprint;
  std::string reference;
  Mesh mesh;
  std::string meshText;
  std::vector<Function> functions;
  std::vector<Collective> collectives;
  Target target = Target::Cpu;
  /// Of target cuda.
  std::vector<DataSymbol> constants;
  std::vector<Image> images;
  std::vector<DeviceKernel> kernels;
};

/// Parses and checks `text`. Errors name the place in the manifest.
Status parseManifest(const std::string &text, Manifest &manifest);

} // namespace tpc::rt

#endif // TPC_RT_SRC_MANIFEST_H
