// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rank 0 waits until every rank has said who it is, and only then lets all of
// them in. With a file, rank 0 takes any free port and writes host, port and
// job; a file of another job is an old one, one of the same job an error, since
// nobody could tell whether it is old.

#include "rendezvous.h"
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <thread>
#include <unistd.h>

namespace tpc::rt {

std::string ranksText(const std::vector<int32_t> &ranks) {
  std::string result = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i)
    result += (i == 0                  ? ""
               : i + 1 == ranks.size() ? " and "
                                       : ", ") +
              std::to_string(ranks[i]);
  return result;
}

namespace {

constexpr int64_t protocol = 1;

std::string hostName() {
  char name[256] = "localhost";
  gethostname(name, sizeof(name) - 1);
  return name;
}

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(seconds));
}

/// `HOST:PORT`; the host may hold colons.
Status parseAddress(const std::string &given, Address &address) {
  size_t colon = given.rfind(':');
  char *end = nullptr;
  const std::string port =
      colon == std::string::npos ? "" : given.substr(colon + 1);
  long number = std::strtol(port.c_str(), &end, 10);
  if (colon == 0 || port.empty() || *end || number < 1 || number > 65535)
    return fail(TPC_RT_INVALID_ARGUMENT,
                "expected the address of rank 0 as HOST:PORT, got \"", given,
                "\"");
  address.host = given.substr(0, colon);
  address.port = static_cast<int>(number);
  return {};
}

/// The file in which rank 0 says where it is.
struct PlaceFile {
  std::string job;
  int port = 0;
  /// The name of the host, then its addresses.
  std::vector<std::string> hosts;

  static bool read(const std::string &path, PlaceFile &file) {
    std::ifstream stream(path);
    std::string line;
    if (!std::getline(stream, line) || line != "tpc rendezvous 1")
      return false;
    while (std::getline(stream, line)) {
      std::string value = line.substr(std::min(line.size(), size_t(5)));
      if (line.rfind("job  ", 0) == 0)
        file.job = value;
      else if (line.rfind("port ", 0) == 0)
        file.port = std::atoi(value.c_str());
      else if (line.rfind("host ", 0) == 0)
        file.hosts.push_back(value);
    }
    return file.port > 0 && !file.hosts.empty();
  }

  /// Whole or not at all.
  Status write(const std::string &path) const {
    std::string draft = text(path, ".", getpid());
    std::ofstream stream(draft);
    stream << "tpc rendezvous 1\njob  " << job << "\nport " << port << '\n';
    for (const std::string &host : hosts)
      stream << "host " << host << '\n';
    stream.close();
    if (stream && rename(draft.c_str(), path.c_str()) == 0)
      return {};
    std::string reason = std::strerror(errno);
    unlink(draft.c_str());
    return fail(TPC_RT_IO, "cannot write the rendezvous file \"", path,
                "\": ", reason);
  }
};

std::vector<std::string> ownAddresses() {
  std::vector<std::string> result{hostName()};
  ifaddrs *list = nullptr;
  if (getifaddrs(&list) != 0)
    return result;
  for (ifaddrs *entry = list; entry; entry = entry->ifa_next) {
    if (!entry->ifa_addr || entry->ifa_addr->sa_family != AF_INET ||
        (entry->ifa_flags & IFF_LOOPBACK))
      continue;
    char name[INET_ADDRSTRLEN];
    auto *address = reinterpret_cast<sockaddr_in *>(entry->ifa_addr);
    if (inet_ntop(AF_INET, &address->sin_addr, name, sizeof(name)))
      result.push_back(name);
  }
  freeifaddrs(list);
  return result;
}

/// Rank 0's part.
class Host {
public:
  explicit Host(const JoinOptions &options)
      : options(options), until(after(options.deadline)) {}
  ~Host() {
    if (hasWritten)
      unlink(path.c_str());
  }

  Status run(std::vector<Peer> &result) {
    if (Status status = open())
      return status;
    peers.resize(options.ranks);
    Status status = admitAll();
    std::string bytes =
        status ? encodeFrame(FrameKind::Refused, FieldWriter()
                                                     .number(status.code())
                                                     .string(status.message())
                                                     .bytes)
               : encodeFrame(FrameKind::Welcome, "");
    for (Peer &peer : peers)
      if (peer.socket)
        writeUntil(peer.socket, bytes, after(5));
    if (!status)
      result = std::move(peers);
    return status;
  }

private:
  Status open() {
    if (options.place.rfind("file:", 0) == 0) {
      path = options.place.substr(5);
      return openFile();
    }
    Address address;
    if (Status status = parseAddress(options.place.substr(4), address))
      return status;
    if (Status status = listenAt(address.port, listener))
      return cannotListen(address.port, status);
    where = address.str();
    port = address.port;
    return {};
  }

