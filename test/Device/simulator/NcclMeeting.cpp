// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the ranks of a communicator find each other.
#include "Nccl.h"
#include <chrono>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace tpc::sim {

thread_local std::string lastNcclError;

static constexpr int64_t kBlockBytes = 4096;

Meeting::Meeting(const std::string &name, int32_t ranks) : ranks(ranks) {
  path = (access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : "/tmp/") + name;
  // Sparse: only what is touched takes memory.
  bytes = ranks * (kBlockBytes + kDataBytes) +
          int64_t(ranks) * ranks * (kBlockBytes + kMailBytes);
  int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, bytes) != 0)
    throw std::bad_alloc();
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  base = static_cast<char *>(memory);
}

Meeting::~Meeting() { munmap(base, bytes); }

void Meeting::unlink() { ::unlink(path.c_str()); }

RankBlock &Meeting::rank(int32_t r) const {
  static_assert(sizeof(RankBlock) <= kBlockBytes);
  return *reinterpret_cast<RankBlock *>(base + r * kBlockBytes);
}

char *Meeting::data(int32_t r) const {
  return base + ranks * kBlockBytes + r * kDataBytes;
}

Mailbox &Meeting::mailbox(int32_t from, int32_t to) const {
  return *reinterpret_cast<Mailbox *>(mail(from, to) - kBlockBytes);
}

char *Meeting::mail(int32_t from, int32_t to) const {
  int64_t number = int64_t(from) * ranks + to;
  return base + ranks * (kBlockBytes + kDataBytes) +
         number * (kBlockBytes + kMailBytes) + kBlockBytes;
}

bool Meeting::complete() const {
  for (int32_t r = 0; r < ranks; ++r)
    if (!rank(r).joined.load())
      return false;
  return true;
}

std::shared_ptr<ncclComm> joinComm(const std::string &name, int32_t ranks,
                                   int32_t rank, int32_t device) {
  Simulator &sim = Simulator::get();
  auto comm = std::make_shared<ncclComm>();
  comm->name = name;
  comm->rank = rank;
  comm->ranks = ranks;
  comm->device = device;
  comm->meeting = std::make_shared<Meeting>(name, ranks);
  RankBlock &block = comm->meeting->rank(rank);
  if (block.joined.load()) {
    lastNcclError = "rank " + std::to_string(rank) + " is there twice";
    sim.findings.add("a communicator is joined: " + lastNcclError);
    return nullptr;
  }
  block.device = device;
  block.process = getpid();
  block.version = sim.options.ncclVersion;
  block.joined.store(1);
  return comm;
}

ncclResult_t awaitComm(ncclComm &comm) {
  using namespace std::chrono;
  auto end = steady_clock::now() + seconds(120);
  while (steady_clock::now() < end && !comm.aborted) {
    ncclResult_t result;
    {
      std::lock_guard<std::mutex> lock(Simulator::get().mutex);
      result = comm.poll();
    }
    if (result != ncclInProgress)
      return result;
    std::this_thread::sleep_for(microseconds(200));
  }
  lastNcclError = "not all ranks came";
  return ncclSystemError;
}

} // namespace tpc::sim

std::string ncclComm::text() const {
  return "rank " + std::to_string(rank) + " of communicator " + name;
}

ncclResult_t ncclComm::poll() {
  if (error == ncclSuccess && window)
    return pollWindow();
  if (error == ncclSuccess && split)
    return pollSplit();
  if (error == ncclSuccess && finalizing)
    for (int32_t r = 0; r < ranks; ++r)
      if (!meeting->rank(r).finalized.load())
        return ncclInProgress;
  if (error != ncclInProgress || !meeting->complete())
    return error;
  error = ncclSuccess;
  for (int32_t r = 0; r < ranks; ++r) {
    const auto &other = meeting->rank(r);
    const auto &mine = meeting->rank(rank);
    if (other.version != mine.version) {
      tpc::sim::lastNcclError =
          "Mismatched NCCL version detected : rank " + std::to_string(rank) +
          " version " + std::to_string(mine.version) + " rank " +
          std::to_string(r) + " version " + std::to_string(other.version);
      error = ncclInvalidUsage;
    } else if (r != rank && other.device == mine.device) {
      tpc::sim::lastNcclError = "Duplicate GPU detected : rank " +
                                std::to_string(rank) + " and rank " +
                                std::to_string(r) + " both on CUDA device " +
                                std::to_string(mine.device);
      error = ncclInvalidUsage;
    }
  }
  if (rank == 0)
    meeting->unlink();
  return error;
}
