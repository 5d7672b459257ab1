// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Memory.h"
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace tpc::sim {

static constexpr int64_t kGuard = 512;
static constexpr unsigned char kGuardByte = 0xa5;
static constexpr unsigned char kFreshByte = 0xfd; // floats of -4e37, no NaN
static constexpr unsigned char kFreedByte = 0xdd;
static constexpr int64_t kQuarantine = int64_t(256) << 20;

std::string Memory::describe(const Allocation &allocation) {
  std::ostringstream text;
  text << "allocation #" << allocation.number << " of " << allocation.bytes
       << " bytes (" << allocation.origin << ")";
  return text.str();
}

Allocation *Memory::allocate(int32_t device, int64_t bytes,
                             const std::string &origin) {
  void *base = nullptr;
  if (posix_memalign(&base, kGuard, bytes + 2 * kGuard) != 0)
    return nullptr;
  auto *data = static_cast<char *>(base) + kGuard;
  memset(base, kGuardByte, kGuard);
  memset(data, kFreshByte, bytes);
  memset(data + bytes, kGuardByte, kGuard);
  auto allocation = std::make_unique<Allocation>();
  allocation->number = ++count;
  allocation->data = data;
  allocation->bytes = bytes;
  allocation->device = device;
  allocation->origin = origin;
  inUse[device] += bytes;
  auto &slot = table[reinterpret_cast<uintptr_t>(data)];
  slot = std::move(allocation);
  return slot.get();
}

bool Memory::release(void *data, const std::shared_ptr<const Actor> &by) {
  auto it = table.find(reinterpret_cast<uintptr_t>(data));
  if (it == table.end())
    return false;
  Allocation &allocation = *it->second;
  if (allocation.freed) {
    findings.add(by->text + " frees " + describe(allocation) +
                 ", which was freed by " + allocation.freedBy->text);
    return false;
  }
  // Nobody may still be at it: as if all of it was written.
  note(allocation, by, 0, allocation.bytes, true);
  checkGuards(allocation, by->text);
  allocation.freed = true;
  allocation.freedBy = by;
  allocation.history.clear();
  memset(allocation.data, kFreedByte, allocation.bytes);
  inUse[allocation.device] -= allocation.bytes;
  quarantine.push_back(it->first);
  quarantined += allocation.bytes;
  while (quarantined > kQuarantine)
    dropOldest();
  return true;
}

void Memory::dropOldest() {
  auto it = table.find(quarantine.front());
  quarantine.pop_front();
  quarantined -= it->second->bytes;
  free(it->second->data - kGuard);
  table.erase(it);
}

Allocation *Memory::find(const void *address) {
  auto at = reinterpret_cast<uintptr_t>(address);
  auto it = table.upper_bound(at);
  if (it == table.begin())
    return nullptr;
  Allocation &allocation = *std::prev(it)->second;
  // One byte past the end still names the allocation; so do the guards, so
  // that who is out of bounds is told of what.
  return at - std::prev(it)->first <
                 static_cast<uintptr_t>(allocation.bytes + kGuard)
             ? &allocation
             : nullptr;
}

bool Memory::access(const std::shared_ptr<const Actor> &actor,
                    const void *address, int64_t bytes, int32_t kind,
                    bool device) {
  if (bytes == 0)
    return true;
  const char *does = kind & TPC_SIM_WRITE ? " writes " : " reads ";
  Allocation *allocation = find(address);
  if (!allocation) {
    if (!device)
      return true;
    std::ostringstream text;
    text << actor->text << does << bytes
         << " bytes at an address that no allocation has";
    findings.add(text.str());
    return false;
  }
  if (allocation->freed) {
    findings.add(actor->text + does + describe(*allocation) +
                 ", which was freed by " + allocation->freedBy->text);
    return false;
  }
  int64_t begin = static_cast<const char *>(address) - allocation->data;
  if (bytes < 0 || begin + bytes > allocation->bytes) {
    std::ostringstream text;
    text << actor->text << does << "bytes " << begin << " to " << begin + bytes
         << " of " << describe(*allocation);
    findings.add(text.str());
    return false;
  }
  note(*allocation, actor, begin, begin + bytes, kind & TPC_SIM_WRITE);
  return true;
}

/// Cuts the span that contains `at`, so that one begins there.
static void cut(std::map<int64_t, Span> &history, int64_t at) {
  auto it = history.upper_bound(at);
  if (it == history.begin())
    return;
  --it;
  if (it->first == at || it->second.end <= at)
    return;
  Span rest = it->second;
  it->second.end = at;
  history.emplace(at, std::move(rest));
}

void Memory::note(Allocation &allocation,
                  const std::shared_ptr<const Actor> &actor, int64_t begin,
                  int64_t end, bool write) {
  auto &history = allocation.history;
  cut(history, begin);
  cut(history, end);
  Access access = {actor->epoch, actor};
  auto it = history.lower_bound(begin);
  for (int64_t at = begin; at < end;) {
    // What lies between spans was never touched.
    if (it == history.end() || it->first > at) {
      int64_t next = it == history.end() ? end : std::min(it->first, end);
      it = history.emplace_hint(it, at, Span{next, {}, {}});
    }
    Span &span = it->second;
    if (span.write.actor)
      checkOrder(allocation, *actor, span.write, at, span.end, write, true);
    if (write) {
      for (const Access &read : span.reads)
        checkOrder(allocation, *actor, read, at, span.end, true, false);
    } else {
      auto &reads = span.reads;
      reads.erase(std::remove_if(reads.begin(), reads.end(),
                                 [&](const Access &read) {
                                   return actor->clock.covers(read.epoch);
                                 }),
                  reads.end());
      reads.push_back(access);
    }
    at = span.end;
    ++it;
  }
  if (!write)
    return;
  history.erase(history.lower_bound(begin), it);
  history.emplace(begin, Span{end, access, {}});
}

void Memory::checkOrder(const Allocation &allocation, const Actor &actor,
                        const Access &earlier, int64_t begin, int64_t end,
                        bool write, bool earlierWrote) {
  if (actor.clock.covers(earlier.epoch) || earlier.actor.get() == &actor)
    return;
  std::ostringstream text;
  text << actor.text << (write ? " writes" : " reads") << " what "
       << earlier.actor->text << (earlierWrote ? " writes" : " reads")
       << ", with nothing that orders the two: bytes " << begin << " to " << end
       << " of " << describe(allocation);
  findings.add(text.str());
}

int64_t Memory::used(int32_t device) const {
  auto it = inUse.find(device);
  return it == inUse.end() ? 0 : it->second;
}

void Memory::checkGuards(const std::string &after) {
  for (auto &[address, allocation] : table)
    checkGuards(*allocation, after);
}

void Memory::checkGuards(Allocation &allocation, const std::string &after) {
  auto intact = [](const char *from) {
    for (int64_t i = 0; i < kGuard; ++i)
      if (static_cast<unsigned char>(from[i]) != kGuardByte)
        return false;
    return true;
  };
  char *behind = allocation.data + allocation.bytes;
  if (intact(allocation.data - kGuard) && intact(behind))
    return;
  findings.add("at " + after + " it shows that somebody wrote beside " +
               describe(allocation));
  memset(allocation.data - kGuard, kGuardByte, kGuard);
  memset(behind, kGuardByte, kGuard);
}

void Memory::reportLeaks() {
  for (auto &[address, allocation] : table)
    if (!allocation->freed)
      findings.add(describe(*allocation) + " is never freed");
}

} // namespace tpc::sim
