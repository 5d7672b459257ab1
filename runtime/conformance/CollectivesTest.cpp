// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kind of collective against the plain account of placements, over
// enumerated meshes, placements, sizes and types.

#include "Harness.h"
#include <algorithm>
#include <cstring>
#include <random>

namespace tpc::rt::conformance {

namespace {

class Collectives : public testing::TestWithParam<Backend> {};
TPC_RT_CONFORMANCE(Collectives);

/// Inputs and outputs of every collective of a program, for all ranks.
class Exchange {
public:
  Exchange(Mesh mesh, std::vector<CollectiveSpec> specs)
      : ranks(ranksOf(mesh)), random(1) {
    program.mesh = std::move(mesh);
    program.collectives = std::move(specs);
    for (const CollectiveSpec &spec : program.collectives) {
      buffers.emplace_back(ranks);
      for (const PartSpec &part : spec.parts)
        addPart(part);
    }
    program.body = [this](tpc_rt_rank_t *rank, int64_t number,
                          const void *const *, void *const *) {
      for (size_t i = 0; i < program.collectives.size(); ++i) {
        Buffers &own = buffers[i][number];
        std::vector<const void *> inputs;
        std::vector<void *> outputs;
        for (auto &bytes : own.inputs)
          inputs.push_back(bytes.data());
        for (auto &bytes : own.outputs)
          outputs.push_back(bytes.data());
        if (int32_t code = collective(backend, program, rank,
                                      static_cast<int32_t>(i), inputs, outputs))
          return code;
      }
      return 0;
    };
  }

  /// Runs twice (a world is reused) and compares.
  void check(const Backend &on, int threads = 1) {
    backend = on;
    Running running;
    Outcome outcome = running.start(backend, program, patience, threads);
    ASSERT_TRUE(outcome.ok()) << outcome.message;
    for (int repeat = 0; repeat < 2; ++repeat) {
      outcome = running.run();
      ASSERT_TRUE(outcome.ok()) << outcome.message;
    }
    size_t global = 0;
    for (size_t i = 0; i < program.collectives.size(); ++i)
      for (size_t p = 0; p < program.collectives[i].parts.size(); ++p)
        checkPart(i, p, globals[global++]);
  }

private:
  struct Buffers {
    std::vector<std::vector<char>> inputs, outputs;
  };

  void addPart(const PartSpec &part) {
    const Mesh &mesh = program.mesh;
    int64_t size = tpc_rt_dtype_size(part.dtype);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      // Anything may lie in the padding.
      buffers.back()[rank].inputs.emplace_back(
          localVolume(mesh, part.from, part.shape) * size, 0x5a);
      buffers.back()[rank].outputs.emplace_back(
          localVolume(mesh, part.to, part.shape) * size, 0x33);
    }
    std::vector<int64_t> global(volume(part.shape));
    for (int64_t element = 0; element < volume(part.shape); ++element) {
      Location location = locate(mesh, part.from, part.shape, element);
      // Ranks that differ on partial axes alone hold terms of the value.
      std::vector<std::pair<std::vector<int64_t>, int64_t>> terms;
      for (int64_t rank = 0; rank < ranks; ++rank) {
        std::vector<int64_t> coordinates = coordinatesOf(mesh, rank);
        if (!location.isOn(coordinates))
          continue;
        for (size_t axis = 0; axis < mesh.size(); ++axis)
          if (!part.from.isPartial(static_cast<int>(axis)))
            coordinates[axis] = -1;
        auto it = std::find_if(terms.begin(), terms.end(), [&](auto &term) {
          return term.first == coordinates;
        });
        if (it == terms.end()) {
          int64_t value = draw(part);
          global[element] = terms.empty() ? value
                                          : combine(part.dtype, part.op,
                                                    global[element], value);
          it = terms.emplace(terms.end(), coordinates, value);
        }
        store(part.dtype, buffers.back()[rank].inputs.back().data(),
              location.offset, it->second);
      }
    }
    globals.push_back(std::move(global));
  }

  int64_t draw(const PartSpec &part) {
    if (part.dtype == TPC_RT_I1)
      return random() % 2;
    if (part.op == "prod") {
      static const int64_t factors[] = {1, -1, 2};
      return factors[random() % 3];
    }
    return static_cast<int64_t>(random() % 7) - 3;
  }

