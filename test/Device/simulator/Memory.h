// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of the simulated devices, which is the host's, and who touched
// which byte of it when.
//
// Every access is made with the clock of the work that makes it. Two accesses
// of a byte, one of them a write, must be ordered: the clock of the later one
// must cover the earlier one. Which of the two ran first here does not matter,
// so that an order that is missing is found even when the values are right.
#ifndef TPC_TEST_DEVICE_SIMULATOR_MEMORY_H
#define TPC_TEST_DEVICE_SIMULATOR_MEMORY_H

#include "Clock.h"
#include "Findings.h"
#include "host_image.h"
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tpc::sim {

/// Who accesses: work in a stream, or the host in a call.
struct Actor {
  std::string text; // "kernel f (call 12, stream 3)"
  Epoch epoch;
  Clock clock;
};

struct Access {
  Epoch epoch;
  std::shared_ptr<const Actor> actor;
};

/// Bytes with the same history.
struct Span {
  int64_t end;
  Access write;
  std::vector<Access> reads; // since the write
};

/// A thread of the running kernel, and between which barriers of its block.
struct Toucher {
  static constexpr int32_t kNobody = -1, kSeveral = -2;
  int32_t block = kNobody;
  int32_t thread = -1; // -1: several
  int32_t phase = -1;
};

constexpr int64_t kPageBytes = 4096;

/// Which threads of a launch touched a byte last.
struct Trace {
  int32_t launch = 0;
  Toucher writer, reader;
};

struct Allocation {
  int64_t number;
  char *data;
  int64_t bytes;
  int32_t device; // -1: host memory that devices reach
  std::string origin;
  bool freed = false;
  bool shareable = false; // of ncclMemAlloc
  std::shared_ptr<const Actor> freedBy;
  std::vector<uint8_t> marks; // what the running kernel touches, by byte
  std::vector<std::unique_ptr<Trace[]>> pages; // of kPageBytes, when touched
  std::map<int64_t, Span> history; // by first byte; gaps were never touched
};

class Memory {
public:
  explicit Memory(Findings &findings) : findings(findings) {}

  /// Null when there is no memory.
  Allocation *allocate(int32_t device, int64_t bytes,
                       const std::string &origin);
  /// False when this is not the start of an allocation. Bytes stay readable
  /// for a while, as garbage.
  bool release(void *data, const std::shared_ptr<const Actor> &by);
  /// The allocation that has this byte, freed ones included.
  Allocation *find(const void *address);

  /// Checks and notes an access. False when it is out of bounds or behind
  /// a free: then it must not be made. Memory that is in no allocation is the
  /// host's own and is not checked, unless `device` says that it must be.
  bool access(const std::shared_ptr<const Actor> &actor, const void *address,
              int64_t bytes, int32_t kind, bool device = true);

  int64_t used(int32_t device) const;
  /// Whether somebody wrote beside an allocation; one finding for each.
  void checkGuards(const std::string &after);
  void checkGuards(Allocation &allocation, const std::string &after);
  void reportLeaks();
  /// "allocation #3 of 400 bytes (cuMemAlloc, call 7)"
  static std::string describe(const Allocation &allocation);

private:
  void note(Allocation &allocation, const std::shared_ptr<const Actor> &actor,
            int64_t begin, int64_t end, bool write);
  void checkOrder(const Allocation &allocation, const Actor &actor,
                  const Access &earlier, int64_t begin, int64_t end, bool write,
                  bool earlierWrote);
  void dropOldest();

  Findings &findings;
  std::map<uintptr_t, std::unique_ptr<Allocation>> table;
  std::deque<uintptr_t> quarantine;
  int64_t quarantined = 0;
  int64_t count = 0;
  std::map<int32_t, int64_t> inUse;
};

} // namespace tpc::sim

#endif // TPC_TEST_DEVICE_SIMULATOR_MEMORY_H
