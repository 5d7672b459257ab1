// The host image: a function per kernel that does the work of one thread, and
// the table that lists them.
// RUN: tpc-opt %s --tp-convert-device-to-host | FileCheck %s
// RUN: tpc-opt %s --tp-convert-device-to-host --tp-convert-device-to-nvvm --tp-convert-to-llvm | FileCheck %s --check-prefix=LLVM --implicit-check-not=arith. --implicit-check-not=scf.

// CHECK: gpu.module @tpc_device
// CHECK: gpu.func @tpc_kernel_0
// LLVM: nvvm.kernel

// The magic, the number of kernels, room for what they call back; name,
// function, use of the parameters, and that accesses are announced.
// CHECK: llvm.mlir.global external @tpc_image_host() {{.*}} : !llvm.struct<(array<8 x i8>, i64, ptr, array<2 x struct<(ptr, ptr, ptr, i64)>>)>
// CHECK: llvm.mlir.constant("TPCHOST\00")
// CHECK: llvm.mlir.constant(2 : i64)
// CHECK: llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.mlir.addressof @tpc_host_tpc_kernel_0.name
// CHECK: llvm.mlir.addressof @tpc_host_tpc_kernel_0 :
// CHECK: llvm.mlir.addressof @tpc_host_tpc_kernel_0.uses
// CHECK: llvm.mlir.addressof @tpc_host_tpc_kernel_1.name

// CHECK: llvm.func internal @tpc_host_tpc_kernel_0(%[[PARAMETERS:.*]]: !llvm.ptr)
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[PARAMETERS]][1]
// CHECK: %[[POINTER:.*]] = llvm.load %[[PLACE]] : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.load %[[POINTER]] : !llvm.ptr -> !llvm.ptr
// thread
// CHECK: getelementptr %{{.*}}[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK: llvm.call %{{.*}}() : !llvm.ptr, () -> i64
// touch, of 16 bytes, and the read
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(16 : i64)
// CHECK: %[[READ:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.getelementptr %{{.*}}[5] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK: llvm.call %{{.*}}(%{{.*}}, %[[BYTES]], %[[READ]])
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// shuffle, of the bits
// CHECK: llvm.bitcast %{{.*}} : f32 to i32
// CHECK: llvm.call {{.*}}(i32, i32, i32, i32) -> i32
// CHECK: llvm.bitcast %{{.*}} : i32 to f32
// Shared memory: 64 bytes of the first array, then the second one.
// CHECK: %[[STATIC:.*]] = llvm.mlir.constant(96 : i64)
// CHECK: %[[SHARED:.*]] = llvm.call %{{.*}}(%[[STATIC]]) : !llvm.ptr, (i64) -> !llvm.ptr
// CHECK: %[[OFFSET:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: llvm.getelementptr %[[SHARED]][%[[OFFSET]]]
// barrier
// CHECK: llvm.getelementptr %{{.*}}[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK: llvm.call %{{.*}}() : !llvm.ptr, () -> ()
// Dynamic memory begins behind the arrays.
// CHECK: llvm.mlir.constant(96 : i64)
// CHECK: llvm.mlir.constant(96 : i64)
// An atomic one is a read and a write.
// CHECK: llvm.mlir.constant(7 : i32)
// CHECK: llvm.atomicrmw
// CHECK: llvm.return

// CHECK: @tpc_host_tpc_kernel_0.name("tpc_kernel_0\00")
// CHECK: @tpc_host_tpc_kernel_0.uses("rbs\00")
// CHECK: @tpc_host_tpc_kernel_1.uses("w\00")
gpu.module @tpc_device {
  llvm.mlir.global internal @tpc_shared_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<52 x i8>
  llvm.mlir.global internal @tpc_shared_1() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x i8>
  llvm.mlir.global internal @tpc_shared_other() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i8>
  llvm.mlir.global external @tpc_shared_dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  gpu.func @tpc_kernel_0(%x: !llvm.ptr, %y: !llvm.ptr, %n: i64) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %off = arith.constant 4 : i32
    %width = arith.constant 32 : i32
    %c0 = arith.constant 0 : i32
    %t = gpu.thread_id x
    %t64 = arith.index_cast %t : index to i64
    %p = llvm.getelementptr %x[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, vector<4xf32>
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
    %e = llvm.extractelement %v[%c0 : i32] : vector<4xf32>
    %s, %valid = gpu.shuffle xor %e, %off, %width : f32
    %g1 = llvm.mlir.addressof @tpc_shared_1 : !llvm.ptr<3>
    llvm.store %s, %g1 : f32, !llvm.ptr<3>
    gpu.barrier
    %g0 = llvm.mlir.addressof @tpc_shared_0 : !llvm.ptr<3>
    %r = llvm.load %g0 : !llvm.ptr<3> -> f32
    %d = llvm.mlir.addressof @tpc_shared_dynamic : !llvm.ptr<3>
    llvm.store %r, %d : f32, !llvm.ptr<3>
    %old = llvm.atomicrmw fadd %y, %r monotonic : !llvm.ptr, f32
    gpu.return
  }
  gpu.func @tpc_kernel_1(%y: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %b = gpu.block_id x
    %b64 = arith.index_cast %b : index to i64
    llvm.store %b64, %y : i64, !llvm.ptr
    gpu.return
  }
}
