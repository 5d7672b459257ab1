// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which collectives run beside the compute, and from where on.
#ifndef TPC_LOWER_STREAMS_H
#define TPC_LOWER_STREAMS_H

#include "Program.h"

namespace tpc::lower {

/// Gives collectives that computing can hide to the other streams and moves
/// them to where they are enqueued. Kernel groups are numbered anew.
void chooseStreams(Program &program);

} // namespace tpc::lower

#endif // TPC_LOWER_STREAMS_H
