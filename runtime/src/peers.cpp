// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A star of connections around rank 0, which decides what the processes agree
// on and which failure was the first.
//
// Invariants: only the thread of the connections touches sockets; everything
// else is under the mutex. A process that ends in order says goodbye first; a
// connection that ends without one is a process that died.

#include "peers.h"
#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tpc::rt {

/// Beyond the deadline a process that gives no sign of life is dead; machines
/// under load skip a few seconds.
static constexpr double silenceMargin = 5;

Status Peers::join(const JoinOptions &options, std::unique_ptr<Peers> &peers) {
  std::unique_ptr<Peers> result(new Peers(options));
  std::vector<Peer> met;
  if (Status status = meetProcesses(options, met))
    return status;
  result->start(std::move(met));
  peers = std::move(result);
  return {};
}

void Peers::start(std::vector<Peer> met) {
  for (size_t i = 0; i < met.size(); ++i) {
    if (!met[i].socket)
      continue;
    auto connection = std::make_unique<Connection>();
    connection->peer = std::move(met[i]);
    connection->rank = static_cast<int32_t>(i);
    connection->lastHeard = connection->lastMoved = Clock::now();
    connections.push_back(std::move(connection));
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends))
    throw std::system_error(errno, std::generic_category(), "socketpair");
  wakeIn = Socket(ends[0]);
  wakeOut = Socket(ends[1]);
  nextSign = Clock::now();
  thread = std::thread([this] { serve(); });
}

Peers::~Peers() { leave(); }

void Peers::leave() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    announce(FrameKind::Goodbye, "");
    isLeaving = true;
  }
  wake();
  thread.join();
}

void Peers::onFailure(std::function<void(const Status &)> handler) {
  std::unique_lock<std::mutex> lock(mutex);
  failureHandler = std::move(handler);
  if (hasFailed && failureHandler) {
    auto call = failureHandler;
    Status known = failure.copy();
    lock.unlock();
    call(known);
  }
}

void Peers::setWhereabouts(std::function<std::string()> text) {
  std::lock_guard<std::mutex> lock(mutex);
  whereaboutsText = std::move(text);
}

void Peers::wake() {
  // A full pipe wakes as well.
  (void)!write(wakeOut.get(), "", 1);
}

void Peers::announce(FrameKind kind, const std::string &bytes) {
  std::string frame = encodeFrame(kind, bytes);
  for (auto &connection : connections)
    if (!connection->isOver)
      connection->outgoing.append(frame.data(), frame.size());
}

//===--- the thread of the connections ------------------------------------===//

void Peers::serve() {
  std::vector<pollfd> entries;
  Clock::time_point leaveBy = Clock::time_point::max();
  while (true) {
    entries.assign(1, {wakeIn.get(), POLLIN, 0});
    double longest = 200;
    {
      std::lock_guard<std::mutex> lock(mutex);
      bool hasOutgoing = false, hasOpen = false;
      for (auto &connection : connections) {
        hasOutgoing |= !connection->outgoing.empty() && !connection->isOver;
        hasOpen |= !connection->isOver;
        short events = connection->outgoing.empty() ? POLLIN : POLLIN | POLLOUT;
        entries.push_back(
            {connection->isOver ? -1 : connection->peer.socket.get(), events,
             0});
      }
      if (isLeaving) {
        longest = 50;
        if (leaveBy == Clock::time_point::max())
          leaveBy = Clock::now() + std::chrono::seconds(2);
        // What the others have sent is read to its end, or else the system
        // throws away what was sent to them.
        if (!hasOutgoing)
          for (auto &connection : connections)
            if (!connection->isOver)
              shutdown(connection->peer.socket.get(), SHUT_WR);
        if (!hasOpen || Clock::now() > leaveBy)
          return;
      }
    }
    int limit =
        static_cast<int>(std::clamp(250 * options.deadline, 5.0, longest));
    poll(entries.data(), entries.size(), limit);
    char ignored[64];
    while (read(wakeIn.get(), ignored, sizeof(ignored)) > 0)
      ;
    for (size_t i = 0; i < connections.size(); ++i)
      if (entries[i + 1].fd >= 0)
        serveConnection(*connections[i],
                        entries[i + 1].revents & (POLLIN | POLLHUP | POLLERR));
    noteSilence();
  }
}

