// Right placed programs agree with the global program on every mesh, uneven and empty shards included.
// RUN: tpc-opt %s --split-input-file --tp-simulate --tp-simulate=values=reals --verify-diagnostics -o /dev/null
// RUN: tpc-opt %s --split-input-file --tp-simulate=seed=7 --tp-simulate="values=reals seed=8" --verify-diagnostics -o /dev/null

// 5 rows over 4 ranks are 2, 2, 1 and 0; the shared dim of 3 is 1, 1, 1 and 0.
#rows = #tp.placement<@mesh, [tp: S(0)]>
#columns = #tp.placement<@mesh, [tp: S(1)]>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 4]
// expected-remark @+1 {{simulated @contraction_over_an_uneven_shard on 4 ranks: 3 operations agree}}
func.func @contraction_over_an_uneven_shard(%x: tensor<5x3xf32, #columns>, %w: tensor<3x2xf32, #rows>) -> tensor<5x2xf32, #rows> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x2xf32, #sum>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x2xf32, #sum>) -> tensor<5x2xf32, #sum>
  %y = linalg.matmul ins(%x, %w : tensor<5x3xf32, #columns>, tensor<3x2xf32, #rows>) outs(%init : tensor<5x2xf32, #sum>) -> tensor<5x2xf32, #sum>
  %z = tp.redistribute %y : tensor<5x2xf32, #sum> -> tensor<5x2xf32, #rows>
  return %z : tensor<5x2xf32, #rows>
}

// -----

// A softmax whose rows are sharded over both axes, the inner split first in the mesh: maximum, exponential, sum, quotient.
#grid = #tp.placement<@mesh, [tp: S(0), dp: S(1)]>
#max = #tp.placement<@mesh, [tp: S(0), dp: P(max)]>
#sum = #tp.placement<@mesh, [tp: S(0), dp: P(sum)]>
#rows = #tp.placement<@mesh, [tp: S(0)]>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
tp.mesh @mesh ["dp" = 2, "tp" = 3]
// expected-remark @+1 {{simulated @softmax on 6 ranks: 8 operations agree}}
func.func @softmax(%x: tensor<4x5xf32, #grid>) -> tensor<4x5xf32, #grid> {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<4xf32, #max>
  %1 = linalg.fill ins(%least : f32) outs(%0 : tensor<4xf32, #max>) -> tensor<4xf32, #max>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x5xf32, #grid>) outs(%1 : tensor<4xf32, #max>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.maximumf %in, %out : f32
    linalg.yield %a : f32
  } -> tensor<4xf32, #max>
  %3 = tp.all_reduce %2 over ["dp"] by "max" : (tensor<4xf32, #max>) -> tensor<4xf32, #rows>
  %4 = tensor.empty() : tensor<4x5xf32, #grid>
  %5 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %3 : tensor<4x5xf32, #grid>, tensor<4xf32, #rows>) outs(%4 : tensor<4x5xf32, #grid>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %a = arith.subf %in, %m : f32
    %b = math.exp %a : f32
    linalg.yield %b : f32
  } -> tensor<4x5xf32, #grid>
  %6 = tensor.splat %zero : tensor<4xf32, #sum>
  %7 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%5 : tensor<4x5xf32, #grid>) outs(%6 : tensor<4xf32, #sum>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %in, %out : f32
    linalg.yield %a : f32
  } -> tensor<4xf32, #sum>
  %8 = tp.all_reduce %7 over ["dp"] by "sum" : (tensor<4xf32, #sum>) -> tensor<4xf32, #rows>
  %9 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%8 : tensor<4xf32, #rows>) outs(%5 : tensor<4x5xf32, #grid>) {
  ^bb0(%s: f32, %out: f32):
    %a = arith.divf %out, %s : f32
    linalg.yield %a : f32
  } -> tensor<4x5xf32, #grid>
  return %9 : tensor<4x5xf32, #grid>
}

// -----

