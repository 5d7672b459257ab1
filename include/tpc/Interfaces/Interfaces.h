// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interfaces through which stages see operations.
#ifndef TPC_INTERFACES_INTERFACES_H
#define TPC_INTERFACES_INTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "tpc/Interfaces/ShardingRule.h"

#include "tpc/Interfaces/Interfaces.h.inc"

#endif // TPC_INTERFACES_INTERFACES_H
