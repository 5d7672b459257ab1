/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * What compiled code and the runtime expect of each other, in C11.
 *
 * An artifact exports
 *   const char tpc_artifact_manifest[];    NUL-terminated JSON
 * and, for each function of the manifest, a symbol of type tpc_rt_function_t.
 * It may call the entry points below, which abi.def lists, and nothing else of
 * the runtime. docs/RuntimeAbi.md describes the manifest.
 */
#ifndef TPC_RT_ABI_H
#define TPC_RT_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of everything in this header; the manifest repeats it. */
#define TPC_RT_ABI_VERSION 3

#if defined(__GNUC__)
#define TPC_RT_API __attribute__((visibility("default")))
#else
#define TPC_RT_API
#endif

/* Element types, by the numbers compiled code and the public API use. */
enum {
  TPC_RT_F32 = 0,
  TPC_RT_F64 = 1,
  TPC_RT_F16 = 2,
  TPC_RT_BF16 = 3,
  TPC_RT_I1 = 4, /* one byte, 0 or 1 */
  TPC_RT_I8 = 5,
  TPC_RT_I16 = 6,
  TPC_RT_I32 = 7,
  TPC_RT_I64 = 8
};

/* What a rank enqueues work on. The work of one stream is done in order;
 * streams run side by side. Kernels and products are on the first. */
enum {
  TPC_RT_COMPUTE = 0,
  TPC_RT_GATHER = 1, /* collectives that bring what is needed later */
  TPC_RT_REDUCE = 2, /* collectives whose results are needed later */
  TPC_RT_STREAMS = 3
};

/* One rank of a running program. Compiled code passes it on, unread. */
typedef struct tpc_rt_rank_t tpc_rt_rank_t;

/* A compiled function. One pointer per argument and result: rank-local,
 * padded, row-major, 64-byte aligned; the padding of arguments is zero.
 * `workspace` has the manifest's workspace_bytes. Returns 0, or the code that
 * a runtime call returned; the rank keeps the details. */
typedef int32_t (*tpc_rt_function_t)(tpc_rt_rank_t *rank,
                                     const void *const *arguments,
                                     void *const *results, void *workspace);

/* Part [begin, end) of a kernel's iteration space. */
typedef void (*tpc_rt_kernel_t)(void *const *args, int64_t begin, int64_t end);

/* What a product does besides, as bits of tpc_rt_matmul_t.flags. To the sum, in
 * this order: the bias is added, an activation or a derivative is applied, the
 * result is rounded to c's type. Not together with `accumulate`. The inner dim
 * of c is n where c_col is 1, else m. */
enum {
  /* f32 factors may be rounded to TF32. */
  TPC_RT_TF32 = 1,
  /* `bias` has one element, of c's type, per index of the inner dim. */
  TPC_RT_ADD_BIAS = 2,
  TPC_RT_RELU = 4,
  /* x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) */
  TPC_RT_GELU = 8,
  /* With GELU: writes its argument to `aux`, in c's type, `aux_stride` elements
   * between outer indices. */
  TPC_RT_WRITE_AUX = 16,
  /* Times the derivative that `aux` gives. RELU: a bit per element, lowest
   * first, 1 where the result is kept, `aux_stride` bits between outer indices;
   * GELU: the activation's argument, as WRITE_AUX writes it. */
  TPC_RT_RELU_GRADIENT = 32,
  TPC_RT_GELU_GRADIENT = 64,
  /* `bias` gets the sums over k of the operand that has c's inner dim, or of
   * the other one; that dim is contiguous in the operand. */
  TPC_RT_SUM_INNER = 128,
  TPC_RT_SUM_OUTER = 256,
  /* With a gradient: `bias` gets the sums of the result over the outer dim,
   * before it is rounded. */
  TPC_RT_SUM_RESULT = 512
};

/* c = a * b, or c += a * b, for every index of the batch. All strides are in
 * elements; c has one of its two strides 1. A batch stride of 0 broadcasts. */