// Tensors that nobody holds an element of, and tensors without dims.
#all = #tp.placement<@mesh, []>
#none = #tp.placement<@mesh, [tp: S(0)]>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
tp.mesh @mesh ["tp" = 2, "pp" = 1]
// expected-remark @+1 {{simulated @no_elements_and_no_dims on 2 ranks: 4 operations agree}}
func.func @no_elements_and_no_dims(%x: tensor<0xf32, #none>, %y: tensor<f32, #sum>) -> tensor<f32, #all> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.splat %zero : tensor<f32, #sum>
  %1 = linalg.reduce ins(%x : tensor<0xf32, #none>) outs(%0 : tensor<f32, #sum>) dimensions = [0]
    (%in: f32, %out: f32) {
      %a = arith.addf %in, %out : f32
      linalg.yield %a : f32
    }
  %2 = linalg.add ins(%1, %y : tensor<f32, #sum>, tensor<f32, #sum>) outs(%0 : tensor<f32, #sum>) -> tensor<f32, #sum>
  %3 = tp.redistribute %2 : tensor<f32, #sum> -> tensor<f32, #all>
  return %3 : tensor<f32, #all>
}

// -----

// Movement of data, of integers and of booleans; indices count in the whole tensor.
#rows = #tp.placement<@mesh, [tp: S(0)]>
#columns = #tp.placement<@mesh, [tp: S(1)]>
#all = #tp.placement<@mesh, []>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
tp.mesh @mesh ["tp" = 3]
// expected-remark @+1 {{simulated @data_movement on 3 ranks: 10 operations agree}}
func.func @data_movement(%x: tensor<4x6xi32, #columns>, %c: tensor<6x4xi1, #rows>) -> tensor<12x4xi32, #all> {
  %0 = tensor.extract_slice %x[1, 0] [2, 6] [2, 1] : tensor<4x6xi32, #columns> to tensor<2x6xi32, #columns>
  %1 = tensor.concat dim(0) %0, %0 : (tensor<2x6xi32, #columns>, tensor<2x6xi32, #columns>) -> tensor<4x6xi32, #columns>
  %2 = tensor.insert_slice %0 into %1[1, 0] [2, 6] [1, 1] : tensor<2x6xi32, #columns> into tensor<4x6xi32, #columns>
  %seven = arith.constant 7 : i32
  %3 = tensor.pad %0 low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %seven : i32
  } : tensor<2x6xi32, #columns> to tensor<4x6xi32, #columns>
  %4 = tensor.empty() : tensor<6x4xi32, #rows>
  %5 = linalg.generic {indexing_maps = [#id, #swap, #swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %2, %3 : tensor<6x4xi1, #rows>, tensor<4x6xi32, #columns>, tensor<4x6xi32, #columns>) outs(%4 : tensor<6x4xi32, #rows>) {
  ^bb0(%s: i1, %a: i32, %b: i32, %out: i32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %l = arith.muli %a, %k : i32
    %m = arith.select %s, %l, %b : i32
    %n = arith.floordivsi %m, %seven : i32
    %o = arith.addi %m, %n : i32
    linalg.yield %o : i32
  } -> tensor<6x4xi32, #rows>
  %6 = tensor.collapse_shape %5 [[0, 1]] : tensor<6x4xi32, #rows> into tensor<24xi32, #rows>
  %7 = tensor.expand_shape %6 [[0, 1]] output_shape [6, 4] : tensor<24xi32, #rows> into tensor<6x4xi32, #rows>
  %8 = tp.redistribute %7 : tensor<6x4xi32, #rows> -> tensor<6x4xi32, #all>
  %9 = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16], [17, 18, 19, 20], [21, 22, 23, 24]]> : tensor<6x4xi32, #all>
  %10 = tensor.concat dim(0) %8, %9 : (tensor<6x4xi32, #all>, tensor<6x4xi32, #all>) -> tensor<12x4xi32, #all>
  return %10 : tensor<12x4xi32, #all>
}

// -----

// Per-rank code sees local tensors, and its collectives their parts.
#rows = #tp.placement<@mesh, [tp: S(0)]>
#columns = #tp.placement<@mesh, [tp: S(1)]>
#all = #tp.placement<@mesh, []>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
#id = affine_map<(i, j) -> (i, j)>
tp.mesh @mesh ["tp" = 2]
// expected-remark @+1 {{simulated @manual_region on 2 ranks: 2 operations agree}}
func.func @manual_region(%x: tensor<3x4xf32, #columns>, %w: tensor<4x2xf32, #rows>) -> tensor<3x2xf32, #all> {
  %y, %part = tp.manual (%x, %w) in [#columns, #rows] out [#all, #sum] {
  ^bb0(%lx: tensor<3x2xf32>, %lw: tensor<2x2xf32>):
    %zero = arith.constant 0.0 : f32
    %init = tensor.splat %zero : tensor<3x2xf32>
    %0 = linalg.matmul ins(%lx, %lw : tensor<3x2xf32>, tensor<2x2xf32>) outs(%init : tensor<3x2xf32>) -> tensor<3x2xf32>
    %1 = tp.all_reduce %0 over ["tp"] by "sum" parts [#tp.part<tensor<3x2xf32>, #sum, #all>] : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %k = tp.coordinate "tp" of @mesh
    %n = tp.chunk_size 4 dim 0 of #rows
    %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0 : tensor<3x2xf32>) outs(%init : tensor<3x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %a = arith.addi %k, %n : index
      %b = arith.index_cast %a : index to i32
      %c = arith.sitofp %b : i32 to f32
      %d = arith.mulf %in, %c : f32
      linalg.yield %d : f32
    } -> tensor<3x2xf32>
    tp.yield %1, %2 : tensor<3x2xf32>, tensor<3x2xf32>
  } : (tensor<3x4xf32, #columns>, tensor<4x2xf32, #rows>) -> (tensor<3x2xf32, #all>, tensor<3x2xf32, #sum>)
  %z = tp.redistribute %part : tensor<3x2xf32, #sum> -> tensor<3x2xf32, #all>
  return %z : tensor<3x2xf32, #all>
}

// -----

// Reads and writes at computed places: what lies in another rank's chunk counts as zero, or is dropped. A scan stays
// within a rank.
#rows = #tp.placement<@mesh, [tp: S(0)]>
#columns = #tp.placement<@mesh, [tp: S(1)]>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
#at = affine_map<(t, j)[i] -> (i, j)>
#first = affine_map<(t, j) -> (t)>
tp.mesh @mesh ["tp" = 2]
// expected-remark @+1 {{simulated @computed_places on 2 ranks: 10 operations agree}}
func.func @computed_places(%table: tensor<5x2xf32, #rows>, %ids: tensor<3xi32, #all>, %own: tensor<3xi32, #rows>) -> tensor<5x2xf32, #all> {
  %zero = arith.constant 0.0 : f32
  %0 = tp.gather %table[%ids] maps [#at, #first] : (tensor<5x2xf32, #rows>, tensor<3xi32, #all>) -> tensor<3x2xf32, #sum>
  %1 = tp.reduce_scatter %0 over ["tp"] by "sum" : (tensor<3x2xf32, #sum>) -> tensor<3x2xf32, #rows>
  %2 = tensor.splat %zero : tensor<5x2xf32, #sum>
  %3 = tp.scatter %1 into %2[%own] maps [#at, #first] : (tensor<3x2xf32, #rows>, tensor<5x2xf32, #sum>, tensor<3xi32, #rows>) -> tensor<5x2xf32, #sum>
  %4 = tp.reduce_scatter %3 over ["tp"] by "sum" : (tensor<5x2xf32, #sum>) -> tensor<5x2xf32, #columns>
  %5 = tp.cumsum %4 dim 0 reverse : tensor<5x2xf32, #columns>
  %6 = tp.all_to_all %5 over ["tp"] : (tensor<5x2xf32, #columns>) -> tensor<5x2xf32, #rows>
  %7 = tp.all_gather %1 over ["tp"] : (tensor<3x2xf32, #rows>) -> tensor<3x2xf32, #all>
  %8 = tp.scatter %7 into %6[%ids] maps [#at, #first] : (tensor<3x2xf32, #all>, tensor<5x2xf32, #rows>, tensor<3xi32, #all>) -> tensor<5x2xf32, #rows>
  %9 = tp.all_gather %8 over ["tp"] : (tensor<5x2xf32, #rows>) -> tensor<5x2xf32, #all>
  return %9 : tensor<5x2xf32, #all>
}

// -----

// From one kind of partial to another: through the value.
#max = #tp.placement<@mesh, [tp: P(max)]>
#sum = #tp.placement<@mesh, [dp: P(sum), tp: P(sum)]>
tp.mesh @mesh ["dp" = 2, "tp" = 2]
// expected-remark @+1 {{simulated @another_kind_of_partial on 4 ranks: 1 operations agree}}
func.func @another_kind_of_partial(%x: tensor<5xf32, #max>) -> tensor<5xf32, #sum> {
  %y = tp.redistribute %x : tensor<5xf32, #max> -> tensor<5xf32, #sum>
  return %y : tensor<5xf32, #sum>
}

// -----

// Behind the plan stage operations may fetch themselves what a rank lacks.
#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
// expected-remark @+1 {{simulated @slice_that_fetches_a_row on 2 ranks: 1 operations agree}}
func.func @slice_that_fetches_a_row(%x: tensor<5x2xf32, #rows>) -> tensor<3x2xf32, #rows> {
  %y = tensor.extract_slice %x[2, 0] [3, 2] [1, 1] : tensor<5x2xf32, #rows> to tensor<3x2xf32, #rows>
  return %y : tensor<3x2xf32, #rows>
}
