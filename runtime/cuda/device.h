// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank's part of a GPU: three streams, its memory, and how the work that it
// is given gets there, at once or by way of a recorded graph.
#ifndef TPC_RT_CUDA_DEVICE_H
#define TPC_RT_CUDA_DEVICE_H

#include "context.h"
#include "plugin.h"
#include "world.h"
#include <mutex>
#include <set>

namespace tpc::rt::cuda {

class Attentions;
class Matmuls;

/// What the ranks of a world share while they record one graph together.
struct Recorder {
  std::mutex mutex;
  /// Under `mutex`. Work that comes when it has become false again is refused.
  bool isRecording = false;
};

struct CudaCall;

/// The calls of a device that have a graph.
class Graphs {
public:
  /// `graph` is the call's from now on.
  void add(CudaCall &call, CUgraphExec graph);
  /// Destroys the graph of `call`, if it has one, or all.
  void drop(CudaCall &call);
  void dropAll();

private:
  std::mutex mutex;
  std::set<CudaCall *> calls;
};

/// What a device keeps of a call.
struct CudaCall final : DeviceCall {
  CudaCall(std::shared_ptr<Context> context, std::shared_ptr<Graphs> graphs)
      : context(std::move(context)), graphs(std::move(graphs)) {}
  ~CudaCall() override;

  std::shared_ptr<Context> context;
  std::shared_ptr<Graphs> graphs;
  std::shared_ptr<LoadedModule> code;
  /// By the numbers compiled code uses.
  std::vector<CUevent> events;
  CUgraphExec graph = nullptr;
  /// Whether there is one; read by ranks whose work is in it.
  std::atomic<bool> isRecorded{false};
};

class CudaDevice final : public Device {
public:
  CudaDevice(std::shared_ptr<Context> context, Recorder &recorder,
             const PlatformOptions &options, DeviceHooks hooks, int32_t rank);
  ~CudaDevice() override;

  Status open();

  Status allocate(int64_t bytes, std::shared_ptr<void> &memory) override;
  bool isHostMemory() const override { return false; }
  Status upload(void *target, const void *source, int64_t bytes) override;
  Status download(void *target, const void *source, int64_t bytes) override;
  Status prepare(const std::shared_ptr<Module> &module,
                 const Function &function,
                 std::unique_ptr<DeviceCall> &call) override;
  Status run(tpc_rt_rank_t &rank, const std::function<int32_t()> &body,
             int32_t &code) override;
  Status matmul(const tpc_rt_matmul_t &desc, const void *a, const void *b,
                void *c, void *bias, void *aux, void *workspace) override;
  Status attention(const tpc_rt_attention_t &desc, const void *const *inputs,
                   void *const *outputs) override;
  Status launch(tpc_rt_kernel_t fn, int64_t extent, int64_t cost,
                void *const *args) override;
  Status record(int32_t event, int32_t stream) override;
  Status wait(int32_t stream, int32_t event) override;
  Status kernel(int32_t index, const int64_t *args) override;
  void *constant(int32_t index) override;
  Status read(const void *source, void *target, int64_t bytes) override;
  void share(int64_t,
             const std::function<void(int64_t, int64_t)> &body) override {
    body(0, 1);
  }

  /// NCCL's communicators wait without end for graphs that use them, when they
  /// are destroyed and when they are aborted: these go before.
  const std::shared_ptr<Graphs> &recordings() const { return graphs; }
  /// Whether one is being recorded, of which they have no part yet.
  bool isRecordingGraph() const { return isRecording; }

  /// For communicators.
  const std::shared_ptr<Context> &gpu() const { return context; }
  const Driver &driver() const { return context->driver; }
  CUstream stream(int32_t number) const { return streams[number]; }
  Status createEvent(CUevent &event) const;
  /// Sets new memory to zero, and returns when that is done.
  Status clear(void *memory, int64_t bytes) const;
  /// `label` is what the device is given next.
  void note(const char *kind, const std::string &label) {
    noteKind = kind;
    noteLabel = &label;
    hasNotedProduct = false;
  }
  /// Held while work is enqueued. While ranks record together one enqueues at a
  /// time, and none once that is over.
  Status enter(std::unique_lock<std::mutex> &lock) const;
  /// Names the work at fault where the GPU itself has failed.
  Status checked(CUresult result, const char *call) const;

private:
  Status runEagerly(const std::function<int32_t()> &body, int32_t &code);
  Status replay(tpc_rt_rank_t &rank, bool isLeader);
  Status recordGraph(tpc_rt_rank_t &rank, bool isLeader,
                     const std::function<int32_t()> &body, int32_t &code);
  Status fork(tpc_rt_rank_t &rank, bool isLeader);
  Status join(tpc_rt_rank_t &rank, bool isLeader);
  Status finishGraph(tpc_rt_rank_t &rank);
  template <typename Query> Status poll(Query &&query, const char *call) const;
  template <typename Query> void abandon(Query &&query) const;
  Status synchronize(CUstream stream) const;
  Status waitOnHost(CUevent event) const;
  Status copyStaged(char *target, const char *source, int64_t bytes,
                    bool toDevice);
  std::string lastWork() const;

  std::shared_ptr<Context> context;
  std::shared_ptr<Graphs> graphs = std::make_shared<Graphs>();
  Recorder &recorder;
  PlatformOptions options;
  DeviceHooks hooks;
  int32_t rankIndex;
  CUstream streams[TPC_RT_STREAMS] = {};
  /// Where the recording of a graph begins, and where each stream ends.
  CUevent beginEvent = nullptr;
  CUevent endEvents[TPC_RT_STREAMS] = {};
  /// Pinned, two halves; made when first used.
  char *staging = nullptr;
  CUevent stagingEvents[2] = {};
  std::unique_ptr<Matmuls> matmuls;
  std::unique_ptr<Attentions> attentions;

  /// Of the current run.
  CudaCall *current = nullptr;
  bool isRecording = false;
  /// This thread works on a graph that all ranks share.
  bool isJoint = false;
  bool isReplaying = false;
  const char *noteKind = nullptr;
  const std::string *noteLabel = nullptr;
  /// The last product since, if any: m, n and k.
  std::array<int64_t, 3> notedProduct{};
  bool hasNotedProduct = false;
  std::vector<void *> params;
};

/// The device of a rank, for communicators of this library.
inline CudaDevice &deviceOf(tpc_rt_rank_t &rank) {
  return static_cast<CudaDevice &>(*rank.device);
}

#define TPC_CUDA_CHECKED(device, name, ...)                                    \
  if (::tpc::rt::Status cudaStatus =                                           \
          (device).checked((device).driver().name(__VA_ARGS__), #name))        \
  return cudaStatus

inline CUdeviceptr address(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

} // namespace tpc::rt::cuda

#endif // TPC_RT_CUDA_DEVICE_H
