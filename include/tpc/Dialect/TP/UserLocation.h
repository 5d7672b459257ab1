// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in the user's source an operation comes from.
#ifndef TPC_DIALECT_TP_USERLOCATION_H
#define TPC_DIALECT_TP_USERLOCATION_H

#include "mlir/IR/Location.h"
#include <string>

namespace tpc::tp {

/// `toy.py:12`: file (last path component) and line of the innermost source
/// position in `loc`; empty when there is none.
std::string getUserLocation(mlir::Location loc);

/// The innermost name in `loc`: exporters put the path of the module there that
/// the operation belongs to, as in `layers.0.in_proj`. Empty when there is
/// none.
std::string getModulePath(mlir::Location loc);

} // namespace tpc::tp

#endif // TPC_DIALECT_TP_USERLOCATION_H
