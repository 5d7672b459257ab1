// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The toolkit's headers, with every entry point visible: the stand-ins define
// what these declare.
#ifndef TPC_TEST_DEVICE_SIMULATOR_HEADERS_H
#define TPC_TEST_DEVICE_SIMULATOR_HEADERS_H

#pragma GCC visibility push(default)
#include <cublasLt.h>
#include <cuda.h>
#include <nccl.h>
#pragma GCC visibility pop

#endif // TPC_TEST_DEVICE_SIMULATOR_HEADERS_H
