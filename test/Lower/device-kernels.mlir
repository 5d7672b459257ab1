// Device kernels: the host calls them by number with pointers and scalars.
// RUN: tpc-opt %s --tp-lower-to-runtime=target=cuda --canonicalize --cse --split-input-file | FileCheck %s

// Equal kernels exist once; an element is 16 bytes, and what is left behind the
// last one is done by threads of its own.
// CHECK-LABEL: llvm.func @tpc_fn_twice
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.call @tpc_rt_kernel(%{{.*}}, %[[ZERO]], %
// CHECK: llvm.call @tpc_rt_kernel(%{{.*}}, %[[ZERO]], %
// CHECK: gpu.module @tpc_device
// CHECK: gpu.func @tpc_kernel_0(%{{.*}}: !llvm.ptr {llvm.noalias, llvm.readonly}, %{{.*}}: !llvm.ptr {llvm.noalias}) kernel
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 3, 1, 1>
// CHECK-SAME: kind = "point", least_read_bytes = 4100 : i64, least_write_bytes = 4100 : i64, read_bytes = 4100 : i64, write_bytes = 4100 : i64
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-COUNT-4: math.exp
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK: math.exp
// CHECK-NOT: gpu.func
func.func @twice(%x: tensor<1025xf32>, %y: tensor<1025xf32>) -> (tensor<1025xf32>, tensor<1025xf32>) {
  %e = tensor.empty() : tensor<1025xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<1025xf32>) outs(%e : tensor<1025xf32>) {
  ^bb0(%p: f32, %o: f32):
    %2 = math.exp %p : f32
    linalg.yield %2 : f32
  } -> tensor<1025xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%y : tensor<1025xf32>) outs(%e : tensor<1025xf32>) {
  ^bb0(%p: f32, %o: f32):
    %2 = math.exp %p : f32
    linalg.yield %2 : f32
  } -> tensor<1025xf32>
  return %0, %1 : tensor<1025xf32>, tensor<1025xf32>
}
