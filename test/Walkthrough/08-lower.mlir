// RUN: tpc-compile %S/Inputs/mlp.mlir --mesh tp=4 --place 'w1=tp:S(0)' --place 'w2=tp:S(1)' --place x=R --place y=R --grad params --objective=bytes --stop-after=lower | grep -oE 'llvm.func @tpc_fn.*|addressof @tpc_[a-z0-9_]+|llvm.call @tpc_rt_[a-z]+' | FileCheck %s --match-full-lines
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is left is the LLVM dialect; shown are the entry, the kernels it names and the calls of the runtime. The entry gets the
// rank, pointers to arguments and results, and one workspace. Each action is a call, whose error code is returned at once. Products
// are matmul calls (of fewer than 2048 multiply-adds they would be kernels); a launch runs a kernel over a range that the rank's
// threads share; a collective is named by its number in the manifest. Nothing is fused into a contraction, so the ReLU and its
// derivative are kernels. In order: h, relu, y; da, dw2, dh, dw1; the all-reduce of y. Nobody
// here needs y, so its all-reduce runs on a stream of its own, behind an event of the compute stream; the end of the call waits for all streams.

// CHECK: llvm.func @tpc_fn_mlp(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: !llvm.ptr) -> i32 attributes {tp.events = 1 : i64, tp.workspace_bytes = 6656 : i64} {
// CHECK-NEXT: addressof @tpc_matmul_0
// CHECK-NEXT: llvm.call @tpc_rt_matmul
// CHECK-NEXT: addressof @tpc_kernel_0
// CHECK-NEXT: llvm.call @tpc_rt_launch
// CHECK-NEXT: addressof @tpc_matmul_1
// CHECK-NEXT: llvm.call @tpc_rt_matmul
// CHECK-NEXT: llvm.call @tpc_rt_record
// CHECK-NEXT: llvm.call @tpc_rt_wait
// CHECK-NEXT: llvm.call @tpc_rt_collective
// CHECK-NEXT: addressof @tpc_matmul_2
// CHECK-NEXT: llvm.call @tpc_rt_matmul
// CHECK-NEXT: addressof @tpc_matmul_3
// CHECK-NEXT: llvm.call @tpc_rt_matmul
// CHECK-NEXT: addressof @tpc_kernel_1
// CHECK-NEXT: llvm.call @tpc_rt_launch
// CHECK-NEXT: addressof @tpc_matmul_4
// CHECK-NEXT: llvm.call @tpc_rt_matmul
// CHECK-NOT: llvm.call