  void checkPart(size_t collective, size_t p,
                 const std::vector<int64_t> &global) {
    const Mesh &mesh = program.mesh;
    const CollectiveSpec &spec = program.collectives[collective];
    const PartSpec &part = spec.parts[p];
    auto describe = [&] {
      return spec.kind + " " + part.from.str(mesh) + " -> " +
             part.to.str(mesh) + " " + part.op + " " +
             tpc_rt_dtype_name(part.dtype) + " " +
             testing::PrintToString(part.shape);
    };
    for (size_t element = 0; element < global.size(); ++element) {
      Location location = locate(mesh, part.to, part.shape, element);
      // What the ranks hold together is the value, replica by replica.
      std::vector<std::pair<std::vector<int64_t>, int64_t>> values;
      for (int64_t rank = 0; rank < ranks; ++rank) {
        std::vector<int64_t> coordinates = coordinatesOf(mesh, rank);
        if (!location.isOn(coordinates))
          continue;
        for (size_t axis = 0; axis < mesh.size(); ++axis)
          if (part.to.isPartial(static_cast<int>(axis)))
            coordinates[axis] = -1;
        int64_t value =
            load(part.dtype, buffers[collective][rank].outputs[p].data(),
                 location.offset);
        auto it = std::find_if(values.begin(), values.end(),
                               [&](auto &v) { return v.first == coordinates; });
        if (it == values.end())
          values.emplace_back(coordinates, value);
        else
          it->second = combine(part.dtype, part.op, it->second, value);
      }
      ASSERT_FALSE(values.empty());
      for (auto &[coordinates, value] : values)
        ASSERT_EQ(value, global[element])
            << describe() << " at " << element << " on "
            << testing::PrintToString(coordinates);
    }
  }

  int64_t ranks;
  std::mt19937 random;
  Program program;
  Backend backend{};
  /// By collective, by rank.
  std::vector<std::vector<Buffers>> buffers;
  /// By part over all collectives.
  std::vector<std::vector<int64_t>> globals;
};

const char *const ops[] = {"sum", "max", "min", "prod", "and", "or"};

/// The step between two placements; without a kind where there is none to
/// test, for no collective turns shards into partials.
CollectiveSpec stepBetween(const Mesh &mesh, const Placement &from,
                           const Placement &to) {
  CollectiveSpec spec;
  bool reduces = false, gathers = false, scatters = false;
  for (int axis = 0; axis < static_cast<int>(mesh.size()); ++axis) {
    if (to.isPartial(axis) && from.isShard(axis))
      return {};
    spec.axes.push_back(axis);
    reduces |= from.isPartial(axis) && !to.isPartial(axis);
    gathers |= from.isShard(axis) && !to.isShard(axis);
    scatters |= !from.isShard(axis) && to.isShard(axis);
  }
  spec.kind = reduces && scatters ? "reduce_scatter"
              : reduces           ? "all_reduce"
              : gathers           ? "all_gather"
                                  : "send_recv";
  return spec;
}

/// All steps between all placements on a mesh, for one shape; types and
/// reductions take turns.
std::vector<CollectiveSpec> allSteps(const Mesh &mesh, const Shape &shape,
                                     size_t stride = 1) {
  std::vector<Placement> placements =
      allPlacements(mesh, static_cast<int>(shape.size()), true);
  std::vector<CollectiveSpec> specs;
  size_t number = 0;
  size_t turn = shape.empty() ? 0 : shape[0];
  for (const Placement &from : placements)
    for (const Placement &to : placements) {
      CollectiveSpec spec = stepBetween(mesh, from, to);
      if (spec.kind.empty() || number++ % stride)
        continue;
      int32_t dtype = static_cast<int32_t>(turn % 9);
      std::string op = ops[turn / 9 % 6];
      ++turn;
      if (!isDefined(dtype, op))
        op = "sum";
      spec.parts.push_back({dtype, shape, from, to, op});
      specs.push_back(std::move(spec));
    }
  return specs;
}

} // namespace

TEST_P(Collectives, AllStepsOnOneAxisSizes0To9) {
  for (int64_t ranks = 1; ranks <= 4; ++ranks)
    for (int64_t rows = 0; rows <= 9; ++rows) {
      Mesh mesh{{"tp", ranks}};
      std::vector<CollectiveSpec> specs = allSteps(mesh, {rows});
      for (CollectiveSpec &spec : allSteps(mesh, {rows, 3}))
        specs.push_back(std::move(spec));
      for (CollectiveSpec &spec : allSteps(mesh, {2, rows}))
        specs.push_back(std::move(spec));
      Exchange(mesh, std::move(specs)).check(GetParam());
    }
}

TEST_P(Collectives, ScalarsAreReduced) {
  for (int64_t ranks = 1; ranks <= 4; ++ranks) {
    Mesh mesh{{"tp", ranks}};
    Exchange(mesh, allSteps(mesh, {})).check(GetParam());
  }
}

TEST_P(Collectives, AllStepsOnTwoAxes) {
  for (auto sizes : {std::pair<int64_t, int64_t>{2, 2}, {2, 3}, {3, 2}})
    for (int64_t rows : {0, 1, 4, 5, 7, 9}) {
      Mesh mesh{{"dp", sizes.first}, {"tp", sizes.second}};
      Exchange(mesh, allSteps(mesh, {rows, 5})).check(GetParam());
    }
}