void Peers::serveConnection(Connection &connection, bool canRead) {
  bool isOpen = !canRead || connection.reader.read(connection.peer.socket);
  Frame frame;
  while (connection.reader.next(frame))
    handle(connection, std::move(frame));
  std::unique_lock<std::mutex> lock(mutex);
  if (canRead) {
    connection.lastHeard = Clock::now();
    if (connection.reader.isInFrame())
      connection.lastMoved = connection.lastHeard;
  }
  flush(connection);
  if (isOpen || connection.isOver)
    return;
  connection.isOver = true;
  connection.outgoing = {};
  if (!connection.saidGoodbye && !isLeaving)
    fail(Status(TPC_RT_RANK_FAILED,
                connection.rank == 0 && !isHost()
                    ? "the process of rank 0 ended"
                    : text("the process of rank ", connection.rank, " (",
                           connection.peer.str(), ") ended"),
                connection.rank),
         lock);
  changed.notify_all();
}

void Peers::flush(Connection &connection) {
  ByteQueue &outgoing = connection.outgoing;
  while (!outgoing.empty() && !connection.isOver) {
    ssize_t sent = send(connection.peer.socket.get(), outgoing.data(),
                        outgoing.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0)
      break;
    outgoing.drop(static_cast<size_t>(sent));
  }
}

void Peers::handle(Connection &connection, Frame frame) {
  std::unique_lock<std::mutex> lock(mutex);
  FieldReader reader(frame.bytes);
  switch (frame.kind) {
  case FrameKind::Given:
    connection.given.push_back(std::move(frame.bytes));
    connection.lastMoved = Clock::now();
    break;
  case FrameKind::Waiting:
    numWaits = reader.number();
    break;
  case FrameKind::Answer:
    answers.push_back(std::move(frame.bytes));
    break;
  case FrameKind::Alive:
    connection.whereabouts = std::move(frame.bytes);
    break;
  case FrameKind::Goodbye:
    connection.saidGoodbye = true;
    break;
  case FrameKind::Failure: {
    auto code = static_cast<tpc_rt_code_t>(reader.number());
    auto rank = static_cast<int32_t>(reader.number());
    std::string message = reader.string();
    // Rank 0 decides which failure was the first, also against our own.
    if (!isHost()) {
      bool isNew = !hasFailed;
      failure = Status(code, message, rank);
      hasFailed = isSettled = true;
      if (isNew && failureHandler) {
        auto handler = failureHandler;
        Status copy = failure.copy();
        lock.unlock();
        handler(copy);
        lock.lock();
      }
      break;
    }
    // A rank that waited in vain knows less than rank 0 does.
    if (code == TPC_RT_TIMEOUT && !hasFailed)
      for (auto &other : connections)
        if (other->rank != connection.rank && !other->whereabouts.empty())
          message += text("; rank ", other->rank, " is ", other->whereabouts);
    fail(Status(code, message, rank), lock);
    break;
  }
  default:
    break;
  }
  changed.notify_all();
}

/// Gives a sign of life, and misses those of others.
void Peers::noteSilence() {
  std::unique_lock<std::mutex> lock(mutex);
  Clock::time_point now = Clock::now();
  if (now >= nextSign && !isLeaving) {
    nextSign = now + std::chrono::milliseconds(static_cast<int>(
                         std::min(1.0, options.deadline / 4) * 1000));
    auto text = whereaboutsText;
    lock.unlock();
    std::string own = text ? text() : "";
    lock.lock();
    announce(FrameKind::Alive, own);
    for (auto &connection : connections)
      flush(*connection);
  }
  for (auto &connection : connections)
    if (!connection->isOver && !connection->saidGoodbye && !hasFailed &&
        secondsSince(connection->lastHeard) > options.deadline + silenceMargin)
      fail(Status(TPC_RT_TIMEOUT,
                  text("the process of rank ", connection->rank,
                       " has not been heard of for ", options.deadline,
                       " seconds"),
                  connection->rank),
           lock);
}

//===--- failures ---------------------------------------------------------===//

/// Keeps the first failure and tells everybody. Lets the lock go meanwhile.
void Peers::fail(const Status &first, std::unique_lock<std::mutex> &lock) {
  if (hasFailed)
    return;
  failure = first.copy();
  hasFailed = true;
  isSettled = isHost();
  announce(FrameKind::Failure, FieldWriter()
                                   .number(first.code())
                                   .number(first.rank())
                                   .string(first.message())
                                   .bytes);
  changed.notify_all();
  auto handler = failureHandler;
  Status copy = failure.copy();
  lock.unlock();
  wake();
  if (handler)
    handler(copy);
  lock.lock();
}

void Peers::fail(const Status &own) {
  std::unique_lock<std::mutex> lock(mutex);
  fail(own, lock);
}

Status Peers::settle(Status own) {
  std::unique_lock<std::mutex> lock(mutex);
  fail(own, lock);
  changed.wait_for(lock, std::chrono::seconds(2), [&] {
    return isSettled || connections.empty() || connections[0]->isOver;
  });
  return failure.copy();
}

