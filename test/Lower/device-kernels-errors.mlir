// Kernels that no launch is large enough for.
// RUN: tpc-opt %s --tp-lower-to-runtime=target=cuda --verify-diagnostics

func.func @rows(%x: tensor<3000000001x33xi8>, %y: tensor<3000000001xi8>) -> tensor<3000000001xi8> {
  // expected-error @+1 {{unsupported: a kernel of 3000000001 blocks, of which a launch has at most 2147483647; shard the tensor}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3000000001x33xi8>) outs(%y : tensor<3000000001xi8>) {
  ^bb0(%p: i8, %o: i8):
    %1 = arith.addi %o, %p : i8
    linalg.yield %1 : i8
  } -> tensor<3000000001xi8>
  return %0 : tensor<3000000001xi8>
}
