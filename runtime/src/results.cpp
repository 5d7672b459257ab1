// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the pieces of a result on the host. Between processes they go to
// rank 0 over the connections of the peers and not through the communicator:
// the whole of a sharded result need not fit into the memory of one device.

#include "results.h"
#include "host_view.h"
#include "kernels.h"

namespace tpc::rt {

static Status checkResult(const Call &call, int32_t index) {
  size_t count = call.signature().results.size();
  if (index < 0 || index >= static_cast<int32_t>(count))
    return fail(TPC_RT_INVALID_ARGUMENT, "expected a result below ", count,
                ", got ", index);
  return {};
}

/// What an own rank holds of the result, on the host.
static Status viewOnHost(const Call &call, int32_t rank, int32_t index,
                         std::unique_ptr<HostView> &view) {
  view = std::make_unique<HostView>(*call.world->rank(rank).device,
                                    call.buffers[rank].results[index],
                                    call.signature().results[index].localBytes);
  return view->load();
}

static const char *bytesOf(const std::unique_ptr<HostView> &view) {
  return static_cast<const char *>(view->data());
}

static Status joinPieces(const PartPlan &plan, const Value &value,
                         const std::vector<const void *> &sources,
                         std::unique_ptr<tpc_rt_tensor_t> &tensor) {
  std::unique_ptr<tpc_rt_tensor_t> result;
  if (Status status = createTensor(value.dtype, value.shape, result))
    return status;
  for (const Transfer &transfer : plan.first)
    runTransfer(plan.dtype, plan.reduction, transfer, result->data.get(),
                sources.data(), 0, 1);
  tensor = std::move(result);
  return {};
}

Status joinResult(const Call &call, int32_t index,
                  std::unique_ptr<tpc_rt_tensor_t> &tensor) {
  if (Status status = checkResult(call, index))
    return status;
  const Value &value = call.signature().results[index];
  const Mesh &mesh = call.module->manifest.mesh;
  std::vector<int32_t> axes;
  for (size_t axis = 0; axis < mesh.axes.size(); ++axis)
    axes.push_back(static_cast<int32_t>(axis));
  Part part{value.dtype, value.shape, value.placement, Placement()};
  PartPlan plan;
  if (Status status = planPart(mesh, axes, part, 0, /*share=*/false, plan))
    return status;
  std::vector<const void *> sources(call.buffers.size());
  Peers *peers = call.world->peers();
  // Ranks whose replica is not asked for give nothing.
  std::vector<std::unique_ptr<HostView>> views(call.buffers.size());
  for (const Transfer &transfer : plan.first)
    for (int32_t rank : transfer.sources) {
      if (views[rank] || !call.world->isOwn(rank))
        continue;
      if (Status status = viewOnHost(call, rank, index, views[rank]))
        return status;
      sources[rank] = views[rank]->data();
    }
  if (!peers)
    return joinPieces(plan, value, sources, tensor);
  std::string given, ignored;
  if (const auto &view = views[peers->rank()])
    given.assign(bytesOf(view), value.localBytes);
  return peers->confer(
      text("the joining of result \"", value.name, "\""), std::move(given),
      [&](std::vector<std::string> &all, std::string &) {
        for (size_t rank = 0; rank < all.size(); ++rank)
          sources[rank] = all[rank].data();
        return joinPieces(plan, value, sources, tensor);
      },
      ignored);
}

namespace {

/// The comparison of one result's replicas.
class Replicas {
public:
  Replicas(const Mesh &mesh, const Value &value)
      : mesh(mesh), value(value), strides(rowMajorStrides(value.localShape)) {}

  /// The first of the ranks that hold what `rank` holds.
  int32_t firstWith(int32_t rank) const {
    std::vector<int64_t> coordinates = mesh.coordinates(rank);
    for (size_t axis = 0; axis < mesh.axes.size(); ++axis)
      if (value.placement.isReplicated(static_cast<int32_t>(axis)))
        coordinates[axis] = 0;
    return mesh.rankOf(coordinates);
  }

