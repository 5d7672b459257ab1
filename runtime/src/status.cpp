// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The accessors of a status.

#include "status.h"

extern "C" {

tpc_rt_code_t tpc_rt_status_code(const tpc_rt_status_t *status) {
  return status ? status->code : TPC_RT_OK;
}

const char *tpc_rt_status_message(const tpc_rt_status_t *status) {
  return status ? status->message.c_str() : "";
}

int32_t tpc_rt_status_rank(const tpc_rt_status_t *status) {
  return status ? status->rank : -1;
}

const tpc_rt_status_t *tpc_rt_status_cause(const tpc_rt_status_t *status) {
  return status ? status->cause.get() : nullptr;
}

void tpc_rt_status_release(tpc_rt_status_t *status) { delete status; }

} // extern "C"
