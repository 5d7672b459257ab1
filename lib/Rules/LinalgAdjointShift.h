// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a program's value depends on a maximum it subtracts.
#ifndef TPC_RULES_LINALGADJOINTSHIFT_H
#define TPC_RULES_LINALGADJOINTSHIFT_H

#include "mlir/IR/Value.h"

namespace tpc {

/// True when everything the forward pass computes from `value` stays the same
/// if `value` is changed: what is subtracted in one place is added or divided
/// out in another. Softmax, log-softmax and log-sum-exp are so in the row
/// maximum they subtract for the range of exp. False when in doubt.
bool cancelsOut(mlir::Value value);

} // namespace tpc

#endif // TPC_RULES_LINALGADJOINTSHIFT_H
