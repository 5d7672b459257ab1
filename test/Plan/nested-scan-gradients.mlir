// JAX's program of accumulated gradients: a scan over layers inside of a scan over microbatches, rows sharded, parameters
// replicated. Differentiated, the gradients of all layers are carried as sums over the ranks through both loops of the backward
// pass and reduced once, outside of both; so is the loss.
// RUN: tpc-compile %s --mesh X=4 --place 'ws=R' --place 'xs=X:S(1)' --grad params --objective=bytes --report | FileCheck %s
// CHECK: (proven least, by
// CHECK: forward:
// CHECK-NEXT: all_reduce [X] sum 4 B (6 B received, bound 6 B) f32 scalar
// CHECK-NEXT: backward:
// CHECK-NEXT: all_reduce [X] sum 3072 B (4608 B received, bound 4608 B) f32 3x16x16 [X: P(sum)] -> [] 'dws'
// CHECK: total: 2 collectives
// Sharded parameters: gathered once in front of both loops, their gradients reduce-scattered behind both.
// RUN: tpc-compile %s --mesh X=4 --place 'ws=X:S(1)' --use 'ws=R' --place 'xs=X:S(1)' --grad params --objective=bytes --report | FileCheck %s --check-prefix=SHARDED
// SHARDED: forward:
// SHARDED-NEXT: all_gather [X] 3072 B (2304 B received, bound 2304 B) f32 3x16x16
// SHARDED-NEXT: all_reduce [X] sum 4 B
// SHARDED-NEXT: backward:
// SHARDED-NEXT: reduce_scatter [X] sum 3072 B (2304 B received, bound 2304 B) f32 3x16x16 [X: P(sum)] -> [X: S(1)] 'dws'
// SHARDED: total: 3 collectives
// RUN: tpc-compile %s --mesh X=4 --place 'ws=X:S(1)' --use 'ws=R' --place 'xs=X:S(1)' --grad params --objective=bytes -o %t.so
// RUN: tpc-run %t.so -n 4 --check
#all = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>
func.func @loss(%ws: tensor<3x16x16xf32> {tp.name = "ws", tp.param}, %xs: tensor<5x64x16xf32> {tp.name = "xs"}) -> (tensor<f32> {tp.name = "loss"}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<64x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  %es = tensor.empty() : tensor<f32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %loss = scf.for %m = %c0 to %c5 step %c1 iter_args(%l = %zs) -> (tensor<f32>) {
    %x = tensor.extract_slice %xs[%m, 0, 0] [1, 64, 16] [1, 1, 1] : tensor<5x64x16xf32> to tensor<64x16xf32>
    %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> (tensor<64x16xf32>) {
      %w = tensor.extract_slice %ws[%i, 0, 0] [1, 16, 16] [1, 1, 1] : tensor<3x16x16xf32> to tensor<16x16xf32>
      %p = linalg.matmul ins(%h, %w : tensor<64x16xf32>, tensor<16x16xf32>) outs(%init : tensor<64x16xf32>) -> tensor<64x16xf32>
      %t = linalg.tanh ins(%p : tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
      scf.yield %t : tensor<64x16xf32>
    }
    %sum = linalg.generic {indexing_maps = [#all, #none], iterator_types = ["reduction", "reduction"]} ins(%y : tensor<64x16xf32>) outs(%l : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.mulf %in, %in : f32
      %1 = arith.addf %out, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<f32>
    scf.yield %sum : tensor<f32>
  }
  return %loss : tensor<f32>
}
