// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules of ranks that do not see each other's memory, carried out on the
// host and compared with what the plans of ranks that do give, for enumerated
// meshes, placements, sizes and types.

#include "../comm/nccl/schedule.h"
#include "Harness.h"
#include "kernels.h"
#include <gmock/gmock.h>
#include <random>

namespace tpc::rt::nccl {

namespace {

using Bytes = std::vector<char>;

/// All ranks of a collective.
class AllRanks {
public:
  AllRanks(const Mesh &mesh, const Collective &collective)
      : mesh(mesh), collective(collective), numRanks(mesh.numRanks()),
        schedules(numRanks), scratch(numRanks), outputs(numRanks),
        expected(numRanks), inputs(numRanks) {
    for (int32_t rank = 0; rank < numRanks; ++rank) {
      Status status = planSchedule(mesh, collective, rank, schedules[rank]);
      EXPECT_TRUE(status.ok()) << (status ? status.message() : "");
      scratch[rank].resize(schedules[rank].scratchBytes);
    }
    for (const Part &part : collective.parts)
      addPart(part);
  }

  void check() {
    size_t phases = schedules[0].phases.size();
    for (size_t phase = 0; phase < phases; ++phase) {
      for (int32_t rank = 0; rank < numRanks; ++rank) {
        ASSERT_EQ(schedules[rank].phases.size(), phases);
        for (const Move &move : schedules[rank].phases[phase].before)
          carryOut(rank, move);
      }
      exchange(phase);
      for (int32_t rank = 0; rank < numRanks; ++rank)
        for (const Move &move : schedules[rank].phases[phase].after)
          carryOut(rank, move);
    }
    for (int32_t rank = 0; rank < numRanks; ++rank)
      for (size_t part = 0; part < collective.parts.size(); ++part)
        compare(rank, part);
  }

  const Schedule &of(int32_t rank) const { return schedules[rank]; }
  int64_t sentBytes() const {
    int64_t bytes = 0;
    for (const Schedule &schedule : schedules)
      for (const Phase &phase : schedule.phases)
        for (const Message &message : phase.messages)
          if (message.operation == Operation::Send)
            bytes += message.count * dtypeSize(message.dtype);
    return bytes;
  }

private:
  void addPart(const Part &part) {
    int64_t size = dtypeSize(part.dtype);
    std::vector<const void *> sources;
    for (int32_t rank = 0; rank < numRanks; ++rank) {
      int64_t count = volumeOf(localShape(mesh, part.from, part.shape));
      Bytes input(count * size, 0);
      for (int64_t i = 0; i < count; ++i)
        conformance::store(static_cast<int32_t>(part.dtype), input.data(), i,
                           part.dtype == DType::I1
                               ? static_cast<int64_t>(random() % 2)
                               : static_cast<int64_t>(random() % 3) + 1);
      inputs[rank].push_back(std::move(input));
      outputs[rank].emplace_back(resultVolume(mesh, part) * size, 0x33);
      expected[rank].push_back(outputs[rank].back());
    }
    for (int32_t rank = 0; rank < numRanks; ++rank)
      sources.push_back(inputs[rank].back().data());
    for (int32_t rank = 0; rank < numRanks; ++rank) {
      PartPlan plan;
      ASSERT_TRUE(
          planPart(mesh, collective.axes, part, rank, false, plan).ok());
      void *target = expected[rank].back().data();
      for (const Transfer &fill : plan.fills)
        runFill(plan.dtype, plan.reduction, fill, target);
      for (const Transfer &transfer : plan.first)
        runTransfer(plan.dtype, plan.reduction, transfer, target,
                    sources.data(), 0, 1);
    }
  }

  char *at(int32_t rank, const Place &place) {
    Bytes &bytes = place.memory == Memory::Scratch ? scratch[rank]
                   : place.memory == Memory::Input ? inputs[rank][place.part]
                                                   : outputs[rank][place.part];
    EXPECT_LE(place.offset, static_cast<int64_t>(bytes.size()));
    return bytes.data() + place.offset;
  }