  static Status cannotListen(int port, const Status &reason) {
    return fail(TPC_RT_IO, "rank 0 cannot listen at port ", port,
                ", where the processes meet: ", reason.message());
  }

  Status openFile() {
    PlaceFile old;
    if (access(path.c_str(), F_OK) == 0 &&
        (!PlaceFile::read(path, old) || old.job == options.job))
      return fail(TPC_RT_INVALID_ARGUMENT, "the rendezvous file \"", path,
                  "\" is there already, of job \"", old.job,
                  "\"; remove it, or give every run another TPC_JOB");
    PlaceFile file;
    file.job = options.job;
    file.hosts = ownAddresses();
    if (Status status = listenAt(file.port, listener))
      return cannotListen(file.port, status);
    port = file.port;
    where = text(file.hosts[0], ":", file.port);
    Status status = file.write(path);
    hasWritten = status.ok();
    return status;
  }

  /// A connection that has not said yet who it is.
  struct Arrival {
    Socket socket;
    FrameReader reader;
    Clock::time_point until;
  };

  /// Beyond these, strangers would take the descriptors and the memory.
  static constexpr size_t mostArrivals = 256;
  static constexpr size_t longestHello = 1 << 20;

  Status admitAll() {
    std::vector<Arrival> arrivals;
    int32_t missing = options.ranks - 1;
    while (missing > 0) {
      if (Clock::now() >= until)
        return reportMissing();
      std::vector<pollfd> entries{{listener.get(), POLLIN, 0}};
      for (const Arrival &arrival : arrivals)
        entries.push_back({arrival.socket.get(), POLLIN, 0});
      poll(entries.data(), entries.size(), 50);
      for (size_t i = 0; i < arrivals.size(); ++i)
        if (entries[i + 1].revents)
          if (Status status = hear(arrivals[i], missing))
            return status;
      // Whatever else connects to ports is sent away.
      arrivals.erase(std::remove_if(arrivals.begin(), arrivals.end(),
                                    [](const Arrival &arrival) {
                                      return !arrival.socket ||
                                             Clock::now() >= arrival.until;
                                    }),
                     arrivals.end());
      if (!entries[0].revents)
        continue;
      Arrival fresh;
      fresh.until = after(10);
      if (Status status = acceptUntil(listener, Clock::now(), fresh.socket))
        return cannotListen(port, status);
      if (fresh.socket)
        arrivals.push_back(std::move(fresh));
      if (arrivals.size() > mostArrivals)
        arrivals.erase(arrivals.begin());
    }
    return {};
  }

  /// Takes in a rank that has said its name, and lets go of strangers.
  Status hear(Arrival &arrival, int32_t &missing) {
    bool isOpen = arrival.reader.read(arrival.socket);
    Frame frame;
    if (!arrival.reader.next(frame)) {
      if (!isOpen || arrival.reader.hasForeign() ||
          arrival.reader.size() > longestHello)
        arrival.socket = Socket();
      return {};
    }
    Socket socket = std::move(arrival.socket);
    if (frame.kind != FrameKind::Hello)
      return {};
    Peer peer;
    peer.socket = std::move(socket);
    int32_t rank = -1;
    if (Status status = examine(frame.bytes, peer, rank)) {
      // It hears of it with the others.
      peers.push_back(std::move(peer));
      return status;
    }
    peers[rank] = std::move(peer);
    --missing;
    return {};
  }

  Status examine(const std::string &bytes, Peer &peer, int32_t &rank) {
    FieldReader reader(bytes);
    int64_t version = reader.number();
    rank = static_cast<int32_t>(reader.number());
    int64_t ranks = reader.number();
    std::string job = reader.string();
    peer.host = reader.string();
    peer.process = reader.number();
    if (!reader.isGood() || version != protocol)
      return fail(TPC_RT_VERSION, "rank ", rank,
                  " runs another version of the runtime than rank 0");
    if (ranks != options.ranks)
      return Status(TPC_RT_MISMATCH,
                    text("rank ", rank, " (", peer.str(),
                         ") was started as one of ", ranks,
                         " ranks, rank 0 as one of ", options.ranks),
                    rank);
    if (job != options.job)
      return Status(TPC_RT_MISMATCH,
                    text("rank ", rank, " (", peer.str(), ") belongs to job \"",
                         job, "\", rank 0 to job \"", options.job, "\""),
                    rank);
    if (rank < 1 || rank >= options.ranks)
      return fail(TPC_RT_MISMATCH, peer.str(), " came as rank ", rank,
                  ", expected ranks 1 to ", options.ranks - 1);
    if (peers[rank].socket)
      return Status(TPC_RT_MISMATCH,
                    text("two processes came as rank ", rank, ": ",
                         peers[rank].str(), " and ", peer.str()),
                    rank);
    return {};
  }

