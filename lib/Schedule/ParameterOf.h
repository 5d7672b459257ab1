// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which parameter a collective serves.
#ifndef TPC_LIB_SCHEDULE_PARAMETEROF_H
#define TPC_LIB_SCHEDULE_PARAMETEROF_H

#include "tpc/Dialect/TP/TP.h"
#include <optional>
#include <string>

namespace tpc {

/// A parameter and how a collective has to do with it.
struct ServedParameter {
  std::string name;
  /// It gathers or moves the parameter as it is stored: available from the
  /// beginning. Otherwise it makes the parameter's gradient or its new value.
  bool stored;
};

/// The parameter that the first operand of `op` is, or that its first result
/// becomes the gradient or new value of. Nothing for activations.
std::optional<ServedParameter> findParameter(tp::CollectiveOpInterface op);

/// The block of a model a parameter belongs to: its name up to the last
/// component that is a number, `layers.0` for `layers.0.in_proj.weight`; empty
/// where there is none.
llvm::StringRef getModelBlock(llvm::StringRef parameter);

} // namespace tpc

#endif // TPC_LIB_SCHEDULE_PARAMETEROF_H
