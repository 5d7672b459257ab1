// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How functions of the runtime fail: a status that is null when all is well.
#ifndef TPC_RT_SRC_STATUS_H
#define TPC_RT_SRC_STATUS_H

#include "tpc_rt/rt.h"
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <system_error>

/// On what the libraries of devices use of the runtime behind its C API.
#define TPC_RT_SHARED __attribute__((visibility("default")))

struct tpc_rt_status_t {
  tpc_rt_code_t code;
  std::string message;
  int32_t rank = -1;
  std::unique_ptr<tpc_rt_status_t> cause;
};

namespace tpc::rt {

/// Owns a status across internal calls; `release` hands it over the C API.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(tpc_rt_code_t code, std::string message, int32_t rank = -1)
      : state(new tpc_rt_status_t{code, std::move(message), rank, nullptr}) {}

  bool ok() const { return !state; }
  /// True on failure, so that `if (Status s = f()) return s;` reads well.
  explicit operator bool() const { return !ok(); }
  tpc_rt_code_t code() const { return state ? state->code : TPC_RT_OK; }
  const std::string &message() const { return state->message; }
  int32_t rank() const { return state ? state->rank : -1; }
  void setRank(int32_t rank) { state->rank = rank; }
  /// Code, message and rank of a failure.
  Status copy() const {
    return ok() ? Status() : Status(code(), message(), rank());
  }
  void setCause(Status cause) { state->cause = std::move(cause.state); }
  tpc_rt_status_t *release() { return state.release(); }

private:
  std::unique_ptr<tpc_rt_status_t> state;
};

/// The pieces, one after the other, as text.
template <typename... Pieces> std::string text(const Pieces &...pieces) {
  std::ostringstream stream;
  (stream << ... << pieces);
  return stream.str();
}

template <typename... Pieces>
Status fail(tpc_rt_code_t code, const Pieces &...pieces) {
  return Status(code, text(pieces...));
}

/// Runs `body`, which returns a Status, at the edge of the C API: no exception
/// passes. A cancelled thread unwinds through it all the same.
template <typename Body> tpc_rt_status_t *guard(Body &&body) {
  try {
    return body().release();
  } catch (const std::bad_alloc &) {
    return fail(TPC_RT_OUT_OF_MEMORY, "out of memory").release();
  } catch (const std::system_error &error) {
    return fail(TPC_RT_IO, "the system refused: ", error.what()).release();
  } catch (const std::exception &error) {
    return fail(TPC_RT_INTERNAL, "tpc bug in the runtime: ", error.what())
        .release();
  }
}

/// `[2, 3]`
template <typename List> std::string listText(const List &list) {
  std::ostringstream stream;
  stream << '[';
  bool first = true;
  for (const auto &item : list) {
    stream << (first ? "" : ", ") << item;
    first = false;
  }
  stream << ']';
  return stream.str();
}

} // namespace tpc::rt

#endif // TPC_RT_SRC_STATUS_H
