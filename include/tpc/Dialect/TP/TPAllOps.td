// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All operations of the dialect: what code and reference pages are made from.

#ifndef TPC_DIALECT_TP_TPALLOPS_TD
#define TPC_DIALECT_TP_TPALLOPS_TD

include "tpc/Dialect/TP/TPCollectives.td"
include "tpc/Dialect/TP/TPTensorOps.td"

#endif // TPC_DIALECT_TP_TPALLOPS_TD