  void carryOut(int32_t rank, const Move &move) {
    char *target = at(rank, move.target);
    if (move.sources.empty())
      return runFill(move.dtype, move.reduction, move.transfer, target);
    std::vector<const void *> sources;
    for (const Place &place : move.sources)
      sources.push_back(at(rank, place));
    runTransfer(move.dtype, move.reduction, move.transfer, target,
                sources.data(), 0, 1);
  }

  void exchange(size_t phase) {
    for (int32_t rank = 0; rank < numRanks; ++rank) {
      const Schedule &schedule = schedules[rank];
      const auto &messages = schedule.phases[phase].messages;
      for (size_t i = 0; i < messages.size(); ++i)
        take(rank, phase, messages, i);
    }
  }

  /// Gives a rank what the others send it in call `i`.
  void take(int32_t rank, size_t phase, const std::vector<Message> &messages,
            size_t i) {
    const Message &message = messages[i];
    const Schedule &schedule = schedules[rank];
    int64_t bytes = message.count * dtypeSize(message.dtype);
    auto member =
        std::find(schedule.members.begin(), schedule.members.end(), rank) -
        schedule.members.begin();
    if (message.operation == Operation::Send)
      return;
    if (message.operation == Operation::Receive) {
      int32_t other = schedule.members[message.peer];
      // The messages of a pair come in their order.
      size_t before = 0;
      for (size_t j = 0; j < i; ++j)
        before += messages[j].operation == Operation::Receive &&
                  messages[j].peer == message.peer;
      for (const Message &theirs : schedules[other].phases[phase].messages)
        if (theirs.operation == Operation::Send && theirs.peer == member &&
            before-- == 0) {
          ASSERT_EQ(theirs.count, message.count);
          std::memcpy(at(rank, message.to), at(other, theirs.from), bytes);
          return;
        }
      FAIL() << "rank " << other << " sends rank " << rank << " nothing";
    }
    // The same call of all members.
    std::vector<const void *> theirs;
    int64_t offset =
        message.operation == Operation::ReduceScatter ? member * bytes : 0;
    for (int32_t other : schedule.members) {
      const Message &same = schedules[other].phases[phase].messages.at(i);
      ASSERT_EQ(same.operation, message.operation);
      ASSERT_EQ(same.count, message.count);
      theirs.push_back(at(other, same.from) + offset);
    }
    char *to = at(rank, message.to);
    if (message.operation == Operation::AllGather) {
      for (const void *from : theirs) {
        std::memcpy(to, from, bytes);
        to += bytes;
      }
      return;
    }
    ASSERT_TRUE(isNative(message.dtype, message.reduction));
    if (theirs.size() == 1)
      std::memcpy(to, theirs[0], bytes);
    else
      reduceRun(message.dtype, message.reduction, to, theirs.data(),
                theirs.size(), message.count);
  }

  void compare(int32_t rank, size_t number) {
    const Part &part = collective.parts[number];
    // Padding may hold anything.
    Box box = boxOf(mesh, part.to, part.resultShape(), mesh.coordinates(rank));
    if (box.volume() == 0)
      return;
    Shape strides =
        rowMajorStrides(localShape(mesh, part.to, part.resultShape()));
    int64_t size = dtypeSize(part.dtype);
    const Bytes &got = outputs[rank][number];
    const Bytes &want = expected[rank][number];
    forEachRun(makeTransfer(box, box.offset, strides, box.offset, strides), 0,
               1, [&](int64_t at, int64_t, int64_t count) {
                 ASSERT_EQ(std::memcmp(&got[at * size], &want[at * size],
                                       count * size),
                           0)
                     << collective.kind << " " << part.from.str(mesh) << " -> "
                     << part.to.str(mesh) << " " << listText(part.shape) << " "
                     << dtypeName(part.dtype) << " on rank " << rank;
               });
  }

