// Gathers move in front of elementwise operations, and scatters of one element into each slice of a fill become
// elementwise operations; reshapes do not stand in between.
// RUN: tpc-opt %s --tp-fuse-lookups --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Only what is looked at is computed, 0 where the index is out of range.
// CHECK-DAG: #[[$PLACE:.+]] = affine_map<(d0)[s0] -> (d0, s0)>
// CHECK-LABEL: func.func @gather_of_elementwise
// CHECK-SAME: %[[X:.+]]: tensor<4x50xf32>, %[[M:.+]]: tensor<4xf32>, %[[I:.+]]: tensor<4xi64>
// CHECK: %[[G:.+]] = tp.gather %[[X]][%[[I]]] maps [#[[$PLACE]], {{.*}}] : (tensor<4x50xf32>, tensor<4xi64>) -> tensor<4xf32>
// CHECK: linalg.generic {{.*}} ins(%[[G]], %[[M]], %[[I]] :
// CHECK: arith.subf
// CHECK: math.exp
// CHECK: arith.cmpi sge
// CHECK: arith.cmpi slt
// CHECK: arith.select
// CHECK-NOT: linalg.generic
func.func @gather_of_elementwise(%x: tensor<4x50xf32>, %m: tensor<4xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x50xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<4x50xf32>, tensor<4xf32>) outs(%e : tensor<4x50xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.subf %p, %q : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x50xf32>
  %3 = tp.gather %0[%i] maps [affine_map<(r)[c] -> (r, c)>, affine_map<(r) -> (r)>] : (tensor<4x50xf32>, tensor<4xi64>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A gather of as many elements as there are would compute no less.
// CHECK-LABEL: func.func @gather_of_all
// CHECK: linalg.generic
// CHECK: tp.gather %{{.*}} : (tensor<4x5xf32>, tensor<4xi64>)
func.func @gather_of_all(%x: tensor<4x5xf32>, %i: tensor<4xi64>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = math.exp %p : f32
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  %2 = tp.gather %0[%i] maps [affine_map<(r, c)[s] -> (s, c)>, affine_map<(r, c) -> (r)>] : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<4x5xf32>
  return %2 : tensor<4x5xf32>
}

// -----

// CHECK-DAG: #[[$WIDE:.+]] = affine_map<(d0, d1)[s0] -> (d0, d1, s0)>
// CHECK-LABEL: func.func @gather_of_collapse
// CHECK-SAME: %[[X:.+]]: tensor<2x3x50xf32>, %[[I:.+]]: tensor<6xi32>
// CHECK: %[[J:.+]] = tensor.expand_shape %[[I]] {{\[\[}}0, 1]] output_shape [2, 3]
// CHECK: %[[G:.+]] = tp.gather %[[X]][%[[J]]] maps [#[[$WIDE]], {{.*}}] : (tensor<2x3x50xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
// CHECK: tensor.collapse_shape %[[G]]
func.func @gather_of_collapse(%x: tensor<2x3x50xf32>, %i: tensor<6xi32>) -> tensor<6xf32> {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x50xf32> into tensor<6x50xf32>
  %1 = tp.gather %0[%i] maps [affine_map<(r)[c] -> (r, c)>, affine_map<(r) -> (r)>] : (tensor<6x50xf32>, tensor<6xi32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// -----

// The dim that is read through an index stays as it is.
// CHECK-LABEL: func.func @gather_along_joined_dims
// CHECK: tensor.collapse_shape
// CHECK: tp.gather
func.func @gather_along_joined_dims(%x: tensor<2x3x50xf32>, %i: tensor<4xi32>) -> tensor<4x50xf32> {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x50xf32> into tensor<6x50xf32>
  %1 = tp.gather %0[%i] maps [affine_map<(r, c)[s] -> (s, c)>, affine_map<(r, c) -> (r)>] : (tensor<6x50xf32>, tensor<4xi32>) -> tensor<4x50xf32>
  return %1 : tensor<4x50xf32>
}

// -----

// An i8 reaches fewer places than there are: both are compared as numbers of any size.
// CHECK-LABEL: func.func @scatter_into_fill
// CHECK-NOT: tp.scatter
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xi8>)
// CHECK: %[[J:.+]] = linalg.index 1 : index
// CHECK: %[[I:.+]] = arith.index_cast %{{.*}} : i8 to index
// CHECK: arith.cmpi eq, %[[J]], %[[I]] : index
// CHECK: arith.addf
// CHECK: arith.select
func.func @scatter_into_fill(%v: tensor<4xf32>, %i: tensor<4xi8>) -> tensor<4x500xf32> {
  %c = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4x500xf32>
  %0 = linalg.fill ins(%c : f32) outs(%e : tensor<4x500xf32>) -> tensor<4x500xf32>
  %1 = tp.scatter %v into %0[%i] maps [affine_map<(r)[c] -> (r, c)>, affine_map<(r) -> (r)>] : (tensor<4xf32>, tensor<4x500xf32>, tensor<4xi8>) -> tensor<4x500xf32>
  return %1 : tensor<4x500xf32>
}

// -----

// Several updates may go to one slice: the gradient of an embedding.
// CHECK-LABEL: func.func @several_updates
// CHECK: tp.scatter
func.func @several_updates(%v: tensor<7x4xf32>, %i: tensor<7xi64>) -> tensor<9x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x4xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<9x4xf32>) -> tensor<9x4xf32>
  %1 = tp.scatter %v into %0[%i] maps [affine_map<(t, j)[s] -> (s, j)>, affine_map<(t, j) -> (t)>] : (tensor<7x4xf32>, tensor<9x4xf32>, tensor<7xi64>) -> tensor<9x4xf32>
  return %1 : tensor<9x4xf32>
}

// -----

// A scatter into a tensor touches few of its elements.
// CHECK-LABEL: func.func @scatter_into_tensor
// CHECK: tp.scatter
func.func @scatter_into_tensor(%v: tensor<4xf32>, %x: tensor<4x50xf32>, %i: tensor<4xi64>) -> tensor<4x50xf32> {
  %0 = tp.scatter %v into %x[%i] maps [affine_map<(r)[c] -> (r, c)>, affine_map<(r) -> (r)>] : (tensor<4xf32>, tensor<4x50xf32>, tensor<4xi64>) -> tensor<4x50xf32>
  return %0 : tensor<4x50xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The sum of each slice is what was added to it, if anything was.
// CHECK-LABEL: func.func @sum_of_scatter
// CHECK-SAME: %[[V:.+]]: tensor<4xf32>, %[[I:.+]]: tensor<4xi64>, %[[S:.+]]: tensor<4xf32>
// CHECK-NOT: tensor<4x50xf32>
// CHECK: linalg.generic {{.*}} ins(%[[V]], %[[I]] : tensor<4xf32>, tensor<4xi64>) outs(%[[S]] : tensor<4xf32>)
// CHECK: arith.negf
// CHECK: arith.addf
// CHECK: arith.cmpi sge
// CHECK: arith.cmpi slt
// CHECK: arith.select
// CHECK: return
func.func @sum_of_scatter(%v: tensor<4xf32>, %i: tensor<4xi64>, %start: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x50xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<4x50xf32>) -> tensor<4x50xf32>
  %1 = tp.scatter %v into %0[%i] maps [affine_map<(r)[c] -> (r, c)>, affine_map<(r) -> (r)>] : (tensor<4xf32>, tensor<4x50xf32>, tensor<4xi64>) -> tensor<4x50xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<4x50xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %3 = arith.negf %p : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Along the other dim, and of squares, it is not.
// CHECK-LABEL: func.func @other_sums
// CHECK-COUNT-2: iterator_types = [{{.*}}"reduction"{{.*}}]
func.func @other_sums(%v: tensor<4xf32>, %i: tensor<4xi64>, %start: tensor<50xf32>, %rows: tensor<4xf32>) -> (tensor<50xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x50xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<4x50xf32>) -> tensor<4x50xf32>
  %1 = tp.scatter %v into %0[%i] maps [affine_map<(r)[c] -> (r, c)>, affine_map<(r) -> (r)>] : (tensor<4xf32>, tensor<4x50xf32>, tensor<4xi64>) -> tensor<4x50xf32>
  %2 = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%1 : tensor<4x50xf32>) outs(%start : tensor<50xf32>) {
  ^bb0(%p: f32, %o: f32):
    %3 = arith.addf %o, %p : f32
    linalg.yield %3 : f32
  } -> tensor<50xf32>
  %4 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<4x50xf32>) outs(%rows : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %5 = arith.mulf %p, %p : f32
    %6 = arith.addf %o, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<4xf32>
  return %2, %4 : tensor<50xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @expanded_scatter
// CHECK-NOT: tp.scatter
// CHECK-NOT: tensor<6x50xf32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3x50xf32>)
// CHECK: linalg.index 2
func.func @expanded_scatter(%v: tensor<6xf32>, %i: tensor<6xi64>) -> tensor<2x3x50xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x50xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<6x50xf32>) -> tensor<6x50xf32>
  %1 = tp.scatter %v into %0[%i] maps [affine_map<(r)[c] -> (r, c)>, affine_map<(r) -> (r)>] : (tensor<6xf32>, tensor<6x50xf32>, tensor<6xi64>) -> tensor<6x50xf32>
  %2 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [2, 3, 50] : tensor<6x50xf32> into tensor<2x3x50xf32>
  return %2 : tensor<2x3x50xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A number that upstream would give as an affine map keeps its loop whole.
