/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * What libtpc_rt_attention.so exports: attention through cuDNN, in a library of
 * its own, so that only programs with attention need cuDNN. */
#ifndef TPC_RT_CUDA_ATTENTION_LIBRARY_H
#define TPC_RT_CUDA_ATTENTION_LIBRARY_H

#include "tpc_rt/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TPC_RT_ATTENTION_VERSION 1

/* Functions that may fail return null or a sentence, which lives until the next
 * call on the thread. A handle belongs to one thread at a time. */
typedef struct tpc_rt_attention_library_t {
  int32_t version;
  /* In the thread's current context. */
  const char *(*create)(void **handle);
  void (*destroy)(void *handle);
  /* Chooses how to do it. `workspace` gets the bytes that run needs. The same
   * description is prepared once. Not while a graph is recorded. */
  const char *(*prepare)(void *handle, const tpc_rt_attention_t *desc,
                         int64_t *workspace);
  /* Enqueues what was prepared on `stream`, a CUstream. */
  const char *(*run)(void *handle, const tpc_rt_attention_t *desc,
                     const void *const *inputs, void *const *outputs,
                     void *workspace, void *stream);
} tpc_rt_attention_library_t;

TPC_RT_API const tpc_rt_attention_library_t *tpc_rt_attention_library(void);

#ifdef __cplusplus
}
#endif

#endif /* TPC_RT_CUDA_ATTENTION_LIBRARY_H */
