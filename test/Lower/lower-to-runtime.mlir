// The host function: where values lie, what is called, and when it stops.
// RUN: tpc-opt %s --tp-lower-to-runtime --split-input-file | FileCheck %s

#vec = affine_map<(d0) -> (d0)>

// Two results of one value, an argument and a constant as results: each result
// has its own buffer, filled by a copy.
// CHECK: llvm.mlir.global internal constant @[[CONSTANT:.*]]("\00\00\80?\00\00\00@")
// CHECK-LABEL: llvm.func @tpc_fn_returned
// CHECK-SAME: (%[[RANK:.*]]: !llvm.ptr, %[[ARGS:.*]]: !llvm.ptr, %[[RESULTS:.*]]: !llvm.ptr, %[[WORKSPACE:.*]]: !llvm.ptr) -> i32 attributes {tp.workspace_bytes = 0 : i64}
// CHECK-COUNT-4: llvm.call @tpc_rt_launch
// CHECK-NOT: llvm.call @tpc_rt_launch
// CHECK: llvm.return
func.func @returned(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.addf %p, %p : f32
    linalg.yield %1 : f32
  } -> tensor<2xf32>
  return %0, %0, %x, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Every call is followed by an early return of its code.
// CHECK-LABEL: llvm.func @tpc_fn_early_return
// CHECK: %[[CODE:.*]] = llvm.call @tpc_rt_collective
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[FAILED:.*]] = llvm.icmp "ne" %[[CODE]], %[[ZERO]]
// CHECK: llvm.cond_br %[[FAILED]], ^[[EXIT:.*]](%[[CODE]] : i32), ^
// CHECK: ^[[EXIT]](%[[RESULT:.*]]: i32):
// CHECK-NEXT: llvm.return %[[RESULT]] : i32
#part = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @early_return(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tp.all_reduce %x over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #part, #all>] {tp.index = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A bucket: one call with all parts; its number is that of the manifest.
// CHECK-LABEL: llvm.func @tpc_fn_bucket
// CHECK: %[[INDEX:.*]] = llvm.mlir.constant(5 : i32)
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: llvm.getelementptr %[[SCRATCH:.*]][1]
// CHECK: llvm.getelementptr %[[SCRATCH]][2]
// CHECK: llvm.call @tpc_rt_collective(%{{.*}}, %{{.*}}, %[[INDEX]], %[[COUNT]], 
#part = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @bucket(%x: tensor<4xf32>, %y: tensor<3xf32>) -> (tensor<4xf32>, tensor<3xf32>) {
  %0:2 = tp.all_reduce %x, %y over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #part, #all>, #tp.part<tensor<3xf32>, #part, #all>] {tp.index = 5 : i64} : (tensor<4xf32>, tensor<3xf32>) -> (tensor<4xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<3xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A chain of elementwise operations that end in a collective works in place;
// reshapes are other names of the same memory. 64 KiB for the chain, 64 KiB
// for what the collective gives, and nothing else.
// CHECK-LABEL: llvm.func @tpc_fn_in_place
// CHECK-SAME: tp.workspace_bytes = 131072 : i64
#part = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @in_place(%x: tensor<128x128xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<128x128xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<128x128xf32>) outs(%e : tensor<128x128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = math.exp %p : f32
    linalg.yield %1 : f32
  } -> tensor<128x128xf32>
  %flat = tensor.collapse_shape %0 [[0, 1]] : tensor<128x128xf32> into tensor<16384xf32>
  %back = tensor.expand_shape %flat [[0, 1]] output_shape [128, 128] : tensor<16384xf32> into tensor<128x128xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%back : tensor<128x128xf32>) outs(%e : tensor<128x128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = math.tanh %p : f32
    linalg.yield %1 : f32
  } -> tensor<128x128xf32>
  %3 = tp.all_reduce %2 over ["tp"] by "sum" parts [#tp.part<tensor<128x128xf32>, #part, #all>] {tp.index = 0 : i64} : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %4 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%3 : tensor<128x128xf32>) outs(%f : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %5 = arith.addf %o, %p : f32
    linalg.yield %5 : f32
  } -> tensor<f32>
  return %4 : tensor<f32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Memory whose owner is dead is used again: three products in a row need room
