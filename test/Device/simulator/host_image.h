/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * What `--gpu-arch=host` puts into an artifact: a table of kernels, each one a
 * host function that does the work of one GPU thread, and the functions those
 * call back. The simulated driver finds the table by its magic, sets `api`
 * when the module is loaded, and runs each thread on a stack of its own.
 *
 * An image is the structure tpc_sim_image followed by `count` entries:
 *
 *   { "TPCHOST", count, NULL (set by the driver), { name, run, ... }, ... }
 *
 * and is writable. C11 and C++.
 */
#ifndef TPC_TEST_DEVICE_SIMULATOR_HOST_IMAGE_H
#define TPC_TEST_DEVICE_SIMULATOR_HOST_IMAGE_H

#include <stdint.h>

#define TPC_SIM_MAGIC "TPCHOST"

enum {
  TPC_SIM_SHUFFLE_XOR = 0,
  TPC_SIM_SHUFFLE_UP = 1,
  TPC_SIM_SHUFFLE_DOWN = 2,
  TPC_SIM_SHUFFLE_IDX = 3,
};

enum {
  TPC_SIM_READ = 1,
  TPC_SIM_WRITE = 2,
  TPC_SIM_ATOMIC = 4, /* with both others: a read-modify-write */
};

/* What a kernel calls. Valid while a kernel runs, on its stacks only. */
struct tpc_sim_api {
  /* Number of the thread in its block, and of the block in the grid. */
  int64_t (*thread)(void);
  int64_t (*block)(void);
  /* Returns when all threads of the block are there. */
  void (*barrier)(void);
  /* Exchanges within the 32 threads of a warp; `width` is a power of two. A
   * lane outside of its segment of `width` lanes gives the caller's value. */
  int32_t (*shuffle)(int32_t value, int32_t offset, int32_t width,
                     int32_t mode);
  /* Start of the block's shared memory, of which `bytes` are static. */
  void *(*shared)(int64_t bytes);
  /* Said before each access to memory through a pointer that came from a
   * parameter or from `shared`: `kind` is TPC_SIM_READ, TPC_SIM_WRITE, or both
   * and TPC_SIM_ATOMIC. What kernels touch is known to the byte by this. */
  void (*touch)(const void *address, int64_t bytes, int32_t kind);
};

struct tpc_sim_entry {
  const char *name;
  /* params[i] points at the value of parameter i, as for cuLaunchKernel. */
  void (*run)(void **params);
  /* One letter per parameter of 8 bytes: r, w or b for a pointer to what is
   * read, written or both, s for a scalar; + for each further 8 bytes of the
   * parameter before. */
  const char *access;
  /* Nonzero where `run` announces its accesses by `touch`; otherwise what lies
   * from each pointer to the end of its allocation counts as accessed. */
  int64_t touches;
};

struct tpc_sim_image {
  char magic[8]; /* TPC_SIM_MAGIC */
  int64_t count;
  const struct tpc_sim_api *api;
  /* struct tpc_sim_entry entries[count]; */
};

#endif /* TPC_TEST_DEVICE_SIMULATOR_HOST_IMAGE_H */
