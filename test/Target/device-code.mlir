// Cubins for the processors asked for, PTX of the newest, and what the assembler
// says of each kernel.
// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir %t
// RUN: tpc-opt %s --tp-convert-device-to-nvvm '--test-emit-device=archs=sm_90,sm_80 write=%t' -o /dev/null | FileCheck %s
// RUN: llvm-readelf -h %t/tpc_image_0 | FileCheck %s --check-prefixes=ELF,ELF80
// RUN: llvm-readelf -h %t/tpc_image_1 | FileCheck %s --check-prefixes=ELF,ELF90
// RUN: llvm-readelf -sW %t/tpc_image_1 | FileCheck %s --check-prefix=SYMBOLS
// RUN: FileCheck %s --check-prefix=PTX < %t/tpc_image_2
// The same text alone, without an assembler.
// RUN: tpc-opt %s --tp-convert-device-to-nvvm '--test-emit-device=archs=sm_90,sm_80 ptx' -o /dev/null | FileCheck %s --check-prefix=PTX
// Of all that ptxas knows where nothing is asked for.
// RUN: tpc-opt %s --tp-convert-device-to-nvvm --test-emit-device -o /dev/null | FileCheck %s --check-prefix=DEFAULT

// CHECK: sm_80 cubin tpc_image_0
// CHECK-NEXT: sm_90 cubin tpc_image_1
// CHECK-NEXT: sm_90 ptx tpc_image_2
// CHECK: "block": [
// CHECK-NEXT: 128,
// CHECK: "grid": [
// CHECK-NEXT: 7,
// CHECK: "kind": "row",
// CHECK-NEXT: "launches": 0,
// CHECK-NEXT: "least_read_bytes": 3584,
// CHECK-NEXT: "least_write_bytes": 0,
// CHECK-NEXT: "loc": "{{.*}}device-code.mlir:[[@LINE+41]]",
// CHECK-NEXT: "name": "tpc_kernel_0",
// CHECK-NEXT: "parameters": 2,
// CHECK-NEXT: "read_bytes": 4096,
// CHECK-NEXT: "shared_bytes": 256,
// CHECK-NEXT: "statistics": {
// CHECK-NEXT: "sm_80": {
// CHECK-NEXT: "registers": {{[1-9][0-9]*}},
// CHECK-NEXT: "shared_bytes": 512,
// CHECK-NEXT: "spill_bytes": 0,
// CHECK-NEXT: "stack_bytes": 0
// CHECK: "sm_90": {


// ELF: Machine: NVIDIA CUDA architecture
// ELF80: Flags: {{.*}}sm_80
// ELF90: Flags: {{.*}}sm_90
// SYMBOLS: FUNC GLOBAL {{.*}} tpc_kernel_0

// The least version that knows the processor. Loads are vectors, a multiply and
// an add are one where both allow it and stay two where not, and nothing else
// is relaxed: no flushing, no approximate division.
// PTX: .version 7.8
// PTX: .target sm_90
// PTX: .visible .entry tpc_kernel_0(
// PTX: .maxntid 128, 1, 1
// PTX: ld.global.nc.v4.b32
// PTX: fma.rn.f32
// PTX: mul.rn.f32
// PTX: add.rn.f32
// PTX: div.rn.f32
// PTX: max.NaN.f32
// PTX: st.shared.b32
// PTX: bar.sync
// PTX: shfl.sync.bfly.b32

// DEFAULT: sm_80 cubin
// DEFAULT: sm_90 cubin
// DEFAULT: {{sm_(90|100)}} ptx
gpu.module @tpc_device {
  llvm.mlir.global internal @tpc_shared_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<512 x i8>
  gpu.func @tpc_kernel_0(%x: !llvm.ptr {llvm.noalias, llvm.readonly}, %y: !llvm.ptr {llvm.noalias}) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 7, 1, 1>, tp.kernel = {kind = "row", read_bytes = 4096 : i64, write_bytes = 0 : i64, least_read_bytes = 3584 : i64, least_write_bytes = 0 : i64, shared_bytes = 256 : i64}} {
    %off = arith.constant 4 : i32
    %width = arith.constant 32 : i32
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i64
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, vector<4xf32>
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
    %a = vector.extract %v[0] : f32 from vector<4xf32>
    %b = vector.extract %v[1] : f32 from vector<4xf32>
    %c = vector.extract %v[2] : f32 from vector<4xf32>
    %d = vector.extract %v[3] : f32 from vector<4xf32>
    %0 = arith.mulf %a, %b fastmath<contract> : f32
    %1 = arith.addf %0, %c fastmath<contract> : f32
    %2 = arith.mulf %1, %d : f32
    %3 = arith.addf %2, %a : f32
    %4 = arith.divf %3, %b : f32
    %5 = arith.maximumf %4, %c : f32
    %g = llvm.mlir.addressof @tpc_shared_0 : !llvm.ptr<3>
    %s = llvm.getelementptr %g[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    llvm.store %5, %s : f32, !llvm.ptr<3>
    gpu.barrier
    %6 = llvm.load %g : !llvm.ptr<3> -> f32
    %7, %valid = gpu.shuffle xor %6, %off, %width : f32
    %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %7, %q : f32, !llvm.ptr
    gpu.return
  }
}