typedef struct tpc_rt_matmul_t {
  int32_t size;       /* sizeof(tpc_rt_matmul_t) */
  int32_t dtype;      /* of a and b */
  int32_t accumulate; /* 1: c += a * b */
  int32_t batch_rank; /* 0..6 */
  int64_t m, n, k;
  int64_t batch[6];
  int64_t a_batch[6], a_row, a_col;
  int64_t b_batch[6], b_row, b_col;
  int64_t c_batch[6], c_row, c_col;
  int32_t c_dtype; /* that of a and b; f32 where they are f16 or bf16 */
  int32_t flags;
  int64_t aux_stride;
  int64_t workspace_bytes;
} tpc_rt_matmul_t;

/* Attention, or its gradient. Strides are in elements, per batch, head, row and
 * feature, of q, k, v, the output, its gradient, and the gradients of q, k and
 * v; the last is 1. */
typedef struct tpc_rt_attention_t {
  int32_t size;     /* sizeof(tpc_rt_attention_t) */
  int32_t dtype;    /* of all tensors but the statistics: f16 or bf16 */
  int32_t causal;   /* 1: query i sees keys 0 to i */
  int32_t gradient; /* 1: of the attention of these tensors */
  int64_t batch, heads, queries, keys, features;
  double scale;
  int64_t strides[8][4];
} tpc_rt_attention_t;

/* Enqueues collective `index` of the manifest, of `count` parts, on `stream`.
 * Inputs never alias outputs. All ranks of the group must call it, in the same
 * order. The pointers are read before the call returns. */
TPC_RT_API int32_t tpc_rt_collective(tpc_rt_rank_t *rank, int32_t stream,
                                     int32_t index, int32_t count,
                                     const void *const *inputs,
                                     void *const *outputs);

/* Event number `event` of the function now stands for all that `stream` was
 * given so far. */
TPC_RT_API int32_t tpc_rt_record(tpc_rt_rank_t *rank, int32_t event,
                                 int32_t stream);

/* What `stream` is given from now on starts when what `event` stands for is
 * done. */
TPC_RT_API int32_t tpc_rt_wait(tpc_rt_rank_t *rank, int32_t stream,
                               int32_t event);

/* 16-bit floats are accumulated in f32. `bias` and `aux` are as the flags have
 * them, else null. `workspace` is memory for the time of the product, or null
 * with no bytes. */
TPC_RT_API int32_t tpc_rt_matmul(tpc_rt_rank_t *rank,
                                 const tpc_rt_matmul_t *desc, const void *a,
                                 const void *b, void *c, void *bias, void *aux,
                                 void *workspace);

/* output = softmax(scale * q k^T) v on the compute stream. Inputs are q, k and
 * v, outputs the output and the statistics: f32, dense, per batch, head and
 * query the logarithm of the sum of the exponentials of the scores. Of the
 * gradient, inputs are q, k, v, the output, the statistics and the gradient of
 * the output, outputs the gradients of q, k and v. Only where the manifest's
 * `attention` says so. */
TPC_RT_API int32_t tpc_rt_attention(tpc_rt_rank_t *rank,
                                    const tpc_rt_attention_t *desc,
                                    const void *const *inputs,
                                    void *const *outputs);

/* Runs `fn` over [0, extent), split over the rank's threads. `cost` is a rough
 * count of scalar operations per unit of extent. */
TPC_RT_API int32_t tpc_rt_launch(tpc_rt_rank_t *rank, tpc_rt_kernel_t fn,
                                 int64_t extent, int64_t cost,
                                 void *const *args);

/* Enqueues kernel `index` of the manifest, whose code is in the artifact's
 * images. `args` holds 8 bytes per parameter: a pointer, or a scalar in the
 * first bytes. Only on devices that have images. */
TPC_RT_API int32_t tpc_rt_kernel(tpc_rt_rank_t *rank, int32_t index,
                                 const int64_t *args);

/* Where constant `index` of the manifest lies in the rank's memory. */
TPC_RT_API void *tpc_rt_constant(tpc_rt_rank_t *rank, int32_t index);

/* Copies `bytes` of the rank's memory to the host, once the compute stream has
 * done what it was given. */
TPC_RT_API int32_t tpc_rt_read(tpc_rt_rank_t *rank, const void *source,
                               void *target, int64_t bytes);

/* The rank's coordinate on mesh axis number `axis`. */
TPC_RT_API int64_t tpc_rt_coordinate(tpc_rt_rank_t *rank, int32_t axis);

#ifdef __cplusplus
}
#endif

#endif /* TPC_RT_ABI_H */