TEST_P(Collectives, EveryNinthStepOnThreeAxes) {
  Mesh mesh{{"pp", 2}, {"dp", 2}, {"tp", 2}};
  for (int64_t rows : {3, 8})
    Exchange(mesh, allSteps(mesh, {rows, 7}, 9)).check(GetParam());
}

// On two of three axes; the third one's state stays.
TEST_P(Collectives, SubgroupsOfTheMesh) {
  Mesh mesh{{"pp", 2}, {"dp", 2}, {"tp", 2}};
  std::vector<CollectiveSpec> specs;
  for (int kept = 0; kept < 3; ++kept)
    for (int state = -1; state <= 1; ++state) {
      Placement from, to;
      std::vector<int> axes;
      for (int axis = 0; axis < 3; ++axis)
        if (axis != kept)
          axes.push_back(axis);
      from.entries = {{kept, state}, {axes[0], -1}, {axes[1], 1}};
      to.entries = {{kept, state}, {axes[0], 0}};
      specs.push_back({"send_recv", axes, {{TPC_RT_F32, {5, 7}, from, to}}});
      from.entries = {{kept, state}, {axes[0], 0}};
      to.entries = {{kept, state}};
      specs.push_back(
          {"all_gather", {axes[0]}, {{TPC_RT_I16, {5, 7}, from, to}}});
    }
  // [kept: S(0), other: S(0)] cannot lose its outer axis alone.
  specs.erase(std::remove_if(specs.begin(), specs.end(),
                             [](const CollectiveSpec &spec) {
                               const auto &entries = spec.parts[0].from.entries;
                               return entries[0].dim == 0 &&
                                      spec.kind == "send_recv";
                             }),
              specs.end());
  Exchange(mesh, std::move(specs)).check(GetParam());
}

TEST_P(Collectives, EveryTypeAndReduction) {
  Mesh mesh{{"tp", 3}};
  std::vector<CollectiveSpec> specs;
  for (int32_t dtype = 0; dtype < 9; ++dtype)
    for (const char *op : ops) {
      if (!isDefined(dtype, op))
        continue;
      Placement partial{{{0, -1}}}, shard{{{0, 0}}}, replicated;
      // Small (each rank reduces all) and large (each reduces a share).
      for (int64_t rows : {7, 20011}) {
        specs.push_back(
            {"all_reduce", {0}, {{dtype, {rows}, partial, replicated, op}}});
        specs.push_back(
            {"reduce_scatter", {0}, {{dtype, {rows}, partial, shard, op}}});
      }
      specs.push_back(
          {"to_partial", {0}, {{dtype, {7}, replicated, partial, op}}, true});
    }
  Exchange(mesh, std::move(specs)).check(GetParam());
}

// Beyond the size from which ranks share a reduction, also where the shares
// are uneven or some ranks get none.
TEST_P(Collectives, SharedReductions) {
  for (int64_t ranks : {2, 3, 4}) {
    Mesh mesh{{"tp", ranks}};
    std::vector<CollectiveSpec> specs;
    Placement partial{{{0, -1}}}, replicated;
    for (Shape shape : {Shape{4096 + 1}, Shape{70, 133}, Shape{3, 1, 5003},
                        Shape{5003, 1, 3}, Shape{8192, 1}})
      specs.push_back(
          {"all_reduce", {0}, {{TPC_RT_F32, shape, partial, replicated}}});
    Exchange(mesh, std::move(specs)).check(GetParam());
  }
  // Reduced on one axis, scattered on another, shared on the third.
  Mesh mesh{{"pp", 2}, {"dp", 2}, {"tp", 2}};
  std::vector<CollectiveSpec> specs;
  for (int a = 0; a < 3; ++a)
    for (int dim = 0; dim < 2; ++dim) {
      int b = (a + 1) % 3;
      Placement from{{{a, -1}, {b, -1}}}, to{{{b, dim}}};
      specs.push_back(
          {"send_recv", {0, 1, 2}, {{TPC_RT_I32, {101, 203}, from, to}}});
    }
  Exchange(mesh, std::move(specs)).check(GetParam());
}