  Status reportMissing() {
    std::vector<int32_t> missing;
    for (int32_t rank = 1; rank < options.ranks; ++rank)
      if (!peers[rank].socket)
        missing.push_back(rank);
    return Status(TPC_RT_TIMEOUT,
                  text("rank 0 waited ", options.deadline, " seconds at ",
                       where, " for ", ranksText(missing), " of ",
                       options.ranks, ", which did not come"),
                  missing[0]);
  }

  const JoinOptions &options;
  Clock::time_point until;
  Socket listener;
  int port = 0;
  std::string path, where;
  bool hasWritten = false;
  std::vector<Peer> peers;
};

/// The part of any other rank.
class Guest {
public:
  explicit Guest(const JoinOptions &options)
      : options(options), until(after(options.deadline)) {}

  Status run(std::vector<Peer> &result) {
    Peer host;
    host.host = "?";
    bool isFile = options.place.rfind("file:", 0) == 0;
    if (Status status =
            isFile ? connectByFile(options.place.substr(5), host.socket)
                   : connectByName(options.place.substr(4), host.socket))
      return status;
    std::string hello = FieldWriter()
                            .number(protocol)
                            .number(options.rank)
                            .number(options.ranks)
                            .string(options.job)
                            .string(hostName())
                            .number(getpid())
                            .bytes;
    writeUntil(host.socket, encodeFrame(FrameKind::Hello, hello), until);
    Frame frame;
    // Rank 0 may have begun later, and gives up at its own deadline.
    if (!readFrameUntil(host.socket, after(options.deadline + 5), frame))
      return fail(TPC_RT_RANK_FAILED, "rank ", options.rank,
                  " lost the connection to rank 0 at ", where,
                  " while the processes met");
    if (frame.kind == FrameKind::Refused) {
      FieldReader reader(frame.bytes);
      int64_t code = reader.number();
      return Status(static_cast<tpc_rt_code_t>(code), reader.string(), 0);
    }
    result.resize(1);
    result[0] = std::move(host);
    return {};
  }

private:
  Status connectByName(const std::string &name, Socket &socket) {
    Address address;
    if (Status status = parseAddress(name, address))
      return status;
    where = name;
    std::string reason = "no attempt";
    while (true) {
      Status status = connectOnce(address, until, socket);
      if (!status)
        return {};
      reason = status.message();
      if (Clock::now() >= until)
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return unreachable(reason);
  }

  Status connectByFile(const std::string &path, Socket &socket) {
    std::string reason;
    while (true) {
      PlaceFile file;
      bool exists = PlaceFile::read(path, file);
      if (exists && file.job == options.job) {
        where = text(file.hosts[0], ":", file.port);
        // The name of this very host need not resolve.
        if (file.hosts[0] == hostName())
          file.hosts.insert(file.hosts.begin(), "127.0.0.1");
        for (const std::string &host : file.hosts) {
          Status status = connectOnce({host, file.port}, until, socket);
          if (!status)
            return {};
          reason = status.message();
        }
      }
      if (Clock::now() >= until) {
        if (!reason.empty())
          return unreachable(reason);
        return fail(TPC_RT_TIMEOUT, "rank ", options.rank,
                    " found no rendezvous file \"", path, "\" within ",
                    options.deadline, " seconds",
                    exists ? text(", only one of job \"", file.job,
                                  "\" (this is job \"", options.job, "\")")
                           : "");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  Status unreachable(const std::string &reason) const {
    return Status(TPC_RT_TIMEOUT,
                  text("rank ", options.rank, " could not reach rank 0 at ",
                       where, " within ", options.deadline,
                       " seconds: ", reason),
                  0);
  }

  const JoinOptions &options;
  Clock::time_point until;
  std::string where;
};

} // namespace

Status meetProcesses(const JoinOptions &options, std::vector<Peer> &peers) {
  if (options.place.rfind("tcp:", 0) && options.place.rfind("file:", 0))
    return fail(TPC_RT_INVALID_ARGUMENT,
                "expected a rendezvous tcp:HOST:PORT or file:PATH, got \"",
                options.place, "\"");
  return options.rank == 0 ? Host(options).run(peers)
                           : Guest(options).run(peers);
}

} // namespace tpc::rt