//===--- conferring -------------------------------------------------------===//

Status Peers::confer(const std::string &what, std::string given,
                     const Decide &decide, std::string &answer,
                     bool isPatient) {
  return isHost()
             ? conferAsHost(what, std::move(given), decide, answer, isPatient)
             : conferAsGuest(what, std::move(given), answer, isPatient);
}

/// Of a process that said goodbye while others need it.
static Status hasLeft(int32_t rank, const std::string &what) {
  return Status(TPC_RT_RANK_FAILED,
                text("rank ", rank, " did not take part in ", what,
                     ": its process has left the world"),
                rank);
}

Status Peers::conferAsHost(const std::string &what, std::string given,
                           const Decide &decide, std::string &answer,
                           bool isPatient) {
  std::unique_lock<std::mutex> lock(mutex);
  announce(FrameKind::Waiting, FieldWriter().number(++numConferred).bytes);
  wake();
  Clock::time_point start = Clock::now();
  std::vector<int32_t> missing;
  while (!hasFailed) {
    missing.clear();
    bool isLate = false;
    for (auto &connection : connections) {
      if (!connection->given.empty())
        continue;
      if (connection->isOver) {
        fail(hasLeft(connection->rank, what), lock);
        break;
      }
      missing.push_back(connection->rank);
      // Those that give no sign of life are missed elsewhere.
      isLate |=
          !isPatient && secondsSince(std::max(start, connection->lastMoved)) >
                            options.deadline;
    }
    if (missing.empty())
      break;
    if (isLate) {
      std::string message =
          text("rank 0 waited ", options.deadline, " seconds for ",
               ranksText(missing), " in ", what);
      for (auto &connection : connections)
        if (connection->given.empty() && !connection->whereabouts.empty())
          message += text("; rank ", connection->rank, " is ",
                          connection->whereabouts);
      fail(Status(TPC_RT_TIMEOUT, message, missing[0]), lock);
      break;
    }
    changed.wait_for(lock, std::chrono::milliseconds(20));
  }
  if (hasFailed)
    return failure.copy();
  std::vector<std::string> all(options.ranks);
  all[0] = std::move(given);
  for (auto &connection : connections) {
    FieldReader reader(connection->given.front());
    std::string theirs = reader.string();
    all[connection->rank] = reader.string();
    connection->given.pop_front();
    if (theirs != what)
      fail(Status(TPC_RT_MISMATCH,
                  text("rank 0 is in ", what, " while rank ", connection->rank,
                       " is in ", theirs),
                  connection->rank),
           lock);
  }
  if (hasFailed)
    return failure.copy();
  lock.unlock();
  Status status = decide(all, answer);
  lock.lock();
  if (status)
    fail(status, lock);
  if (hasFailed)
    return failure.copy();
  announce(FrameKind::Answer, answer);
  wake();
  return {};
}

Status Peers::conferAsGuest(const std::string &what, std::string given,
                            std::string &answer, bool isPatient) {
  std::unique_lock<std::mutex> lock(mutex);
  ++numConferred;
  if (!hasFailed)
    announce(FrameKind::Given, FieldWriter().string(what).string(given).bytes);
  wake();
  Clock::time_point start = Clock::now();
  while (!hasFailed && answers.empty()) {
    if (connections[0]->isOver) {
      fail(hasLeft(0, what), lock);
      break;
    }
    // Once rank 0 waits too, it says who is missing.
    if (!isPatient && numWaits < numConferred &&
        secondsSince(std::max(start, connections[0]->lastMoved)) >
            1.25 * options.deadline + 0.1) {
      const std::string &where = connections[0]->whereabouts;
      fail(Status(TPC_RT_TIMEOUT,
                  text("rank ", options.rank, " waited ", options.deadline,
                       " seconds for rank 0 in ", what,
                       where.empty() ? "" : "; rank 0 is " + where),
                  0),
           lock);
      break;
    }
    changed.wait_for(lock, std::chrono::milliseconds(20));
  }
  if (hasFailed)
    return failure.copy();
  answer = std::move(answers.front());
  answers.pop_front();
  return {};
}

Status Peers::agree(const std::string &what, const std::string &given) {
  std::string ignored;
  return confer(
      "the comparison of the ranks' " + what, given,
      [&](std::vector<std::string> &all, std::string &) -> Status {
        for (int32_t rank = 1; rank < options.ranks; ++rank)
          if (all[rank] != all[0])
            return Status(TPC_RT_MISMATCH,
                          text("the ranks run different ", what,
                               ": rank 0 runs ", all[0], ", rank ", rank,
                               " runs ", all[rank]),
                          rank);
        return {};
      },
      ignored);
}

} // namespace tpc::rt
