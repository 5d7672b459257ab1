// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instantiates the interfaces through which stages see operations.

#include "tpc/Interfaces/Interfaces.h"

#include "tpc/Interfaces/Interfaces.cpp.inc"
