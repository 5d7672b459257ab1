// Every function that kernels may call compiles for every float type, and for
// integers what bodies have of them.
// REQUIRES: ptxas
// RUN: tpc-opt %s --tp-convert-device-to-nvvm --test-emit-device=archs=sm_80,sm_90 -o /dev/null | FileCheck %s
// Square roots and divisions are rounded correctly.
// RUN: tpc-opt %s --tp-convert-device-to-nvvm --test-emit-device=ptx -o /dev/null | FileCheck %s --check-prefix=ROOTS
// ROOTS: sqrt.rn.f32
// ROOTS: sqrt.rn.f64

// CHECK: sm_80 cubin tpc_image_0
// CHECK: sm_90 cubin tpc_image_1
// CHECK: "name": "kernel_f32"
// CHECK: "name": "kernel_f64"
// CHECK: "name": "kernel_f16"
// CHECK: "name": "kernel_bf16"
// CHECK: "name": "kernel_i64"
gpu.module @tpc_device {
  gpu.func @kernel_f32(%x: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %v = llvm.load %x : !llvm.ptr -> f32
    %0 = math.absf %v : f32
    %1 = math.acos %0 : f32
    %2 = math.acosh %1 : f32
    %3 = math.asin %2 : f32
    %4 = math.asinh %3 : f32
    %5 = math.atan %4 : f32
    %6 = math.atanh %5 : f32
    %7 = math.cbrt %6 : f32
    %8 = math.ceil %7 : f32
    %9 = math.cos %8 : f32
    %10 = math.cosh %9 : f32
    %11 = math.erf %10 : f32
    %12 = math.erfc %11 : f32
    %13 = math.exp %12 : f32
    %14 = math.exp2 %13 : f32
    %15 = math.expm1 %14 : f32
    %16 = math.floor %15 : f32
    %17 = math.log %16 : f32
    %18 = math.log10 %17 : f32
    %19 = math.log1p %18 : f32
    %20 = math.log2 %19 : f32
    %21 = math.round %20 : f32
    %22 = math.roundeven %21 : f32
    %23 = math.rsqrt %22 : f32
    %24 = math.sin %23 : f32
    %25 = math.sinh %24 : f32
    %26 = math.sqrt %25 : f32
    %27 = math.tan %26 : f32
    %28 = math.tanh %27 : f32
    %29 = math.trunc %28 : f32
    %30 = math.atan2 %29, %v : f32
    %31 = math.copysign %30, %v : f32
    %32 = math.powf %31, %v : f32
    %33 = math.fma %32, %v, %v : f32
    %34 = arith.addf %33, %v : f32
    %35 = arith.subf %34, %v : f32
    %36 = arith.mulf %35, %v : f32
    %37 = arith.divf %36, %v : f32
    %38 = arith.remf %37, %v : f32
    %39 = arith.maximumf %38, %v : f32
    %40 = arith.minimumf %39, %v : f32
    %41 = arith.maxnumf %40, %v : f32
    %42 = arith.minnumf %41, %v : f32
    llvm.store %42, %x : f32, !llvm.ptr
    gpu.return
  }
  gpu.func @kernel_f64(%x: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %v = llvm.load %x : !llvm.ptr -> f64
    %0 = math.absf %v : f64
    %1 = math.acos %0 : f64
    %2 = math.acosh %1 : f64
    %3 = math.asin %2 : f64
    %4 = math.asinh %3 : f64
    %5 = math.atan %4 : f64
    %6 = math.atanh %5 : f64
    %7 = math.cbrt %6 : f64
    %8 = math.ceil %7 : f64
    %9 = math.cos %8 : f64
    %10 = math.cosh %9 : f64
    %11 = math.erf %10 : f64
    %12 = math.erfc %11 : f64
    %13 = math.exp %12 : f64
    %14 = math.exp2 %13 : f64
    %15 = math.expm1 %14 : f64
    %16 = math.floor %15 : f64
    %17 = math.log %16 : f64
    %18 = math.log10 %17 : f64
    %19 = math.log1p %18 : f64
    %20 = math.log2 %19 : f64
    %21 = math.round %20 : f64
    %22 = math.roundeven %21 : f64
    %23 = math.rsqrt %22 : f64
    %24 = math.sin %23 : f64
    %25 = math.sinh %24 : f64
    %26 = math.sqrt %25 : f64
    %27 = math.tan %26 : f64
    %28 = math.tanh %27 : f64
    %29 = math.trunc %28 : f64
    %30 = math.atan2 %29, %v : f64
    %31 = math.copysign %30, %v : f64
    %32 = math.powf %31, %v : f64
    %33 = math.fma %32, %v, %v : f64
    %34 = arith.addf %33, %v : f64
    %35 = arith.subf %34, %v : f64
    %36 = arith.mulf %35, %v : f64
    %37 = arith.divf %36, %v : f64
    %38 = arith.remf %37, %v : f64
    %39 = arith.maximumf %38, %v : f64
    %40 = arith.minimumf %39, %v : f64
    %41 = arith.maxnumf %40, %v : f64
    %42 = arith.minnumf %41, %v : f64
    llvm.store %42, %x : f64, !llvm.ptr
    gpu.return
  }
  gpu.func @kernel_f16(%x: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %v = llvm.load %x : !llvm.ptr -> f16
    %0 = math.absf %v : f16
    %1 = math.acos %0 : f16
    %2 = math.acosh %1 : f16
    %3 = math.asin %2 : f16
    %4 = math.asinh %3 : f16
    %5 = math.atan %4 : f16
    %6 = math.atanh %5 : f16
    %7 = math.cbrt %6 : f16
    %8 = math.ceil %7 : f16
    %9 = math.cos %8 : f16
    %10 = math.cosh %9 : f16
    %11 = math.erf %10 : f16
    %12 = math.erfc %11 : f16
    %13 = math.exp %12 : f16
    %14 = math.exp2 %13 : f16
    %15 = math.expm1 %14 : f16
    %16 = math.floor %15 : f16
    %17 = math.log %16 : f16
    %18 = math.log10 %17 : f16
    %19 = math.log1p %18 : f16
    %20 = math.log2 %19 : f16
    %21 = math.round %20 : f16
    %22 = math.roundeven %21 : f16
    %23 = math.rsqrt %22 : f16
    %24 = math.sin %23 : f16
    %25 = math.sinh %24 : f16
    %26 = math.sqrt %25 : f16
    %27 = math.tan %26 : f16
    %28 = math.tanh %27 : f16
    %29 = math.trunc %28 : f16
    %30 = math.atan2 %29, %v : f16
    %31 = math.copysign %30, %v : f16
    %32 = math.powf %31, %v : f16
    %33 = math.fma %32, %v, %v : f16
    %34 = arith.addf %33, %v : f16
    %35 = arith.subf %34, %v : f16
    %36 = arith.mulf %35, %v : f16
    %37 = arith.divf %36, %v : f16
    %38 = arith.remf %37, %v : f16
    %39 = arith.maximumf %38, %v : f16
    %40 = arith.minimumf %39, %v : f16
    %41 = arith.maxnumf %40, %v : f16
    %42 = arith.minnumf %41, %v : f16
    llvm.store %42, %x : f16, !llvm.ptr
    gpu.return
  }
  gpu.func @kernel_bf16(%x: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %v = llvm.load %x : !llvm.ptr -> bf16
    %0 = math.absf %v : bf16
    %1 = math.acos %0 : bf16
    %2 = math.acosh %1 : bf16
    %3 = math.asin %2 : bf16
    %4 = math.asinh %3 : bf16
    %5 = math.atan %4 : bf16
    %6 = math.atanh %5 : bf16
    %7 = math.cbrt %6 : bf16
    %8 = math.ceil %7 : bf16
    %9 = math.cos %8 : bf16
    %10 = math.cosh %9 : bf16
    %11 = math.erf %10 : bf16
    %12 = math.erfc %11 : bf16
    %13 = math.exp %12 : bf16
    %14 = math.exp2 %13 : bf16
    %15 = math.expm1 %14 : bf16
    %16 = math.floor %15 : bf16
    %17 = math.log %16 : bf16
    %18 = math.log10 %17 : bf16
    %19 = math.log1p %18 : bf16
    %20 = math.log2 %19 : bf16
    %21 = math.round %20 : bf16
    %22 = math.roundeven %21 : bf16
    %23 = math.rsqrt %22 : bf16
    %24 = math.sin %23 : bf16
    %25 = math.sinh %24 : bf16
    %26 = math.sqrt %25 : bf16
    %27 = math.tan %26 : bf16
    %28 = math.tanh %27 : bf16
    %29 = math.trunc %28 : bf16
    %30 = math.atan2 %29, %v : bf16
    %31 = math.copysign %30, %v : bf16
    %32 = math.powf %31, %v : bf16
    %33 = math.fma %32, %v, %v : bf16
    %34 = arith.addf %33, %v : bf16
    %35 = arith.subf %34, %v : bf16
    %36 = arith.mulf %35, %v : bf16
    %37 = arith.divf %36, %v : bf16
    %38 = arith.remf %37, %v : bf16
    %39 = arith.maximumf %38, %v : bf16
    %40 = arith.minimumf %39, %v : bf16
    %41 = arith.maxnumf %40, %v : bf16
    %42 = arith.minnumf %41, %v : bf16
    llvm.store %42, %x : bf16, !llvm.ptr
    gpu.return
  }
  gpu.func @kernel_i64(%x: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %v = llvm.load %x : !llvm.ptr -> i64
    %0 = arith.floordivsi %v, %v : i64
    %1 = arith.ceildivsi %0, %v : i64
    %2 = arith.remsi %1, %v : i64
    %3 = math.absi %2 : i64
    %4 = arith.maxsi %3, %v : i64
    %5 = arith.minui %4, %v : i64
    %6 = arith.sitofp %5 : i64 to f32
    %7 = arith.fptosi %6 : f32 to i64
    %8 = arith.trunci %7 : i64 to i8
    %9 = arith.extui %8 : i8 to i64
    llvm.store %9, %x : i64, !llvm.ptr
    gpu.return
  }
}
