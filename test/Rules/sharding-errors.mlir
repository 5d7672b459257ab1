// What has no rule although its kind of operation has one.
// RUN: tpc-opt %s --test-print-sharding-rules --split-input-file --verify-diagnostics -o /dev/null

func.func @dynamic_dim(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'linalg.exp' op unsupported: dynamic dim in 'tensor<?xf32>', export the model with static shapes}}
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @buffers(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'linalg.exp' op unsupported: operand of type 'memref<4xf32>', expected a ranked tensor}}
  linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

func.func @body_reads_a_tensor(%i: tensor<4xindex>, %t: tensor<9xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : tensor<4xindex>) outs(%y : tensor<4xf32>) {
  ^bb0(%p: index, %out: f32):
    // expected-error @+2 {{'tensor.extract' op unsupported: no rule for 'tensor.extract' in the body of 'linalg.generic'}}
    // expected-error @+1 {{'tensor.extract' op unsupported: index of dim 0 is not a constant; use tensor.extract_slice}}
    %1 = tensor.extract %t[%p] : tensor<9xf32>
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @dynamic_tensor_op(%n: index) -> tensor<?xf32> {
  // expected-error @+1 {{'tensor.empty' op unsupported: dynamic dim in 'tensor<?xf32>', export the model with static shapes}}
  %0 = tensor.empty(%n) : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @computed_stride(%x: tensor<8xf32>, %s: index) -> tensor<2xf32> {
  // expected-error @+1 {{'tensor.extract_slice' op unsupported: size or stride of dim 0 is not a constant}}
  %0 = tensor.extract_slice %x[0] [2] [%s] : tensor<8xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @padding_that_varies(%x: tensor<4xindex>) -> tensor<6xindex> {
  // expected-error @+1 {{'tensor.pad' op unsupported: padding that is not one value}}
  %0 = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<4xindex> to tensor<6xindex>
  return %0 : tensor<6xindex>
}