  /// Fails with the first element that differs.
  Status compare(int32_t first, int32_t rank, const char *a,
                 const char *b) const {
    int64_t size = dtypeSize(value.dtype);
    Box box = boxOfRank(rank);
    int64_t differing = -1;
    forEachRunOf(box, [&](int64_t offset, int64_t count) {
      for (int64_t i = 0; i < count * size && differing < 0; ++i)
        if (a[offset * size + i] != b[offset * size + i])
          differing = offset + i / size;
    });
    if (differing < 0)
      return {};
    Shape at;
    for (size_t dim = 0; dim < box.offset.size(); ++dim) {
      at.push_back(box.offset[dim] + differing / strides[dim]);
      differing %= strides[dim];
    }
    return Status(TPC_RT_MISMATCH,
                  text("result \"", value.name, "\": ranks ", first, " and ",
                       rank, " hold replicas that differ, first at ",
                       listText(at)),
                  rank);
  }

  /// A number that is the same for equal replicas; padding does not count.
  int64_t digest(int32_t rank, const char *data) const {
    int64_t size = dtypeSize(value.dtype);
    uint64_t hash = 0xcbf29ce484222325;
    forEachRunOf(boxOfRank(rank), [&](int64_t offset, int64_t count) {
      for (int64_t i = 0; i < count * size; ++i)
        hash = (hash ^ static_cast<unsigned char>(data[offset * size + i])) *
               0x100000001b3;
    });
    return static_cast<int64_t>(hash);
  }

private:
  Box boxOfRank(int32_t rank) const {
    return boxOf(mesh, value.placement, value.shape, mesh.coordinates(rank));
  }
  template <typename Body>
  void forEachRunOf(const Box &box, Body &&body) const {
    if (box.volume() > 0)
      forEachRun(
          makeTransfer(box, box.offset, strides, box.offset, strides), 0, 1,
          [&](int64_t offset, int64_t, int64_t count) { body(offset, count); });
  }

  const Mesh &mesh;
  const Value &value;
  Shape strides;
};

/// Every process gives the digest of its replica; two whose digests differ give
/// the replicas themselves, so that the element can be named.
Status checkBetweenProcesses(const Call &call, int32_t index, Peers &peers,
                             const Replicas &replicas) {
  const Value &value = call.signature().results[index];
  std::unique_ptr<HostView> view;
  if (Status status = viewOnHost(call, peers.rank(), index, view))
    return status;
  const char *own = bytesOf(view);
  const std::string what =
      text("the comparison of replicas of result \"", value.name, "\"");
  std::string answer;
  auto findDifference = [&](std::vector<std::string> &all, std::string &pair) {
    std::vector<int64_t> digests;
    for (const std::string &bytes : all)
      digests.push_back(FieldReader(bytes).number());
    for (int32_t rank = 0; rank < peers.numRanks() && pair.empty(); ++rank) {
      int32_t first = replicas.firstWith(rank);
      if (digests[first] != digests[rank])
        pair = FieldWriter().number(first).number(rank).bytes;
    }
    return Status();
  };
  std::string digest =
      FieldWriter().number(replicas.digest(peers.rank(), own)).bytes;
  if (Status status =
          peers.confer(what, std::move(digest), findDifference, answer))
    return status;
  if (answer.empty())
    return {};
  FieldReader reader(answer);
  auto first = static_cast<int32_t>(reader.number());
  auto second = static_cast<int32_t>(reader.number());
  std::string given;
  if (peers.rank() == first || peers.rank() == second)
    given.assign(own, value.localBytes);
  return peers.confer(
      what, std::move(given),
      [&](std::vector<std::string> &all, std::string &) {
        return replicas.compare(first, second, all[first].data(),
                                all[second].data());
      },
      answer);
}

} // namespace

Status checkReplicas(const Call &call, int32_t index) {
  if (Status status = checkResult(call, index))
    return status;
  const Mesh &mesh = call.module->manifest.mesh;
  Replicas replicas(mesh, call.signature().results[index]);
  if (Peers *peers = call.world->peers())
    return checkBetweenProcesses(call, index, *peers, replicas);
  for (int32_t rank = 0; rank < mesh.numRanks(); ++rank) {
    int32_t first = replicas.firstWith(rank);
    if (first == rank)
      continue;
    std::unique_ptr<HostView> firstView, view;
    if (Status status = viewOnHost(call, first, index, firstView))
      return status;
    if (Status status = viewOnHost(call, rank, index, view))
      return status;
    if (Status status =
            replicas.compare(first, rank, bytesOf(firstView), bytesOf(view)))
      return status;
  }
  return {};
}

} // namespace tpc::rt
