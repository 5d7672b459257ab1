// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the conformance tests share: modules made in memory, run on every
// device x communicator, and a plain account of who holds which element that
// shares no code with the runtime.
#ifndef TPC_RT_CONFORMANCE_HARNESS_H
#define TPC_RT_CONFORMANCE_HARNESS_H

#include "tpc_rt/rt.h"
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tpc::rt::conformance {

/// One combination the whole suite is run on.
struct Backend {
  const char *device;
  const char *communicator;
};

/// The one that TPC_RT_CONFORMANCE names, as `cuda local`; cpu and local
/// without.
extern const std::vector<Backend> backends;
/// Whether the host reads and writes a rank's memory like its own.
bool hasHostMemory(const Backend &backend);
/// Copy from and to a rank's memory, on a thread that has used the runtime.
void readMemory(const Backend &backend, void *host, const void *memory,
                int64_t bytes);
void writeMemory(const Backend &backend, void *memory, const void *host,
                 int64_t bytes);
std::string backendName(const testing::TestParamInfo<Backend> &info);

/// Instantiates a fixture on every backend.
#define TPC_RT_CONFORMANCE(fixture)                                            \
  INSTANTIATE_TEST_SUITE_P(Conformance, fixture, testing::ValuesIn(backends),  \
                           backendName)

struct Axis {
  std::string name;
  int64_t size;
};
using Mesh = std::vector<Axis>;

/// One axis of a placement, in nesting order.
struct Entry {
  int axis;
  /// Tensor dim, or -1 for a partial.
  int dim;
};

struct Placement {
  std::vector<Entry> entries;
  bool isPartial(int axis) const;
  bool isShard(int axis) const;
  std::string str(const Mesh &mesh) const;
};

using Shape = std::vector<int64_t>;

int64_t ranksOf(const Mesh &mesh);
std::vector<int64_t> coordinatesOf(const Mesh &mesh, int64_t rank);
int64_t volume(const Shape &shape);

/// Where an element of a tensor lies: the coordinates of the ranks that hold it
/// (-1: every coordinate), and the offset in their padded buffers.
struct Location {
  std::vector<int64_t> coordinates;
  int64_t offset;
  bool isOn(const std::vector<int64_t> &rank) const;
};
Location locate(const Mesh &mesh, const Placement &placement,
                const Shape &shape, int64_t element);
/// Elements of every rank's buffer.
int64_t localVolume(const Mesh &mesh, const Placement &placement,
                    const Shape &shape);

/// All placements of a tensor of `rank` dims on a mesh, in every nesting order;
/// partials only when asked for.
std::vector<Placement> allPlacements(const Mesh &mesh, int rank,
                                     bool withPartials);

/// Small integers that every type holds exactly, by element type.
void store(int32_t dtype, void *buffer, int64_t index, int64_t value);
int64_t load(int32_t dtype, const void *buffer, int64_t index);
/// `a op b`, wrapped to the type.
int64_t combine(int32_t dtype, const std::string &op, int64_t a, int64_t b);
/// Whether the reduction is defined for the type.
bool isDefined(int32_t dtype, const std::string &op);

struct ModuleDeleter {
  void operator()(tpc_rt_module_t *module) const {
    tpc_rt_module_release(module);
  }
  void operator()(tpc_rt_world_t *world) const { tpc_rt_world_release(world); }
  void operator()(tpc_rt_call_t *call) const { tpc_rt_call_release(call); }
  void operator()(tpc_rt_tensor_t *tensor) const {
    tpc_rt_tensor_release(tensor);
  }
};
template <typename T> using Owned = std::unique_ptr<T, ModuleDeleter>;

/// A status, taken apart.
struct Outcome {
  tpc_rt_code_t code = TPC_RT_OK;
  std::string message;
  int32_t rank = -1;
  bool ok() const { return code == TPC_RT_OK; }
};
Outcome take(tpc_rt_status_t *status);

#define ASSERT_OK(expression)                                                  \
  do {                                                                         \
    ::tpc::rt::conformance::Outcome outcome =                                  \
        ::tpc::rt::conformance::take(expression);                              \
    ASSERT_TRUE(outcome.ok()) << outcome.message;                              \
  } while (false)

/// Of a window: the result's shape, and where it lies in the source.
struct WindowSpec {
  Shape shape;
  Shape offset;
  /// Empty where no dim has any.
  Shape block;
  Shape step;
  Shape sourceUnit;
  Shape unit;
};

/// A part of a collective in a manifest.
struct PartSpec {
  int32_t dtype;
  Shape shape;
  Placement from;
  Placement to;
  std::string op = "sum";
  std::optional<WindowSpec> window = std::nullopt;
};

struct CollectiveSpec {
  std::string kind;
  std::vector<int> axes;
  std::vector<PartSpec> parts;
  bool isLocal = false;
  std::string value = "v";
};

struct ValueSpec {
  std::string name;
  int32_t dtype;
  Shape shape;
  Placement placement;
  std::string op = "sum";
};

/// What every rank runs; `rank` is its number.
using Body = std::function<int32_t(tpc_rt_rank_t *, int64_t rank,
                                   const void *const *, void *const *)>;

/// A module with one function, in memory.
struct Program {
  Mesh mesh;
  std::vector<CollectiveSpec> collectives;
  std::vector<ValueSpec> arguments;
  std::vector<ValueSpec> results;
  /// See workspace() below.
  int64_t workspaceBytes = 0;
  /// Events that the body uses.
  int32_t events = 0;
  Body body;
  /// Bodies look at tensors on the host, so nothing can be recorded; false for
  /// those that only enqueue.
  bool readsOnHost = true;

  std::string manifest(const Backend &backend = {"cpu", "local"}) const;
  tpc_rt_status_t *create(Owned<tpc_rt_module_t> &module,
                          const Backend &backend = {"cpu", "local"}) const;
};

/// The temporaries of the rank whose body runs on this thread.
char *workspace();

/// What a body of `program` calls with buffers of the host: tpc_rt_collective
/// on the compute stream, by way of the rank's memory.
int32_t collective(const Backend &backend, const Program &program,
                   tpc_rt_rank_t *rank, int32_t index,
                   const std::vector<const void *> &inputs,
                   const std::vector<void *> &outputs);

/// The deadline of worlds that are not meant to reach it. Kernels on the
/// simulated device are slow, and with sanitizers far slower.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr double patience = 600;
#else
constexpr double patience = 60;
#endif

/// A world on a backend.
Owned<tpc_rt_world_t> makeWorld(const Backend &backend, int64_t ranks,
                                double deadline = patience, int threads = 1,
                                int32_t streams = TPC_RT_STREAMS_AUTO);

/// Makes a call of the program on a new world; the program must outlive it.
struct Running {
  Owned<tpc_rt_module_t> module;
  Owned<tpc_rt_world_t> world;
  Owned<tpc_rt_call_t> call;

  Outcome start(const Backend &backend, const Program &program,
                double deadline = patience, int threads = 1,
                int32_t streams = TPC_RT_STREAMS_AUTO);
  Outcome run() { return take(tpc_rt_call_run(call.get())); }
};

} // namespace tpc::rt::conformance

#endif // TPC_RT_CONFORMANCE_HARNESS_H
