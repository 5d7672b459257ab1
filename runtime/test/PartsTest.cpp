// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small parts of the runtime: number formats, the rank groups, counters.

#include "comm.h"
#include "dtype.h"
#include "mesh.h"
#include "pool.h"
#include "world.h"
#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>

namespace tpc::rt {

TEST(Halves, AllHalvesSurviveTheWayToFloatAndBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    F16 half;
    half.bits = static_cast<uint16_t>(bits);
    float wide = static_cast<float>(half);
    _Float16 reference;
    std::memcpy(&reference, &half.bits, 2);
    if (std::isnan(wide)) {
      EXPECT_TRUE(reference != reference);
      EXPECT_TRUE(std::isnan(static_cast<float>(F16(wide))));
      continue;
    }
    ASSERT_EQ(wide, static_cast<float>(reference)) << bits;
    ASSERT_EQ(F16(wide).bits, half.bits) << bits;
  }
}

TEST(Halves, FloatsAreRoundedToNearestEven) {
  // Every exponent with mantissas around the points where rounding turns.
  for (uint32_t exponent = 90; exponent < 160; ++exponent)
    for (uint32_t mantissa = 0; mantissa < 0x800000; mantissa += 0x7ff)
      for (uint32_t sign : {0u, 0x80000000u}) {
        uint32_t word = sign | exponent << 23 | mantissa;
        float value;
        std::memcpy(&value, &word, 4);
        _Float16 expected = static_cast<_Float16>(value);
        uint16_t bits;
        std::memcpy(&bits, &expected, 2);
        ASSERT_EQ(F16(value).bits, bits) << value;
      }
  for (float tie : {65519.996f, 65520.0f, 2049.0f, 2051.0f, 5.9604645e-8f,
                    2.9802322e-8f, 2.9802326e-8f}) {
    _Float16 expected = static_cast<_Float16>(tie);
    uint16_t bits;
    std::memcpy(&bits, &expected, 2);
    EXPECT_EQ(F16(tie).bits, bits) << tie;
  }
}

TEST(BFloats, RoundedToNearestEven) {
  auto round = [](uint32_t word) {
    float value;
    std::memcpy(&value, &word, 4);
    return BF16(value).bits;
  };
  EXPECT_EQ(round(0x3f808000), 0x3f80); // tie to even, down
  EXPECT_EQ(round(0x3f818000), 0x3f82); // tie to even, up
  EXPECT_EQ(round(0x3f808001), 0x3f81);
  EXPECT_EQ(round(0x7f7fffff), 0x7f80); // to infinity
  EXPECT_EQ(round(0x7f800001), 0x7fc0); // a NaN stays one
}

TEST(Guard, NoExceptionPasses) {
  auto messageOf = [](auto error) {
    tpc_rt_status_t *status = guard([&]() -> Status { throw error; });
    std::string message = tpc_rt_status_message(status);
    tpc_rt_status_release(status);
    return message;
  };
  EXPECT_EQ(messageOf(std::bad_alloc()), "out of memory");
  EXPECT_EQ(messageOf(std::system_error(
                std::make_error_code(std::errc::invalid_argument))),
            "the system refused: Invalid argument");
  EXPECT_EQ(messageOf(std::logic_error("wrong")),
            "tpc bug in the runtime: wrong");
}

TEST(Mesh, GroupsAreAscending) {
  Mesh mesh{{{"dp", 2}, {"tp", 3}}};
  EXPECT_EQ(mesh.group(4, {0}), (std::vector<int32_t>{1, 4}));
  EXPECT_EQ(mesh.group(4, {1}), (std::vector<int32_t>{3, 4, 5}));
  EXPECT_EQ(mesh.group(4, {0, 1}), (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(mesh.group(4, {}), (std::vector<int32_t>{4}));
}

TEST(Counter, SleepersAreWoken) {
  Counter counter;
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    counter.store(1);
  });
  EXPECT_TRUE(counter.wait(1, [] { return false; }));
  late.join();
  EXPECT_FALSE(counter.wait(2, [] { return true; }));
}

TEST(Counter, WrapsAround) {
  Counter counter;
  counter.store(0xffffffff);
  EXPECT_FALSE(counter.wait(0, [] { return true; }));
  counter.store(0);
  EXPECT_TRUE(counter.wait(0xffffffff, [] { return true; }));
}

TEST(Pool, SaysOnceThatAHelperIsLate) {
  Pool pool(3);
  int numLate = 0;
  pool.run(
      3, 0.02,
      [](int32_t worker) {
        if (worker > 0)
          std::this_thread::sleep_for(std::chrono::milliseconds(80));
      },
      [&] { ++numLate; });
  EXPECT_EQ(numLate, 1);
}

// Ranks of one process share their module; the comparison itself is tried with
// what ranks of several hosts might bring.
TEST(Agreement, RanksWithDifferentPrograms) {
  World::Options options;
  options.ranks = 3;
  options.deadline = 10;
  auto world = std::make_shared<World>(options);
  ASSERT_TRUE(world->open().ok());
  auto attempt = [&](const std::vector<std::string> &texts) {
    EXPECT_TRUE(world->communicator().beginRun().ok());
    std::vector<Status> statuses(3);
    std::vector<std::thread> threads;
    for (int32_t rank = 0; rank < 3; ++rank)
      world->rank(rank).isRunning = true;
    for (int32_t rank = 0; rank < 3; ++rank)
      threads.emplace_back([&, rank] {
        statuses[rank] =
            world->communicator().agree(world->rank(rank), texts[rank]);
        // As the world does with a rank that ends.
        world->rank(rank).endReason = "over";
        world->rank(rank).isRunning = false;
      });
    for (std::thread &thread : threads)
      thread.join();
    return statuses;
  };
  std::vector<Status> statuses = attempt({"a", "a", "a"});
  for (Status &status : statuses)
    EXPECT_TRUE(status.ok());
  statuses = attempt({"artifact 1", "artifact 1", "artifact 2"});
  EXPECT_EQ(statuses[2].code(), TPC_RT_MISMATCH);
  EXPECT_EQ(statuses[2].message(),
            "the ranks run different programs: rank 0 runs artifact 1, rank 2 "
            "runs artifact 2");
  EXPECT_FALSE(statuses[0].ok());
  world->reportFailure(Status(TPC_RT_INTERNAL, "the first"));
  statuses = attempt({"a", "b", "c"});
  EXPECT_EQ(statuses[0].message(), "another rank has failed");
}

} // namespace tpc::rt