  const Mesh &mesh;
  const Collective &collective;
  int32_t numRanks;
  std::mt19937 random{1};
  std::vector<Schedule> schedules;
  /// By rank, then by part.
  std::vector<Bytes> scratch;
  std::vector<std::vector<Bytes>> outputs, expected, inputs;
};

Placement convert(const conformance::Placement &given, Reduction reduction) {
  Placement result;
  for (const conformance::Entry &entry : given.entries)
    result.entries.push_back(
        {entry.axis, entry.dim < 0, std::max(entry.dim, 0), reduction});
  return result;
}

/// The steps between all placements of a shape on a mesh; types and reductions
/// take turns.
void checkAllSteps(const Mesh &mesh, const Shape &shape, size_t stride = 1) {
  conformance::Mesh axes;
  Collective collective;
  collective.kind = "send_recv";
  for (size_t axis = 0; axis < mesh.axes.size(); ++axis) {
    axes.push_back({mesh.axes[axis].name, mesh.axes[axis].size});
    collective.axes.push_back(static_cast<int32_t>(axis));
  }
  auto placements =
      conformance::allPlacements(axes, static_cast<int>(shape.size()), true);
  size_t turn = shape.empty() ? 0 : static_cast<size_t>(shape[0]);
  size_t number = 0;
  for (const auto &from : placements)
    for (const auto &to : placements) {
      bool exists = true;
      for (size_t axis = 0; axis < axes.size(); ++axis)
        exists &= !(to.isPartial(static_cast<int>(axis)) &&
                    from.isShard(static_cast<int>(axis)));
      if (!exists || number++ % stride)
        continue;
      auto dtype = static_cast<DType>(turn % 9);
      auto reduction = static_cast<Reduction>(turn / 9 % 6);
      ++turn;
      if (isFloat(dtype) && reduction > Reduction::Prod)
        reduction = Reduction::Sum;
      collective.parts = {
          {dtype, shape, convert(from, reduction), convert(to, reduction)}};
      AllRanks(mesh, collective).check();
    }
}

Collective onOneAxis(std::vector<Part> parts) {
  Collective collective;
  collective.kind = "test";
  collective.label = "test of \"v\"";
  collective.axes = {0};
  collective.parts = std::move(parts);
  return collective;
}

Placement partial(Reduction reduction = Reduction::Sum) {
  return {{{0, true, 0, reduction}}};
}
Placement shard(int32_t dim) { return {{{0, false, dim}}}; }

std::vector<Operation> operationsOf(const Mesh &mesh, Part part) {
  Collective collective = onOneAxis({std::move(part)});
  AllRanks run(mesh, collective);
  run.check();
  std::vector<Operation> operations;
  for (const Phase &phase : run.of(0).phases)
    for (const Message &message : phase.messages)
      operations.push_back(message.operation);
  return operations;
}

} // namespace

TEST(Schedules, AllStepsOnOneAxis) {
  for (int64_t ranks = 1; ranks <= 4; ++ranks) {
    Mesh mesh{{{"tp", ranks}}};
    for (int64_t rows = 0; rows <= 9; ++rows)
      for (const Shape &shape :
           {Shape{rows}, Shape{rows, 3}, Shape{2, rows}, Shape{3, rows, 2}})
        checkAllSteps(mesh, shape);
    checkAllSteps(mesh, {});
  }
}

TEST(Schedules, AllStepsOnTwoAndThreeAxes) {
  for (auto sizes : {std::pair<int64_t, int64_t>{2, 2}, {2, 3}, {3, 2}})
    for (int64_t rows : {0, 1, 4, 5, 8})
      checkAllSteps({{{"dp", sizes.first}, {"tp", sizes.second}}}, {rows, 5});
  for (int64_t rows : {3, 8})
    checkAllSteps({{{"pp", 2}, {"dp", 2}, {"tp", 2}}}, {rows, 8}, 9);
}

// From this size on ranks share a reduction that NCCL does not do.
TEST(Schedules, SharedReductions) {
  for (int64_t ranks : {2, 3, 4}) {
    Mesh mesh{{{"tp", ranks}}};
    for (const Shape &shape :
         {Shape{4096 + 1}, Shape{70, 133}, Shape{3, 1, 5003}}) {
      Collective collective = onOneAxis(
          {{DType::F32, shape, partial(Reduction::Max), Placement()}});
      AllRanks run(mesh, collective);
      run.check();
      EXPECT_EQ(run.of(0).phases.size(), 2u);
      // As many bytes as the best all-reduce.
      EXPECT_EQ(run.sentBytes(), 2 * (ranks - 1) * volumeOf(shape) * 4);
    }
  }
}

TEST(Schedules, NativeStepsAreGivenToTheLibrary) {
  Mesh mesh{{{"tp", 4}}};
  using Operations = std::vector<Operation>;
  EXPECT_EQ(operationsOf(mesh, {DType::BF16, {5, 7}, partial(), Placement()}),
            Operations{Operation::AllReduce});
  for (const Shape &shape : {Shape{8, 3}, Shape{3, 8}}) {
    int32_t dim = shape[0] == 8 ? 0 : 1;
    EXPECT_EQ(operationsOf(mesh, {DType::I16, shape, shard(dim), Placement()}),
              Operations{Operation::AllGather});
    EXPECT_EQ(operationsOf(mesh, {DType::F32, shape, partial(), shard(dim)}),
              Operations{Operation::ReduceScatter});
  }
  // A NaN must win, and a sum of booleans is modulo 2.
  for (Part part : {Part{DType::F32, {8}, partial(Reduction::Max), shard(0)},
                    Part{DType::I1, {8}, partial(), shard(0)},
                    Part{DType::I16, {8}, partial(), shard(0)},
                    Part{DType::F32, {8, 8}, shard(0), shard(1)}})
    EXPECT_EQ(operationsOf(mesh, part),
              (Operations{Operation::Send, Operation::Send, Operation::Send,
                          Operation::Receive, Operation::Receive,
                          Operation::Receive}));
}

// Contiguous pieces are neither packed nor unpacked.
TEST(Schedules, NothingIsPackedWithoutNeed) {
  Mesh mesh{{{"tp", 4}}};
  for (Part part : {Part{DType::F32, {5, 7}, partial(), Placement()},
                    Part{DType::F32, {8, 7}, shard(0), Placement()},
                    Part{DType::F32, {8, 7}, partial(), shard(0)}}) {
    Collective collective = onOneAxis({part});
    AllRanks run(mesh, collective);
    EXPECT_EQ(run.of(1).scratchBytes, 0);
    EXPECT_TRUE(run.of(1).phases[0].before.empty());
    EXPECT_TRUE(run.of(1).phases[0].after.empty());
  }
}

// Chunks of 9 rows over 4 ranks are 3, 3, 3 and 0.
TEST(Schedules, UnevenChunksMoveUsefulBytes) {
  Mesh mesh{{{"tp", 4}}};
  Collective gather = onOneAxis({{DType::F32, {9, 5}, shard(0), Placement()}});
  AllRanks run(mesh, gather);
  run.check();
  EXPECT_EQ(run.sentBytes(), 3 * 9 * 5 * 4);
  EXPECT_EQ(run.of(1).scratchBytes, 0);
}

TEST(Schedules, BucketsAreOneGroup) {
  Mesh mesh{{{"tp", 3}}};
  Collective bucket = onOneAxis(
      {{DType::F32, {5}, partial(), Placement()},
       {DType::BF16, {100, 100}, partial(Reduction::Max), Placement()},
       {DType::I8, {7, 4}, shard(1), shard(0)},
       {DType::F64, {0, 4}, partial(), Placement()},
       {DType::F32, {6, 2}, shard(0), Placement()}});
  AllRanks run(mesh, bucket);
  run.check();
  EXPECT_EQ(run.of(2).phases.size(), 2u);
}

TEST(Schedules, TooManyToCombine) {
  Mesh mesh{{{"tp", 65}}};
  Schedule schedule;
  Status status = planSchedule(
      mesh,
      onOneAxis({{DType::F32, {5}, partial(Reduction::Max), Placement()}}), 0,
      schedule);
  EXPECT_EQ(status.message(),
            "test of \"v\": expected at most 64 ranks in a reduction of f32 "
            "that NCCL does not do itself, got 65");
}

} // namespace tpc::rt::nccl
