// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TCP connections between the processes of a world, with a deadline on
// everything that waits.
#ifndef TPC_RT_SRC_SOCKET_H
#define TPC_RT_SRC_SOCKET_H

#include "status.h"
#include "wait.h"

namespace tpc::rt {

/// Owns a descriptor.
class Socket {
public:
  Socket() = default;
  explicit Socket(int fd) : fd(fd) {}
  Socket(Socket &&other) noexcept : fd(other.fd) { other.fd = -1; }
  Socket &operator=(Socket &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~Socket();

  int get() const { return fd; }
  explicit operator bool() const { return fd >= 0; }

private:
  int fd = -1;
};

struct Address {
  std::string host;
  int port = 0;

  std::string str() const { return text(host, ":", port); }
};

/// Listens on all interfaces; port 0 takes any free one. `port` becomes the one
/// taken. The error is what the system says.
Status listenAt(int &port, Socket &listener);

/// The next connection, or none when `until` has come.
Status acceptUntil(const Socket &listener, Clock::time_point until,
                   Socket &connection);

/// One attempt per address of the host, a few seconds each, which end at
/// `until`. The error is what the system says.
Status connectOnce(const Address &address, Clock::time_point until,
                   Socket &connection);

/// A frame: what it is, and bytes. Both ends are the same build of the runtime,
/// which the first frame makes sure of.
enum class FrameKind : uint32_t {
  Hello,
  Welcome,
  Refused,
  Given,
  Waiting,
  Answer,
  Failure,
  Alive,
  Goodbye
};

struct Frame {
  FrameKind kind = FrameKind::Alive;
  std::string bytes;
};

/// Bytes that come at the end and go at the front, in time linear in their
/// number.
class ByteQueue {
public:
  size_t size() const { return bytes.size() - begin; }
  bool empty() const { return size() == 0; }
  const char *data() const { return bytes.data() + begin; }
  void append(const char *more, size_t count) { bytes.append(more, count); }
  void drop(size_t count) {
    begin += count;
    // What is cut off is at least as much as what moves.
    if (begin < bytes.size() - begin)
      return;
    bytes.erase(0, begin);
    begin = 0;
  }

private:
  std::string bytes;
  size_t begin = 0;
};

/// Takes frames off a stream of bytes.
class FrameReader {
public:
  /// Reads what is there without waiting. False when the connection has ended
  /// or does not speak our language.
  bool read(const Socket &socket);
  /// Moves the next complete frame out.
  bool next(Frame &frame);
  /// True while a frame is half here.
  bool isInFrame() const { return !buffer.empty(); }
  /// Bytes that are here of it.
  size_t size() const { return buffer.size(); }
  /// True when what comes is no frame.
  bool hasForeign() const { return isForeign; }

private:
  ByteQueue buffer;
  bool isForeign = false;
};

/// The frame as it goes over the wire.
std::string encodeFrame(FrameKind kind, const std::string &bytes);

/// Waits for one frame of a connection that has no other reader.
bool readFrameUntil(const Socket &socket, Clock::time_point until,
                    Frame &frame);
/// Writes all of `bytes`; false when that could not be done by `until`.
bool writeUntil(const Socket &socket, const std::string &bytes,
                Clock::time_point until);

/// Fields of a frame, one after the other.
class FieldWriter {
public:
  FieldWriter &number(int64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
    return *this;
  }
  FieldWriter &string(const std::string &value) {
    number(static_cast<int64_t>(value.size()));
    bytes += value;
    return *this;
  }
  std::string bytes;
};

/// Reads what a FieldWriter wrote; `isGood` is false from the first field on
/// that is not there.
class FieldReader {
public:
  explicit FieldReader(const std::string &bytes) : bytes(bytes) {}
  int64_t number();
  std::string string();
  bool isGood() const { return good; }

private:
  const std::string &bytes;
  size_t at = 0;
  bool good = true;
};

} // namespace tpc::rt

#endif // TPC_RT_SRC_SOCKET_H
