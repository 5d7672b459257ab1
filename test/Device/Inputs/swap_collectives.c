// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Put in front of the runtime (LD_PRELOAD), swaps two neighbouring collectives
// of compiled code on one rank: TPC_SWAP_COLLECTIVES=N makes its N-th call,
// from 0, on the rank whose coordinate on the first mesh axis is 1, come behind
// the next one. Whatever device and communicator there are.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <tpc_rt/abi.h>

enum { kMostParts = 64 };

typedef int32_t (*collective_t)(tpc_rt_rank_t *, int32_t, int32_t, int32_t,
                                const void *const *, void *const *);

int32_t tpc_rt_collective(tpc_rt_rank_t *rank, int32_t stream, int32_t index,
                          int32_t count, const void *const *inputs,
                          void *const *outputs) {
  static int64_t calls;
  static int32_t held_stream, held_index, held_count;
  static const void *held_inputs[kMostParts];
  static void *held_outputs[kMostParts];
  collective_t real = (collective_t)dlsym(RTLD_NEXT, "tpc_rt_collective");
  const char *nth = getenv("TPC_SWAP_COLLECTIVES");
  if (!nth || tpc_rt_coordinate(rank, 0) != 1)
    return real(rank, stream, index, count, inputs, outputs);
  int64_t call = calls++ - atoll(nth);
  if (call == 0 && count <= kMostParts) {
    held_stream = stream;
    held_index = index;
    held_count = count;
    memcpy(held_inputs, inputs, sizeof(void *) * count);
    memcpy(held_outputs, outputs, sizeof(void *) * count);
    return 0;
  }
  int32_t code = real(rank, stream, index, count, inputs, outputs);
  if (call != 1 || code)
    return code;
  return real(rank, held_stream, held_index, held_count, held_inputs,
              held_outputs);
}
