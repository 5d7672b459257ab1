// RUN: tpc-compile %S/Inputs/mlp.mlir --mesh tp=4 --place 'w1=tp:S(0)' --place 'w2=tp:S(1)' --place x=R --place y=R --grad params --objective=bytes --target cuda --stop-after=lower | grep -oE 'llvm.func @tpc_(fn|kernel)[^{]*|addressof @tpc_matmul_[0-9]+|llvm.call @tpc_rt_[a-z]+|kind = .[a-z]+.' | FileCheck %s --match-full-lines
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same for GPUs, in place of 08-lower.mlir: one host function that enqueues, and a device module with the kernels in the NVVM
// dialect, which become PTX and machine code. The ReLU is an epilogue of the first product, which cuBLASLt does on the way to memory; its
// derivative, which depends on what that product gave, is the one kernel. Events order the streams as on the CPU.

// CHECK: llvm.func @tpc_fn_mlp(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: !llvm.ptr) -> i32 attributes
// CHECK-NEXT: addressof @tpc_matmul_0
// CHECK-NEXT: llvm.call @tpc_rt_matmul
// CHECK-NEXT: addressof @tpc_matmul_1
// CHECK-NEXT: llvm.call @tpc_rt_matmul
// CHECK-NEXT: llvm.call @tpc_rt_record
// CHECK-NEXT: llvm.call @tpc_rt_wait
// CHECK-NEXT: llvm.call @tpc_rt_collective
// CHECK-NEXT: addressof @tpc_matmul_2
// CHECK-NEXT: llvm.call @tpc_rt_matmul
// CHECK-NEXT: addressof @tpc_matmul_3
// CHECK-NEXT: llvm.call @tpc_rt_matmul
// CHECK-NEXT: llvm.call @tpc_rt_kernel
// CHECK-NEXT: addressof @tpc_matmul_4
// CHECK-NEXT: llvm.call @tpc_rt_matmul
// CHECK-NEXT: llvm.func @tpc_kernel_0(%arg0: !llvm.ptr
// CHECK-NEXT: kind = "point"