TEST_P(Collectives, SeveralPartsInOneCollective) {
  Mesh mesh{{"dp", 2}, {"tp", 2}};
  Placement partial{{{0, -1}}}, replicated, shard{{{0, 0}}},
      sharded{{{1, 1}, {0, -1}}}, kept{{{1, 1}}};
  CollectiveSpec bucket{"all_reduce", {0}, {}};
  bucket.parts = {{TPC_RT_F32, {3}, partial, replicated},
                  {TPC_RT_F64, {0, 4}, partial, replicated},
                  {TPC_RT_BF16, {100, 100}, partial, replicated, "max"},
                  {TPC_RT_I8, {5, 5}, sharded, kept, "or"},
                  {TPC_RT_F32, {}, partial, replicated, "prod"}};
  CollectiveSpec gathers{"all_gather", {0}, {}};
  for (int64_t rows = 1; rows < 20; ++rows)
    gathers.parts.push_back({TPC_RT_F32, {rows, 2}, shard, replicated});
  Exchange(mesh, {bucket, gathers}).check(GetParam());
}

TEST_P(Collectives, LocalSteps) {
  Mesh mesh{{"dp", 2}, {"tp", 3}};
  std::vector<CollectiveSpec> specs;
  for (const Placement &to : allPlacements(mesh, 2, true)) {
    Placement replicated;
    specs.push_back(
        {"slice", {0, 1}, {{TPC_RT_F32, {5, 7}, replicated, to, "min"}}, true});
  }
  Exchange(mesh, std::move(specs)).check(GetParam());
}

TEST_P(Collectives, SeveralThreadsPerRank) {
  Mesh mesh{{"tp", 2}};
  Placement partial{{{0, -1}}}, replicated, rows{{{0, 0}}}, cols{{{0, 1}}};
  std::vector<CollectiveSpec> specs = {
      {"all_reduce",
       {0},
       {{TPC_RT_F32, {300000}, partial, replicated},
        {TPC_RT_F32, {1000, 333}, partial, replicated, "max"}}},
      {"all_gather", {0}, {{TPC_RT_F32, {1001, 501}, rows, replicated}}},
      {"all_to_all", {0}, {{TPC_RT_F32, {1001, 501}, rows, cols}}},
      {"reduce_scatter", {0}, {{TPC_RT_F32, {1001, 501}, partial, cols}}}};
  Exchange(mesh, std::move(specs)).check(GetParam(), 3);
}

// The order of additions is the order of ranks, on every rank: the sum of
// floats that do not add exactly is the same bits everywhere. The largest size
// is one that is written past the caches.
TEST_P(Collectives, SumsOfFloatsAreInRankOrder) {
  for (int64_t ranks : {2, 3, 4})
    for (int64_t count : {1, 100, 50001, 2200003}) {
      std::vector<std::vector<float>> inputs(ranks), outputs(ranks);
      std::mt19937 random(7);
      std::uniform_real_distribution<float> uniform(-1, 1);
      for (int64_t rank = 0; rank < ranks; ++rank) {
        outputs[rank].resize(count);
        for (int64_t i = 0; i < count; ++i)
          inputs[rank].push_back(uniform(random));
      }
      Program program;
      program.mesh = {{"tp", ranks}};
      program.collectives = {
          {"all_reduce", {0}, {{TPC_RT_F32, {count}, {{{0, -1}}}, {}}}}};
      program.body = [&](tpc_rt_rank_t *rank, int64_t number,
                         const void *const *, void *const *) {
        const void *in = inputs[number].data();
        void *out = outputs[number].data();
        return collective(GetParam(), program, rank, 0, {in}, {out});
      };
      Running running;
      ASSERT_TRUE(running.start(GetParam(), program).ok());
      ASSERT_TRUE(running.run().ok());
      std::vector<float> expected = inputs[0];
      for (int64_t rank = 1; rank < ranks; ++rank)
        for (int64_t i = 0; i < count; ++i)
          expected[i] += inputs[rank][i];
      for (int64_t rank = 0; rank < ranks; ++rank)
        ASSERT_EQ(std::memcmp(outputs[rank].data(), expected.data(),
                              count * sizeof(float)),
                  0);
    }
}

TEST_P(Collectives, NansWinMaximaAndMinima) {
  for (const char *op : {"max", "min"}) {
    float nan = std::numeric_limits<float>::quiet_NaN();
    float inputs[3][3] = {{nan, 1, 2}, {1, nan, 2}, {1, 2, nan}};
    float outputs[3][3];
    Program program;
    program.mesh = {{"tp", 3}};
    program.collectives = {
        {"all_reduce", {0}, {{TPC_RT_F32, {3}, {{{0, -1}}}, {}, op}}}};
    program.body = [&](tpc_rt_rank_t *rank, int64_t number, const void *const *,
                       void *const *) {
      const void *in = inputs[number];
      void *out = outputs[number];
      return collective(GetParam(), program, rank, 0, {in}, {out});
    };
    Running running;
    ASSERT_TRUE(running.start(GetParam(), program).ok());
    ASSERT_TRUE(running.run().ok());
    for (auto &output : outputs)
      for (float value : output)
        EXPECT_TRUE(value != value);
  }
}

} // namespace tpc::rt::conformance
