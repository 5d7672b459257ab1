// RUN: tpc-compile %S/Inputs/mlp.mlir --mesh tp=4 --place 'w1=tp:S(0)' --place 'w2=tp:S(1)' --place x=R --place y=R --grad params --objective=bytes --stop-after=lower | grep -E 'llvm.func @|call @tpc_rt|func internal @tpc_kernel_[0-9]+\(' | FileCheck %s --match-full-lines
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is left is the LLVM dialect; shown are the functions and the calls of the runtime. The entry gets the rank, pointers to
// arguments and results, and one workspace. Each action is a call, whose error code it returns at once: a launch runs a kernel
// over a range that the rank's threads share, a collective is named by its number in the manifest. Elementwise operations are
// fused. These products have fewer than 2048 multiply-adds, so they are kernels and not calls of tpc_rt_matmul.

// CHECK:   llvm.func @tpc_rt_collective(!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
// CHECK-NEXT:   llvm.func @tpc_rt_launch(!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr) -> i32
// CHECK-NEXT:   llvm.func @tpc_fn_mlp(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: !llvm.ptr) -> i32 attributes {tp.workspace_bytes = 256 : i64} {
// CHECK-NEXT:     %17 = llvm.call @tpc_rt_launch(%arg0, %10, %11, %12, %16) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr) -> i32
// CHECK-NEXT:     %30 = llvm.call @tpc_rt_launch(%arg0, %24, %25, %26, %29) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr) -> i32
// CHECK-NEXT:     %46 = llvm.call @tpc_rt_launch(%arg0, %39, %40, %41, %45) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr) -> i32
// CHECK-NEXT:     %62 = llvm.call @tpc_rt_launch(%arg0, %55, %56, %57, %61) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr) -> i32
// CHECK-NEXT:     %78 = llvm.call @tpc_rt_launch(%arg0, %71, %72, %73, %77) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr) -> i32
// CHECK-NEXT:     %91 = llvm.call @tpc_rt_launch(%arg0, %85, %86, %87, %90) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr) -> i32
// CHECK-NEXT:     %107 = llvm.call @tpc_rt_launch(%arg0, %100, %101, %102, %106) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr) -> i32
// CHECK-NEXT:     %120 = llvm.call @tpc_rt_collective(%arg0, %114, %115, %117, %119) : (!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
// CHECK-NEXT:   llvm.func internal @tpc_kernel_0(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64) {
// CHECK-NEXT:   llvm.func internal @tpc_kernel_1(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64) {
// CHECK-NEXT:   llvm.func internal @tpc_kernel_2(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64) {
// CHECK-NEXT:   llvm.func internal @tpc_kernel_3(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64) {
// CHECK-NEXT:   llvm.func internal @tpc_kernel_4(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64) {
// CHECK-NEXT:   llvm.func internal @tpc_kernel_5(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64) {
// CHECK-NEXT:   llvm.func internal @tpc_kernel_6(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64) {