// CHECK-LABEL: func.func @index_of_joined_loop
// CHECK: tensor.collapse_shape
// CHECK: linalg.index 0
// CHECK-NOT: affine.apply
func.func @index_of_joined_loop(%x: tensor<2x3x5xi64>) -> tensor<6x5xi64> {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x5xi64> into tensor<6x5xi64>
  %e = tensor.empty() : tensor<6x5xi64>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<6x5xi64>) outs(%e : tensor<6x5xi64>) {
  ^bb0(%p: i64, %o: i64):
    %2 = linalg.index 0 : index
    %3 = arith.index_cast %2 : index to i64
    %4 = arith.addi %p, %3 : i64
    linalg.yield %4 : i64
  } -> tensor<6x5xi64>
  return %1 : tensor<6x5xi64>
}

// -----

// A sum that keeps a dim of one element stays.
// CHECK-LABEL: func.func @sum_with_unit_dim
// CHECK: iterator_types = ["parallel", "reduction"]
func.func @sum_with_unit_dim(%v: tensor<4xf32>, %i: tensor<4xi64>) -> tensor<4x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x50xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<4x50xf32>) -> tensor<4x50xf32>
  %1 = tp.scatter %v into %0[%i] maps [affine_map<(r)[c] -> (r, c)>, affine_map<(r) -> (r)>] : (tensor<4xf32>, tensor<4x50xf32>, tensor<4xi64>) -> tensor<4x50xf32>
  %e1 = tensor.empty() : tensor<4x1xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x1xf32>) -> tensor<4x1xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, 0)>], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<4x50xf32>) outs(%z1 : tensor<4x1xf32>) {
  ^bb0(%x: f32, %o: f32):
    %2 = arith.addf %o, %x : f32
    linalg.yield %2 : f32
  } -> tensor<4x1xf32>
  return %s : tensor<4x1xf32>
}
