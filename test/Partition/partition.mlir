// Placed programs on global tensors become one program on the buffers of a rank.
// RUN: tpc-opt %s --split-input-file --tp-partition --canonicalize --cse | FileCheck %s

// Buffers have the local shape, rounded up; arguments and results remember what they are a part of.
// CHECK-LABEL: func.func @local_shapes
// CHECK-SAME: (%{{.*}}: tensor<3x4xf32> {tp.global = tensor<5x8xf32>, tp.placement = #S0_a_S1_b})
// CHECK-SAME: -> (tensor<3x4xf32> {tp.global = tensor<5x8xf32>, tp.placement = #S0_a_S1_b})
// CHECK: linalg.exp ins(%{{.*}} : tensor<3x4xf32>) outs(%{{.*}} : tensor<3x4xf32>)
#tiles = #tp.placement<@mesh, [a: S(0), b: S(1)]>
tp.mesh @mesh ["a" = 2, "b" = 2]
func.func @local_shapes(%x: tensor<5x8xf32, #tiles>) -> tensor<5x8xf32, #tiles> {
  %empty = tensor.empty() : tensor<5x8xf32, #tiles>
  %y = linalg.exp ins(%x : tensor<5x8xf32, #tiles>) outs(%empty : tensor<5x8xf32, #tiles>) -> tensor<5x8xf32, #tiles>
  return %y : tensor<5x8xf32, #tiles>
}


// Chunks of chunks: 7 rows over 2 are 4 and 3 at most, and those over 2 again are 2 at most.
// CHECK-LABEL: func.func @nested_uneven_chunks
// CHECK-SAME: tensor<2x8xf32> {tp.global = tensor<7x8xf32>
func.func @nested_uneven_chunks(%x: tensor<7x8xf32, #tp.placement<@mesh, [b: S(0), a: S(0)]>>) -> tensor<7x8xf32, #tp.placement<@mesh, [b: S(0), a: S(0)]>> {
  return %x : tensor<7x8xf32, #tp.placement<@mesh, [b: S(0), a: S(0)]>>
}

// A dim without elements stays without.
// CHECK-LABEL: func.func @no_elements
// CHECK-SAME: tensor<0x4xf32> {tp.global = tensor<0x8xf32>
func.func @no_elements(%x: tensor<0x8xf32, #tiles>) -> tensor<0x8xf32, #tiles> {
  return %x : tensor<0x8xf32, #tiles>
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#columns = #tp.placement<@mesh, [tp: S(1)]>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
#max = #tp.placement<@mesh, [tp: P(max)]>
#rep = #tp.placement<@mesh, []>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
tp.mesh @mesh ["tp" = 2]

// An even contraction needs no masks.
// CHECK-LABEL: func.func @even_contraction
// CHECK-NOT: arith.select
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<3x4xf32>)
func.func @even_contraction(%x: tensor<4x6xf32, #columns>, %w: tensor<6x4xf32, #rows>) -> tensor<4x4xf32, #sum> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32, #sum>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32, #sum>) -> tensor<4x4xf32, #sum>
  %y = linalg.matmul ins(%x, %w : tensor<4x6xf32, #columns>, tensor<6x4xf32, #rows>) outs(%init : tensor<4x4xf32, #sum>) -> tensor<4x4xf32, #sum>
  return %y : tensor<4x4xf32, #sum>
}

// Over uneven chunks both operands are cleared behind the chunk: padding may hold a NaN, and zero times NaN is one.
// CHECK-LABEL: func.func @uneven_contraction_clears_both_operands
// CHECK: %[[SIZE:.*]] = tp.chunk_size
// CHECK: %[[X:.*]] = linalg.generic
// CHECK: linalg.index 1
// CHECK: arith.cmpi ult, %{{.*}}, %[[SIZE]]
// CHECK: arith.select
// CHECK: %[[W:.*]] = linalg.generic
// CHECK: linalg.index 0
// CHECK: arith.select
// CHECK: linalg.matmul ins(%[[X]], %[[W]] : tensor<4x3xf32>, tensor<3x4xf32>)
func.func @uneven_contraction_clears_both_operands(%x: tensor<4x5xf32, #columns>, %w: tensor<5x4xf32, #rows>) -> tensor<4x4xf32, #sum> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32, #sum>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32, #sum>) -> tensor<4x4xf32, #sum>
  %y = linalg.matmul ins(%x, %w : tensor<4x5xf32, #columns>, tensor<5x4xf32, #rows>) outs(%init : tensor<4x4xf32, #sum>) -> tensor<4x4xf32, #sum>
  return %y : tensor<4x4xf32, #sum>
}

// Any other reduction keeps its accumulator there.
// CHECK-LABEL: func.func @uneven_maximum_keeps_its_accumulator
// CHECK: %[[SIZE:.*]] = tp.chunk_size
// CHECK: linalg.generic
// CHECK: ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK: %[[MAX:.*]] = arith.maximumf
// CHECK: %[[I:.*]] = linalg.index 1
// CHECK: %[[VALID:.*]] = arith.cmpi ult, %[[I]], %[[SIZE]]
// CHECK: %[[KEPT:.*]] = arith.select %[[VALID]], %[[MAX]], %[[OUT]]
// CHECK: linalg.yield %[[KEPT]]
func.func @uneven_maximum_keeps_its_accumulator(%x: tensor<4x5xf32, #columns>) -> tensor<4xf32, #max> {
  %least = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<4xf32, #max>
  %init = linalg.fill ins(%least : f32) outs(%empty : tensor<4xf32, #max>) -> tensor<4xf32, #max>
  %y = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x5xf32, #columns>) outs(%init : tensor<4xf32, #max>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32, #max>
  return %y : tensor<4xf32, #max>
}

// Elementwise operations may compute on padding: nothing reads it.
// CHECK-LABEL: func.func @uneven_elementwise
// CHECK-NOT: tp.chunk_size
func.func @uneven_elementwise(%x: tensor<5x4xf32, #rows>) -> tensor<5x4xf32, #rows> {
  %empty = tensor.empty() : tensor<5x4xf32, #rows>
  %y = linalg.exp ins(%x : tensor<5x4xf32, #rows>) outs(%empty : tensor<5x4xf32, #rows>) -> tensor<5x4xf32, #rows>
  return %y : tensor<5x4xf32, #rows>
}

// Indices count in the global tensor, along sharded dims only.
// CHECK-LABEL: func.func @index_is_global
// CHECK: %[[OFFSET:.*]] = tp.chunk_offset
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[GLOBAL:.*]] = arith.addi %[[I]], %[[OFFSET]]
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: arith.addi %[[GLOBAL]], %[[J]]
func.func @index_is_global(%space: tensor<6x4xindex, #rows>) -> tensor<6x4xindex, #rows> {
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%space : tensor<6x4xindex, #rows>) {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %sum = arith.addi %i, %j : index
    linalg.yield %sum : index
  } -> tensor<6x4xindex, #rows>
  return %y : tensor<6x4xindex, #rows>
}

// A collective keeps what it means as parts: global shape and both placements.
// CHECK-LABEL: func.func @collectives_say_their_parts
// CHECK: tp.reduce_scatter %{{.*}} over ["tp"] by "sum" parts [#tp.part<tensor<4x6xf32>, #Psum_tp, #S0_tp>] : (tensor<4x6xf32>) -> tensor<2x6xf32>
func.func @collectives_say_their_parts(%x: tensor<4x6xf32, #sum>) -> tensor<4x6xf32, #rows> {
  %y = tp.reduce_scatter %x over ["tp"] by "sum" : (tensor<4x6xf32, #sum>) -> tensor<4x6xf32, #rows>
  return %y : tensor<4x6xf32, #rows>
}

// A region of per-rank code is per-rank code already; its phase goes to what was in it.
// CHECK-LABEL: func.func @manual_is_inlined
// CHECK-NOT: tp.manual
// CHECK: linalg.exp {tp.phase = "backward"} ins(%{{.*}} : tensor<2x6xf32>)
// CHECK-NOT: tp.yield
func.func @manual_is_inlined(%x: tensor<4x6xf32, #rows>) -> tensor<4x6xf32, #rows> {
  %y = tp.manual (%x) in [#rows] out [#rows] {
  ^bb0(%local: tensor<2x6xf32>):
    %empty = tensor.empty() : tensor<2x6xf32>
    %0 = linalg.exp ins(%local : tensor<2x6xf32>) outs(%empty : tensor<2x6xf32>) -> tensor<2x6xf32>
    tp.yield %0 : tensor<2x6xf32>
  } {tp.phase = "backward"} : (tensor<4x6xf32, #rows>) -> tensor<4x6xf32, #rows>
  return %y : tensor<4x6xf32, #rows>
}

// Cuts, pads and joins along whole dims stay as written; the sharded dims beside them shrink.
// CHECK-LABEL: func.func @cut_pad_and_join
// CHECK: %[[CUT:.*]] = tensor.extract_slice %{{.*}}[0, 2] [2, 3] [1, 1] : tensor<2x6xf32> to tensor<2x3xf32>
// CHECK: %[[PAD:.*]] = tensor.pad %[[CUT]] low[0, 1] high[0, 2]
// CHECK: tensor<2x3xf32> to tensor<2x6xf32>
// CHECK: %[[JOIN:.*]] = tensor.concat dim(1) %[[CUT]], %[[PAD]] : (tensor<2x3xf32>, tensor<2x6xf32>) -> tensor<2x9xf32>
// CHECK: tensor.insert_slice %[[CUT]] into %[[JOIN]][0, 4] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x9xf32>
func.func @cut_pad_and_join(%x: tensor<4x6xf32, #rows>) -> tensor<4x9xf32, #rows> {
  %zero = arith.constant 0.0 : f32
  %cut = tensor.extract_slice %x[0, 2] [4, 3] [1, 1] : tensor<4x6xf32, #rows> to tensor<4x3xf32, #rows>
  %pad = tensor.pad %cut low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x3xf32, #rows> to tensor<4x6xf32, #rows>
  %join = tensor.concat dim(1) %cut, %pad : (tensor<4x3xf32, #rows>, tensor<4x6xf32, #rows>) -> tensor<4x9xf32, #rows>
  %set = tensor.insert_slice %cut into %join[0, 4] [4, 3] [1, 1] : tensor<4x3xf32, #rows> into tensor<4x9xf32, #rows>
  return %set : tensor<4x9xf32, #rows>
}

// Reshapes and constants follow the local shape; a constant that differs by element is replicated.
// CHECK-LABEL: func.func @reshapes_and_constants
// CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<2x6xf32>
// CHECK-DAG: arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [2, 2, 3] : tensor<2x6xf32> into tensor<2x2x3xf32>
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<2x6xf32> into tensor<12xf32>
func.func @reshapes_and_constants(%x: tensor<4x6xf32, #rows>)
    -> (tensor<4x2x3xf32, #rows>, tensor<24xf32, #rows>, tensor<4x6xf32, #rows>, tensor<2xf32, #rep>) {
  %a = tensor.expand_shape %x [[0], [1, 2]] output_shape [4, 2, 3] : tensor<4x6xf32, #rows> into tensor<4x2x3xf32, #rows>
  %b = tensor.collapse_shape %x [[0, 1]] : tensor<4x6xf32, #rows> into tensor<24xf32, #rows>
  %ones = arith.constant dense<1.0> : tensor<4x6xf32, #rows>
  %pair = arith.constant dense<[1.0, 2.0]> : tensor<2xf32, #rep>
  return %a, %b, %ones, %pair : tensor<4x2x3xf32, #rows>, tensor<24xf32, #rows>, tensor<4x6xf32, #rows>, tensor<2xf32, #rep>
}
