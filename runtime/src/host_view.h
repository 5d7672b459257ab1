// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank's buffer as the host reads and writes it: the buffer itself where the
// device's memory is the host's, a copy of it elsewhere.
#ifndef TPC_RT_SRC_HOST_VIEW_H
#define TPC_RT_SRC_HOST_VIEW_H

#include "device.h"
#include "tensor.h"
#include <cstdlib>

namespace tpc::rt {

class HostView {
public:
  /// Throws std::bad_alloc. A copy begins with zeros.
  HostView(Device &device, void *buffer, int64_t bytes)
      : device(device), buffer(buffer), bytes(bytes) {
    if (!device.isHostMemory())
      copy.reset(allocateZeroed(bytes));
  }

  void *data() const { return copy ? copy.get() : buffer; }

  /// Makes the copy what the buffer is, or the buffer what the copy is.
  Status load() const {
    return copy ? device.download(copy.get(), buffer, bytes) : Status();
  }
  Status store() const {
    return copy ? device.upload(buffer, copy.get(), bytes) : Status();
  }

private:
  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  Device &device;
  void *buffer;
  int64_t bytes;
  std::unique_ptr<void, Free> copy;
};

} // namespace tpc::rt

#endif // TPC_RT_SRC_HOST_VIEW_H
