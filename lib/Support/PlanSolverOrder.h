// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which the tables of an elimination are joined.
#ifndef TPC_LIB_SUPPORT_PLANSOLVERORDER_H
#define TPC_LIB_SUPPORT_PLANSOLVERORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <utility>
#include <vector>

namespace tpc::plan {

/// One table to join: the values that end in it, ascending.
using OpenValues = llvm::SmallVector<int, 4>;

/// Joins of pairs of tables, until one is left per component. The i-th join
/// makes table number tables.size() + i. `bits` is how much a value adds to the
/// size of a table in which it is open: the logarithm of its number of states.
std::vector<std::pair<int, int>> findOrder(llvm::ArrayRef<OpenValues> tables,
                                           llvm::ArrayRef<double> bits);

} // namespace tpc::plan

#endif // TPC_LIB_SUPPORT_PLANSOLVERORDER_H
