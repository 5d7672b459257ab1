// All collectives, one tensor and several, before and after partition.
// RUN: tpc-opt %s | tpc-opt | FileCheck %s

#all = #tp.placement<@mesh, []>
#part = #tp.placement<@mesh, [tp: P(sum)]>
#highest = #tp.placement<@mesh, [tp: P(max)]>
#rows = #tp.placement<@mesh, [tp: S(0)]>
#cols = #tp.placement<@mesh, [tp: S(1)]>
#outer = #tp.placement<@mesh, [dp: S(0), tp: S(0)]>
#inner = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>
#both = #tp.placement<@mesh, [dp: P(sum), tp: P(sum)]>
tp.mesh @mesh ["dp" = 2, "tp" = 2]

// CHECK-LABEL: func.func @before_partition
// CHECK: tp.slice %{{.*}} over ["tp"] : (tensor<8x4xf32, #R>) -> tensor<8x4xf32, #S0_tp>
// CHECK: tp.to_partial %{{.*}} over ["tp"] by "max" : (tensor<8x4xf32, #R>) -> tensor<8x4xf32, #Pmax_tp>
// CHECK: tp.all_reduce %{{.*}} over ["tp"] by "max" : (tensor<8x4xf32, #Pmax_tp>) -> tensor<8x4xf32, #R>
// CHECK: tp.reduce_scatter %{{.*}} over ["tp"] by "sum" : (tensor<8x4xf32, #Psum_tp>) -> tensor<8x4xf32, #S0_tp>
// CHECK: tp.all_gather %{{.*}} over ["tp"] : (tensor<8x4xf32, #S0_tp>) -> tensor<8x4xf32, #R>
// CHECK: tp.all_to_all %{{.*}} over ["tp"] : (tensor<8x4xf32, #S0_tp>) -> tensor<8x4xf32, #S1_tp>
// CHECK: tp.permute %{{.*}} over ["dp", "tp"] : (tensor<8x4xf32, #S0_tp_S0_dp>) -> tensor<8x4xf32, #S0_dp_S0_tp>
// CHECK: tp.send_recv %{{.*}} over ["dp", "tp"] : (tensor<8x4xf32, #S0_tp_S0_dp>) -> tensor<8x4xf32, #S1_tp>
func.func @before_partition(%all: tensor<8x4xf32, #all>, %part: tensor<8x4xf32, #part>,
                            %rows: tensor<8x4xf32, #rows>, %inner: tensor<8x4xf32, #inner>) {
  %0 = tp.slice %all over ["tp"] : (tensor<8x4xf32, #all>) -> tensor<8x4xf32, #rows>
  %1 = tp.to_partial %all over ["tp"] by "max" : (tensor<8x4xf32, #all>) -> tensor<8x4xf32, #highest>
  %2 = tp.all_reduce %1 over ["tp"] by "max" : (tensor<8x4xf32, #highest>) -> tensor<8x4xf32, #all>
  %3 = tp.reduce_scatter %part over ["tp"] by "sum" : (tensor<8x4xf32, #part>) -> tensor<8x4xf32, #rows>
  %4 = tp.all_gather %rows over ["tp"] : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #all>
  %5 = tp.all_to_all %rows over ["tp"] : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #cols>
  %6 = tp.permute %inner over ["dp", "tp"] : (tensor<8x4xf32, #inner>) -> tensor<8x4xf32, #outer>
  %7 = tp.send_recv %inner over ["dp", "tp"] : (tensor<8x4xf32, #inner>) -> tensor<8x4xf32, #cols>
  return
}

// CHECK-LABEL: func.func @several_axes
// CHECK: tp.all_reduce %{{.*}} over ["dp", "tp"] by "sum"
// CHECK: tp.all_gather %{{.*}} over ["dp", "tp"]
func.func @several_axes(%both: tensor<8x4xf32, #both>, %outer: tensor<8x4xf32, #outer>) {
  %0 = tp.all_reduce %both over ["dp", "tp"] by "sum" : (tensor<8x4xf32, #both>) -> tensor<8x4xf32, #all>
  %1 = tp.all_gather %outer over ["dp", "tp"] : (tensor<8x4xf32, #outer>) -> tensor<8x4xf32, #all>
  return
}

// CHECK-LABEL: func.func @a_bucket
// CHECK: tp.all_reduce %{{.*}}, %{{.*}} over ["tp"] by "sum" {tp.phase = "backward"} : (tensor<8x4xf32, #Psum_tp>, tensor<3xf64, #Psum_tp>) -> (tensor<8x4xf32, #R>, tensor<3xf64, #R>)
func.func @a_bucket(%x: tensor<8x4xf32, #part>, %y: tensor<3xf64, #part>) {
  %0:2 = tp.all_reduce %x, %y over ["tp"] by "sum" {tp.phase = "backward"}
      : (tensor<8x4xf32, #part>, tensor<3xf64, #part>) -> (tensor<8x4xf32, #all>, tensor<3xf64, #all>)
  return
}

// A send_recv may do what a cheaper collective could.
// CHECK-LABEL: func.func @send_recv_as_a_gather
// CHECK: tp.send_recv
func.func @send_recv_as_a_gather(%rows: tensor<8x4xf32, #rows>) {
  %0 = tp.send_recv %rows over ["tp"] : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #all>
  return
}

// Local buffers have the size of the largest chunk: 5 rows over 2 ranks are 3.
// CHECK-LABEL: func.func @after_partition
// CHECK: tp.all_gather %{{.*}} over ["tp"] parts [#tp.part<tensor<5x4xf32>, #S0_tp, #R>] : (tensor<3x4xf32>) -> tensor<5x4xf32>
// CHECK: tp.reduce_scatter %{{.*}} over ["tp"] by "sum" parts [#tp.part<tensor<5x4xf32>, #Psum_tp, #S0_tp>, #tp.part<tensor<2xf32>, #Psum_tp, #S0_tp>] : (tensor<5x4xf32>, tensor<2xf32>) -> (tensor<3x4xf32>, tensor<1xf32>)
func.func @after_partition(%x: tensor<3x4xf32>, %y: tensor<2xf32>) {
  %0 = tp.all_gather %x over ["tp"] parts [#tp.part<tensor<5x4xf32>, #rows, #all>] : (tensor<3x4xf32>) -> tensor<5x4xf32>
  %1:2 = tp.reduce_scatter %0, %y over ["tp"] by "sum"
      parts [#tp.part<tensor<5x4xf32>, #part, #rows>, #tp.part<tensor<2xf32>, #part, #rows>]
      : (tensor<5x4xf32>, tensor<2xf32>) -> (tensor<3x4xf32>, tensor<1xf32>)
  return
}
