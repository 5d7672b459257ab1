/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * An artifact written by hand, for tests of the loader and of tpc-run: a
 * two-layer model on two ranks, and functions that misbehave. */
#include "tpc_rt/abi.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

#define SHARDED_ROWS "[{\"axis\":\"tp\",\"shard\":0}]"
#define SHARDED_COLS "[{\"axis\":\"tp\",\"shard\":1}]"
#define VALUE(name, dtype, shape, placement)                                   \
  "{\"name\":\"" name "\",\"dtype\":\"" dtype "\",\"shape\":" shape            \
  ",\"placement\":" placement "}"
#define FUNCTION(name, arguments, results)                                     \
  FUNCTION_AT(name, name, arguments, results)
#define FUNCTION_AT(name, symbol, arguments, results)                          \
  "{\"name\":\"" name "\",\"symbol\":\"tpc_fn_" symbol                         \
  "\",\"workspace_bytes\":256,\"arguments\":[" arguments                       \
  "],\"results\":[" results "]}"
#define X VALUE("x", "f32", "[4,3]", "[]")
#define W1 VALUE("w1", "f32", "[5,3]", SHARDED_ROWS)
#define W2 VALUE("w2", "f32", "[2,5]", SHARDED_COLS)
#define Y VALUE("y", "f32", "[4,2]", "[]")

#ifndef TPC_TEST_ABI
#define TPC_TEST_ABI "3"
#endif
#ifndef TPC_TEST_TARGET
#define TPC_TEST_TARGET "cpu"
#endif
#ifndef TPC_TEST_FIRST
#define TPC_TEST_FIRST "forward"
#endif
#ifndef TPC_TEST_REFERENCE
#define TPC_TEST_REFERENCE "model"
#endif

/* y = (x w1^T) w2^T: w1 column parallel, w2 row parallel, one all-reduce. */
/* clang-format off */
EXPORT const char tpc_artifact_manifest[] =
    "{\"abi\":" TPC_TEST_ABI ",\"compiler\":\"by hand\",\"target\":\"" TPC_TEST_TARGET "\","
    "\"constants\":[],\"images\":[],\"kernels\":[],"
    "\"fingerprint\":\"00000000000000aa\","
    "\"mesh\":[{\"name\":\"tp\",\"size\":2}],\"functions\":["
    FUNCTION_AT(TPC_TEST_FIRST, "forward", X "," W1 "," W2, Y) ","
    FUNCTION("unequal", X, Y) ","
    FUNCTION("fails", X, Y) ","
    FUNCTION("dies", X, Y) ","
    FUNCTION("sleeps", X, Y) ","
    FUNCTION("types",
             VALUE("i", "i32", "[3]", "[]") ","
             VALUE("flag", "i1", "[4]", SHARDED_ROWS),
             VALUE("j", "i32", "[3]", "[]") ","
             VALUE("not", "i1", "[4]", SHARDED_ROWS)) "],"
    "\"collectives\":[{\"kind\":\"all_reduce\",\"phase\":\"forward\","
    "\"axes\":[\"tp\"],\"op\":\"sum\",\"value\":\"y\",\"loc\":\"toy.py:12\","
    "\"bytes\":32,\"wire_bytes\":32,\"local\":false,\"parts\":[{"
    "\"dtype\":\"f32\",\"shape\":[4,2],"
    "\"from\":[{\"axis\":\"tp\",\"partial\":\"sum\"}],\"to\":[]}]}],"
    "\"report\":{},\"reference\":\"" TPC_TEST_REFERENCE "\"}";
/* clang-format on */

static int32_t reduce(tpc_rt_rank_t *rank, const void *in, void *out) {
  const void *inputs[1];
  void *outputs[1];
  inputs[0] = in;
  outputs[0] = out;
  return tpc_rt_collective(rank, TPC_RT_COMPUTE, 0, 1, inputs, outputs);
}

/* c = a b^T, all row-major; a is m x k, b is n x k. */
static int32_t multiply(tpc_rt_rank_t *rank, const void *a, const void *b,
                        void *c, int64_t m, int64_t n, int64_t k) {
  tpc_rt_matmul_t desc;
  memset(&desc, 0, sizeof(desc));
  desc.size = sizeof(desc);
  desc.m = m;
  desc.n = n;
  desc.k = k;
  desc.a_row = k;
  desc.a_col = 1;
  desc.b_row = 1;
  desc.b_col = k;
  desc.c_row = n;
  desc.c_col = 1;
  return tpc_rt_matmul(rank, &desc, a, b, c, NULL, NULL, NULL);
}

EXPORT int32_t tpc_fn_forward(tpc_rt_rank_t *rank, const void *const *arguments,
                              void *const *results, void *workspace) {
  /* Buffers are padded: 3 of 5 columns per rank, zeros behind the second
   * rank's 2. */
  float *hidden = (float *)workspace;
  float *partial = hidden + 12;
  int32_t code = multiply(rank, arguments[0], arguments[1], hidden, 4, 3, 3);
  if (!code)
    code = multiply(rank, hidden, arguments[2], partial, 4, 2, 3);
  return code ? code : reduce(rank, partial, results[0]);
}

EXPORT int32_t tpc_fn_unequal(tpc_rt_rank_t *rank, const void *const *arguments,
                              void *const *results, void *workspace) {
  (void)arguments;
  (void)workspace;
  ((float *)results[0])[5] = (float)tpc_rt_coordinate(rank, 0);
  return 0;
}

EXPORT int32_t tpc_fn_fails(tpc_rt_rank_t *rank, const void *const *arguments,
                            void *const *results, void *workspace) {
  (void)arguments;
  if (tpc_rt_coordinate(rank, 0) == 1)
    return 42;
  return reduce(rank, workspace, results[0]);
}

EXPORT int32_t tpc_fn_dies(tpc_rt_rank_t *rank, const void *const *arguments,
                           void *const *results, void *workspace) {
  (void)arguments;
  if (tpc_rt_coordinate(rank, 0) == 1)
    pthread_exit(NULL);
  return reduce(rank, workspace, results[0]);
}

EXPORT int32_t tpc_fn_sleeps(tpc_rt_rank_t *rank, const void *const *arguments,
                             void *const *results, void *workspace) {
  (void)arguments;
  if (tpc_rt_coordinate(rank, 0) == 1)
    sleep(600);
  return reduce(rank, workspace, results[0]);
}

EXPORT int32_t tpc_fn_types(tpc_rt_rank_t *rank, const void *const *arguments,
                            void *const *results, void *workspace) {
  int i;
  (void)rank;
  (void)workspace;
  memcpy(results[0], arguments[0], 3 * sizeof(int32_t));
  for (i = 0; i < 2; ++i)
    ((char *)results[1])[i] = !((const char *)arguments[1])[i];
  return 0;
}