// for two.
// CHECK-LABEL: llvm.func @tpc_fn_reuse
// CHECK-SAME: tp.workspace_bytes = 8192 : i64
func.func @reuse(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x32xf32>
  %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%0, %x : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x32xf32>
  %2 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1, %x : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x32xf32>
  %3 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2, %x : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x32xf32>
  return %3 : tensor<32x32xf32>
}

// -----

// A zero-size tensor needs no kernel; a collective of it is called like any
// other, so that ranks that hold something find their partners.
// CHECK-LABEL: llvm.func @tpc_fn_zero_size
// CHECK-NOT: llvm.call @tpc_rt_launch
// CHECK: llvm.call @tpc_rt_collective
// CHECK-NOT: llvm.call @tpc_rt_launch
// CHECK: llvm.return
#part = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @zero_size(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %e = tensor.empty() : tensor<0x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<0x4xf32>) outs(%e : tensor<0x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.negf %p : f32
    linalg.yield %1 : f32
  } -> tensor<0x4xf32>
  %2 = tp.all_reduce %0 over ["tp"] by "sum" parts [#tp.part<tensor<0x4xf32>, #part, #all>] {tp.index = 0 : i64} : (tensor<0x4xf32>) -> tensor<0x4xf32>
  return %2 : tensor<0x4xf32>
}

// -----

// The chunk rule on the host, from the rank's coordinate; kernels read the
// number through a pointer.
// CHECK-LABEL: llvm.func @tpc_fn_chunk
// CHECK: %[[FRAME:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: %[[COORDINATE:.*]] = llvm.call @tpc_rt_coordinate
// CHECK: arith.minui
// CHECK: llvm.store %{{.*}}, %{{.*}} : i64, !llvm.ptr
// CHECK: llvm.call @tpc_rt_launch
// CHECK-LABEL: llvm.func internal @tpc_kernel_0_body
// CHECK-SAME: %[[SIZE:.*]]: i64, %{{.*}}: i64, %{{.*}}: i64)
#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @chunk(%x: tensor<3xf32>) -> tensor<3xf32> {
  %size = tp.chunk_size 5 dim 0 of #rows
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%p: f32, %o: f32):
    %i = linalg.index 0 : index
    %inside = arith.cmpi ult, %i, %size : index
    %1 = arith.select %inside, %p, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// A reduction beside the compute: its stream waits for an event of the compute stream. Nothing waits at the end, where the runtime does.
// CHECK-LABEL: llvm.func @tpc_fn_streams
// CHECK-SAME: tp.events = 1 : i64
// CHECK: llvm.call @tpc_rt_launch
// CHECK: ^bb1:
// CHECK-NEXT: %[[EVENT:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT: %[[COMPUTE:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT: %{{.*}} = llvm.call @tpc_rt_record(%{{.*}}, %[[EVENT]], %[[COMPUTE]])
// CHECK: ^bb2:
// CHECK-NEXT: %[[REDUCE:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-NEXT: %[[EVENT:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT: %{{.*}} = llvm.call @tpc_rt_wait(%{{.*}}, %[[REDUCE]], %[[EVENT]])
// CHECK: %[[REDUCE:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: llvm.call @tpc_rt_collective(%{{.*}}, %[[REDUCE]], 
// CHECK: llvm.call @tpc_rt_launch
// CHECK-NOT: tpc_rt_wait
// CHECK: llvm.return
#vec = affine_map<(d0) -> (d0)>
#part = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @streams(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.negf %p : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %2 = tp.all_reduce %0 over ["tp"] by "sum" parts [#tp.part<tensor<8xf32>, #part, #all>] {tp.index = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  %3 = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%y : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = math.exp %p : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
