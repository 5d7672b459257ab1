// Device kernels end in the NVVM and LLVM dialects: thread numbers, barriers
// and shuffles as NVVM has them, math functions as calls of libdevice.
// RUN: tpc-opt %s --tp-convert-device-to-nvvm --split-input-file | FileCheck %s --implicit-check-not=arith. --implicit-check-not=scf. --implicit-check-not=math. --implicit-check-not=vector. --implicit-check-not=gpu.func

// CHECK-LABEL: gpu.module @tpc_device
// CHECK: llvm.func @tpc_kernel_0(%{{.*}}: !llvm.ptr {llvm.noalias, llvm.readonly}, %{{.*}}: !llvm.ptr, %{{.*}}: i64)
// What the manifest needs stays; the assembler knows the size of a block.
// CHECK-SAME: gpu.known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: gpu.known_grid_size = array<i32: 4, 1, 1>
// CHECK-SAME: nvvm.kernel
// CHECK-SAME: nvvm.maxntid = array<i32: 256, 1, 1>
// CHECK-SAME: tp.kernel = {kind = "row", read_bytes = 4096 : i64}
// CHECK: nvvm.read.ptx.sreg.tid.x range <i32, 0, 256>
// CHECK: nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 4>
// CHECK: llvm.cond_br
gpu.module @tpc_device {
  gpu.func @tpc_kernel_0(%x: !llvm.ptr {llvm.noalias, llvm.readonly}, %y: !llvm.ptr, %n: i64) kernel attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 4, 1, 1>, tp.kernel = {kind = "row", read_bytes = 4096 : i64}} {
    %c256 = arith.constant 256 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %m = arith.muli %b, %c256 : index
    %i = arith.addi %m, %t : index
    %i64 = arith.index_cast %i : index to i64
    %inside = arith.cmpi slt, %i64, %n : i64
    scf.if %inside {
      %p = llvm.getelementptr %y[%i64] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      llvm.store %i64, %p : i64, !llvm.ptr
    }
    gpu.return
  }
}

// -----

// A barrier, a shuffle, shared memory.
// CHECK-LABEL: gpu.module @tpc_device
// CHECK: llvm.mlir.global internal @tpc_shared_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<128 x i8>
// CHECK: nvvm.shfl.sync bfly {{.*}} : f32 -> f32
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK: llvm.atomicrmw fadd
gpu.module @tpc_device {
  llvm.mlir.global internal @tpc_shared_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<128 x i8>
  gpu.func @tpc_kernel_0(%x: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %off = arith.constant 4 : i32
    %width = arith.constant 32 : i32
    %v = llvm.load %x : !llvm.ptr -> f32
    %s, %valid = gpu.shuffle xor %v, %off, %width : f32
    %g = llvm.mlir.addressof @tpc_shared_0 : !llvm.ptr<3>
    llvm.store %s, %g : f32, !llvm.ptr<3>
    gpu.barrier
    %r = llvm.load %g : !llvm.ptr<3> -> f32
    %old = llvm.atomicrmw fadd %x, %r monotonic : !llvm.ptr, f32
    gpu.return
  }
}

// -----

// Vectors of 16 bytes stay whole, and flags of operations are kept.
// CHECK-LABEL: gpu.module @tpc_device
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK: llvm.fmul {{.*}} {fastmathFlags = #llvm.fastmath<contract>} : vector<4xf32>
// CHECK: llvm.fadd {{.*}} {fastmathFlags = #llvm.fastmath<contract>} : vector<4xf32>
// CHECK: llvm.fadd %{{[0-9]+}}, %{{[0-9]+}} : vector<4xf32>
gpu.module @tpc_device {
  gpu.func @tpc_kernel_0(%x: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %v = llvm.load %x {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
    %m = arith.mulf %v, %v fastmath<contract> : vector<4xf32>
    %a = arith.addf %m, %v fastmath<contract> : vector<4xf32>
    %s = arith.addf %a, %v : vector<4xf32>
    llvm.store %s, %x {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
    gpu.return
  }
}

// -----

// Functions of f32, f64 and, widened, of 16-bit floats. What the usual
// conversion would make of expm1 has no correct digit near zero.
// CHECK-LABEL: gpu.module @tpc_device
// CHECK: llvm.call @__nv_expm1f
// CHECK: llvm.call @__nv_log1pf
// CHECK: llvm.call @__nv_tanhf
// CHECK: llvm.call @__nv_erff
// CHECK: llvm.call @__nv_powf
// CHECK: llvm.call @__nv_expm1(
// CHECK: llvm.call @__nv_log1p(
// CHECK: llvm.call @__nv_erf(
// CHECK: llvm.call @__nv_pow(
// CHECK: llvm.fpext {{.*}} : bf16 to f32
// CHECK: llvm.call @__nv_expf
// CHECK: llvm.fptrunc {{.*}} : f32 to bf16
// CHECK: llvm.fpext {{.*}} : f16 to f32
// CHECK: llvm.call @__nv_tanhf
gpu.module @tpc_device {
  gpu.func @tpc_kernel_0(%x: f32, %d: f64, %b: bf16, %h: f16, %y: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %0 = math.expm1 %x : f32
    %1 = math.log1p %0 : f32
    %2 = math.tanh %1 : f32
    %3 = math.erf %2 : f32
    %4 = math.powf %3, %x : f32
    llvm.store %4, %y : f32, !llvm.ptr
    %5 = math.expm1 %d : f64
    %6 = math.log1p %5 : f64
    %7 = math.erf %6 : f64
    %8 = math.powf %7, %d : f64
    llvm.store %8, %y : f64, !llvm.ptr
    %9 = math.exp %b : bf16
    llvm.store %9, %y : bf16, !llvm.ptr
    %10 = math.tanh %h : f16
    llvm.store %10, %y : f16, !llvm.ptr
    gpu.return
  }
}
