// The manifest says what the runtime must know: global shapes and placements,
// every collective and local step in the order of their numbers, and the size
// of the workspace. It is in the object as text.
// RUN: tpc-compile %s --mesh dp=2,tp=2 --place 'x=dp:S(0)' --place 'w=tp:S(1)' --place 'y=R' --emit obj -o %t.o
// RUN: %python -c "import re,json,sys; t=re.search(rb'\{\"abi\":.*?\}\x00', open(sys.argv[1],'rb').read(), re.S).group(0)[:-1]; m=json.loads(t); m.pop('report'); m.pop('reference'); print(json.dumps(m, indent=1, sort_keys=True))" %t.o | FileCheck %s

// CHECK: "abi": 3
// CHECK: "collectives": [
// CHECK: "axes": [
// CHECK: "bytes":
// CHECK: "local":
// CHECK: "parts": [
// CHECK: "from": [
// CHECK: "to": [
// CHECK: "phase": "forward"
// CHECK: "value":
// CHECK: "wire_bytes":
// CHECK: "fingerprint": "{{[0-9a-f]+}}"
// CHECK: "functions": [
// CHECK: "name": "x"
// CHECK: "param": false
// CHECK: "axis": "dp"
// CHECK: "shard": 0
// CHECK: "shape": [
// CHECK-NEXT: 64,
// CHECK-NEXT: 48
// CHECK: "name": "w"
// CHECK: "param": true
// CHECK: "events": 0
// CHECK: "results": [
// CHECK: "name": "y"
// CHECK: "placement": []
// CHECK: "symbol": "tpc_fn_forward"
// CHECK: "workspace_bytes": {{[1-9][0-9]*}}
// CHECK: "mesh": [
// CHECK: "name": "dp"
// CHECK-NEXT: "size": 2
func.func @forward(%x: tensor<64x48xf32> {tp.name = "x"}, %w: tensor<48x32xf32> {tp.name = "w", tp.param}) -> (tensor<64x32xf32> {tp.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<64x48xf32>, tensor<48x32xf32>) outs(%f : tensor<64x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}
