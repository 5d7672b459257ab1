/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The public headers are C11: compiled with -std=c11 -pedantic -Werror. */
#include "tpc_rt/abi.h"
#include "tpc_rt/rt.h"

/* abi.h alone suffices for compiled code. */
tpc_rt_matmul_t tpc_rt_headers_test_matmul;
tpc_rt_world_options_t tpc_rt_headers_test_options;

_Static_assert(sizeof(tpc_rt_matmul_t) == 304, "as compiled code writes it");
_Static_assert(sizeof(tpc_rt_attention_t) == 320, "as compiled code writes it");
_Static_assert(TPC_RT_OK == 0, "success is zero");
