/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The one-device program of artifact.c, as tpc-compile would make it from the
 * reference: in place of a compiler, for tests of tpc-run --check. */
#include "tpc_rt/abi.h"

#define EXPORT __attribute__((visibility("default")))
#define VALUE(name, shape)                                                     \
  "{\"name\":\"" name "\",\"dtype\":\"f32\",\"shape\":" shape                  \
  ",\"placement\":[]}"
#define FUNCTION(name, arguments)                                              \
  "{\"name\":\"" name "\",\"symbol\":\"tpc_fn_" name                           \
  "\",\"workspace_bytes\":0,\"arguments\":[" arguments                         \
  "],\"results\":[" VALUE(TPC_TEST_RESULT, TPC_TEST_SHAPE) "]}"

#ifndef TPC_TEST_RESULT
#define TPC_TEST_RESULT "y"
#endif
#ifndef TPC_TEST_SHAPE
#define TPC_TEST_SHAPE "[4,2]"
#endif
#ifdef TPC_TEST_WRONG
#define FACTOR 1.001f
#else
#define FACTOR 1.0f
#endif

/* clang-format off */
EXPORT const char tpc_artifact_manifest[] =
    "{\"abi\":3,\"target\":\"cpu\",\"fingerprint\":\"00000000000000ab\","
    "\"mesh\":[{\"name\":\"tp\",\"size\":1}],\"functions\":["
    FUNCTION("forward", VALUE("x", "[4,3]") "," VALUE("w1", "[5,3]") ","
             VALUE("w2", "[2,5]"))
    "],\"collectives\":[]}";
/* clang-format on */

EXPORT int32_t tpc_fn_forward(tpc_rt_rank_t *rank, const void *const *arguments,
                              void *const *results, void *workspace) {
  const float *x = (const float *)arguments[0];
  const float *w1 = (const float *)arguments[1];
  const float *w2 = (const float *)arguments[2];
  float *y = (float *)results[0];
  int i, j, h, k;
  (void)rank;
  (void)workspace;
  for (i = 0; i < 4; ++i)
    for (j = 0; j < 2; ++j) {
      float sum = 0;
      for (h = 0; h < 5; ++h) {
        float hidden = 0;
        for (k = 0; k < 3; ++k)
          hidden += x[i * 3 + k] * w1[h * 3 + k];
        sum += hidden * w2[j * 5 + h];
      }
      y[i * 2 + j] = sum * FACTOR;
    }
  return 0;
}
