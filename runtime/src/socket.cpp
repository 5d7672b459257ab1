// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sockets never block: every wait is a poll with a limit.

#include "socket.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tpc::rt {

Socket::~Socket() {
  if (fd >= 0)
    close(fd);
}

static int millisecondsUntil(Clock::time_point until) {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - Clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count() + 1, 0, 1000));
}

/// True when `events` have come before `until`.
static bool pollUntil(int fd, short events, Clock::time_point until) {
  while (true) {
    pollfd entry{fd, events, 0};
    if (poll(&entry, 1, millisecondsUntil(until)) > 0)
      return true;
    if (Clock::now() >= until)
      return false;
  }
}

static void setUp(int fd) {
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static Status systemFailure() {
  return Status(TPC_RT_IO, std::strerror(errno));
}

Status listenAt(int &port, Socket &listener) {
  for (int family : {AF_INET6, AF_INET}) {
    Socket socket(
        ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // A machine without IPv6.
    if (!socket && family == AF_INET6)
      continue;
    if (!socket)
      return systemFailure();
    int on = 1, off = 0;
    setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_storage storage{};
    socklen_t length;
    in_port_t *portField;
    if (family == AF_INET6) {
      setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
      auto *name = reinterpret_cast<sockaddr_in6 *>(&storage);
      name->sin6_family = AF_INET6;
      portField = &name->sin6_port;
      length = sizeof(*name);
    } else {
      auto *name = reinterpret_cast<sockaddr_in *>(&storage);
      name->sin_family = AF_INET;
      portField = &name->sin_port;
      length = sizeof(*name);
    }
    *portField = htons(static_cast<uint16_t>(port));
    auto *name = reinterpret_cast<sockaddr *>(&storage);
    if (bind(socket.get(), name, length) != 0 ||
        listen(socket.get(), SOMAXCONN) != 0) {
      if (family == AF_INET6 && errno == EADDRNOTAVAIL)
        continue;
      return systemFailure();
    }
    getsockname(socket.get(), name, &length);
    port = ntohs(*portField);
    listener = std::move(socket);
    return {};
  }
  return systemFailure();
}

Status acceptUntil(const Socket &listener, Clock::time_point until,
                   Socket &connection) {
  while (pollUntil(listener.get(), POLLIN, until)) {
    Socket socket(accept4(listener.get(), nullptr, nullptr,
                          SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) {
      setUp(socket.get());
      connection = std::move(socket);
      return {};
    }
    // Of a connection that has gone again.
    if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
      return systemFailure();
  }
  return {};
}

static constexpr auto longestAttempt = std::chrono::seconds(4);

Status connectOnce(const Address &address, Clock::time_point until,
                   Socket &connection) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  int code = getaddrinfo(address.host.c_str(),
                         std::to_string(address.port).c_str(), &hints, &found);
  if (code)
    return Status(TPC_RT_IO, gai_strerror(code));
  std::unique_ptr<addrinfo, void (*)(addrinfo *)> owned(found, freeaddrinfo);
  Status failure = Status(TPC_RT_IO, "the host has no address");
  for (; found; found = found->ai_next) {
    Socket socket(::socket(found->ai_family,
                           SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket)
      continue;
    int error = 0;
    if (connect(socket.get(), found->ai_addr, found->ai_addrlen) != 0) {
      error = errno;
      if (error == EINPROGRESS) {
        socklen_t length = sizeof(error);
        error = ETIMEDOUT;
        // One that answers nothing leaves time for the others.
        if (pollUntil(socket.get(), POLLOUT,
                      std::min(until, Clock::now() + longestAttempt)))
          getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
      }
    }
    if (error == 0) {
      setUp(socket.get());
      connection = std::move(socket);
      return {};
    }
    failure = Status(TPC_RT_IO, std::strerror(error));
  }
  return failure;
}

namespace {

struct FrameHead {
  char magic[4];
  FrameKind kind;
  uint64_t length;
};

constexpr char frameMagic[4] = {'t', 'p', 'c', 1};

} // namespace

std::string encodeFrame(FrameKind kind, const std::string &bytes) {
  FrameHead head{{}, kind, bytes.size()};
  std::memcpy(head.magic, frameMagic, sizeof(frameMagic));
  std::string result(reinterpret_cast<const char *>(&head), sizeof(head));
  return result += bytes;
}

bool FrameReader::read(const Socket &socket) {
  char chunk[1 << 16];
  // Bounded, so that one connection does not keep the others waiting.
  for (int i = 0; i < 64; ++i) {
    ssize_t got = recv(socket.get(), chunk, sizeof(chunk), MSG_DONTWAIT);
    if (got > 0) {
      buffer.append(chunk, static_cast<size_t>(got));
      continue;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
      break;
    return false;
  }
  return !isForeign;
}

bool FrameReader::next(Frame &frame) {
  FrameHead head;
  if (buffer.size() < sizeof(head))
    return false;
  std::memcpy(&head, buffer.data(), sizeof(head));
  if (std::memcmp(head.magic, frameMagic, sizeof(frameMagic))) {
    isForeign = true;
    return false;
  }
  if (buffer.size() - sizeof(head) < head.length)
    return false;
  frame.kind = head.kind;
  frame.bytes.assign(buffer.data() + sizeof(head), head.length);
  buffer.drop(sizeof(head) + head.length);
  return true;
}

bool readFrameUntil(const Socket &socket, Clock::time_point until,
                    Frame &frame) {
  // Byte by byte costs nothing here, and takes nothing of what follows.
  FrameHead head;
  std::string bytes;
  size_t wanted = sizeof(head);
  while (bytes.size() < wanted) {
    if (!pollUntil(socket.get(), POLLIN, until))
      return false;
    char chunk[4096];
    ssize_t got = recv(socket.get(), chunk,
                       std::min(sizeof(chunk), wanted - bytes.size()), 0);
    if (got <= 0) {
      if (got < 0 && (errno == EAGAIN || errno == EINTR))
        continue;
      return false;
    }
    bytes.append(chunk, static_cast<size_t>(got));
    if (bytes.size() < sizeof(head))
      continue;
    std::memcpy(&head, bytes.data(), sizeof(head));
    if (std::memcmp(head.magic, frameMagic, sizeof(frameMagic)) ||
        head.length > (1 << 20))
      return false;
    wanted = sizeof(head) + head.length;
  }
  frame.kind = head.kind;
  frame.bytes = bytes.substr(sizeof(head));
  return true;
}

bool writeUntil(const Socket &socket, const std::string &bytes,
                Clock::time_point until) {
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t sent = send(socket.get(), bytes.data() + done, bytes.size() - done,
                        MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      done += static_cast<size_t>(sent);
      continue;
    }
    if (errno != EAGAIN && errno != EINTR)
      return false;
    if (!pollUntil(socket.get(), POLLOUT, until))
      return false;
  }
  return true;
}

int64_t FieldReader::number() {
  int64_t value = 0;
  if (!good || bytes.size() - at < sizeof(value)) {
    good = false;
    return 0;
  }
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  at += sizeof(value);
  return value;
}

std::string FieldReader::string() {
  int64_t length = number();
  if (!good || length < 0 ||
      static_cast<uint64_t>(length) > bytes.size() - at) {
    good = false;
    return {};
  }
  std::string value = bytes.substr(at, static_cast<size_t>(length));
  at += static_cast<size_t>(length);
  return value;
}

} // namespace tpc::rt
