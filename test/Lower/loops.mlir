// Loops and branches in the host function: one loop in its text however often it runs, and no copy of a carried tensor that is updated in place.
// RUN: tpc-opt %s --tp-lower-to-runtime --split-input-file | FileCheck %s

#vec = affine_map<(d0) -> (d0)>

// An accumulator: the argument is copied before the loop, as it may not be written; the body is one launch, which adds in place, in the result's memory.
// CHECK-LABEL: llvm.func @tpc_fn_accumulate
// CHECK-SAME: tp.workspace_bytes = 0 : i64
// CHECK: llvm.call @tpc_rt_launch
// CHECK: %[[START:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: llvm.store %[[START]], %{{.*}} : i64, !llvm.ptr
// CHECK: llvm.br ^[[HEADER:bb[0-9]+]]
// CHECK: ^[[HEADER]]:
// CHECK: %[[I:.*]] = llvm.load
// CHECK: %[[END:.*]] = llvm.mlir.constant(1000 : i64)
// CHECK: %[[INSIDE:.*]] = llvm.icmp "slt" %[[I]], %[[END]]
// CHECK: llvm.cond_br %[[INSIDE]], ^[[BODY:bb[0-9]+]], ^[[EXIT:bb[0-9]+]]
// CHECK: ^[[BODY]]:
// CHECK: %[[CODE:.*]] = llvm.call @tpc_rt_launch
// CHECK: llvm.cond_br %{{.*}}, ^[[FAILURE:bb[0-9]+]](%[[CODE]] : i32)
// CHECK-NOT: llvm.call
// CHECK: llvm.add
// CHECK: llvm.br ^[[HEADER]]
// CHECK: ^[[EXIT]]:
// CHECK-NOT: llvm.call
// CHECK: ^[[FAILURE]](%{{.*}}: i32):
func.func @accumulate(%x: tensor<64xf32>, %g: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  %e = tensor.empty() : tensor<64xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<64xf32>) {
    %1 = linalg.generic {indexing_maps = [#vec, #vec, #vec], iterator_types = ["parallel"]} ins(%acc, %g : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %2 = arith.addf %p, %q : f32
      linalg.yield %2 : f32
    } -> tensor<64xf32>
    scf.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

// A stack: each iteration writes its row at an offset that the host computes and keeps inside of the tensor. Nothing but rows is moved, and the stack is the result's memory, which needs no start.
// CHECK-LABEL: llvm.func @tpc_fn_stack
// CHECK-SAME: tp.workspace_bytes = 0 : i64
// CHECK: llvm.cond_br
// CHECK: %[[LEAST:.*]] = arith.maxsi
// CHECK: %[[LAST:.*]] = llvm.mlir.constant(4 : i64)
// CHECK: arith.minsi %[[LEAST]], %[[LAST]]
// CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-COUNT-1: llvm.call @tpc_rt_launch
// CHECK-NOT: llvm.call @tpc_rt_launch
// CHECK: llvm.return
// The kernel knows that the row may begin anywhere and the source does not.
// CHECK-LABEL: llvm.func internal @tpc_kernel_0_body
// CHECK-SAME: (%{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias, llvm.readonly}, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %{{.*}}: i64)
func.func @stack(%x: tensor<3xf32>) -> tensor<5x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<5x3xf32>
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%stack = %e) -> (tensor<5x3xf32>) {
    %1 = tensor.insert_slice %x into %stack[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<5x3xf32>
    scf.yield %1 : tensor<5x3xf32>
  }
  return %0 : tensor<5x3xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A product that adds to what is carried does so in place; the loop starts from zero, which is written where the result lies.
// CHECK-LABEL: llvm.func @tpc_fn_products
// CHECK-SAME: tp.workspace_bytes = 0 : i64
// CHECK-COUNT-1: llvm.call @tpc_rt_launch
// CHECK-NOT: llvm.call @tpc_rt_launch
// CHECK: llvm.call @tpc_rt_matmul
// CHECK-NOT: llvm.call
// CHECK: llvm.return
func.func @products(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %f) -> (tensor<32x32xf32>) {
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : tensor<32x32xf32>, tensor<32x32xf32>) outs(%acc : tensor<32x32xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %m = arith.mulf %p, %q : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<32x32xf32>
    scf.yield %1 : tensor<32x32xf32>
  }
  return %0 : tensor<32x32xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A product of what is carried cannot be written over it, but what follows can: one more buffer, no copy.
// CHECK-LABEL: llvm.func @tpc_fn_layers
// CHECK-SAME: tp.workspace_bytes = 4096 : i64
// CHECK: llvm.call @tpc_rt_launch
// CHECK: llvm.call @tpc_rt_matmul
// CHECK: llvm.call @tpc_rt_launch
// CHECK-NOT: llvm.call
// CHECK: llvm.return
func.func @layers(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %x) -> (tensor<32x32xf32>) {
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h, %x : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %m = arith.mulf %p, %q : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<32x32xf32>
    %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
    ^bb0(%p: f32, %o: f32):
      %t = math.tanh %p : f32
      linalg.yield %t : f32
    } -> tensor<32x32xf32>
    scf.yield %2 : tensor<32x32xf32>
  }
  return %0 : tensor<32x32xf32>
}

// -----

// Two tensors that change places need a third for one of them.
// CHECK-LABEL: llvm.func @tpc_fn_swap
// CHECK-SAME: tp.workspace_bytes = 64 : i64
// CHECK-COUNT-2: llvm.call @tpc_rt_launch
// CHECK: llvm.icmp "slt"
// CHECK-COUNT-3: llvm.call @tpc_rt_launch
// CHECK-NOT: llvm.call @tpc_rt_launch
// CHECK: llvm.return
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The induction variable and what the host makes of it lie where kernels can read them.
// CHECK-LABEL: llvm.func @tpc_fn_index
// CHECK: %[[FRAME:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: llvm.icmp "slt"
// CHECK: arith.muli
// CHECK: llvm.store
// CHECK: llvm.getelementptr %[[FRAME]]
// CHECK: llvm.call @tpc_rt_launch
func.func @index(%x: tensor<4xi64>) -> tensor<4xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<4xi64>
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> (tensor<4xi64>) {
    %j = arith.muli %i, %c3 : index
    %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<4xi64>) outs(%e : tensor<4xi64>) {
    ^bb0(%p: i64, %o: i64):
      %k = arith.index_cast %j : index to i64
      %s = arith.addi %p, %k : i64
      linalg.yield %s : i64
    } -> tensor<4xi64>
    scf.yield %1 : tensor<4xi64>
  }
  return %0 : tensor<4xi64>
}

// -----

// A branch on an element: the host reads it, and both parts end in the result's buffer; the one that computes does so in place.
// CHECK-LABEL: llvm.func @tpc_fn_branch
// CHECK-SAME: tp.workspace_bytes = 0 : i64
// CHECK: %[[BYTE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK: %[[CONDITION:.*]] = arith.trunci %[[BYTE]] : i8 to i1
// CHECK: llvm.cond_br %[[CONDITION]], ^[[THEN:bb[0-9]+]], ^[[ELSE:bb[0-9]+]]
// CHECK: ^[[THEN]]:
// CHECK-COUNT-1: llvm.call @tpc_rt_launch
// CHECK: llvm.br ^[[EXIT:bb[0-9]+]]
// CHECK: ^[[ELSE]]:
// CHECK-COUNT-1: llvm.call @tpc_rt_launch
// CHECK: llvm.br ^[[EXIT]]
// CHECK-NOT: llvm.call
// CHECK: llvm.return
func.func @branch(%flag: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tensor.extract %flag[] : tensor<i1>
  %e = tensor.empty() : tensor<4xf32>
  %0 = scf.if %c -> (tensor<4xf32>) {
    %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%p: f32, %o: f32):
      %t = math.tanh %p : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// What a loop uses as memory and does not change is filled before it, once.
// CHECK-LABEL: llvm.func @tpc_fn_filled_outside
// CHECK: llvm.call @tpc_rt_launch
// CHECK: llvm.icmp "slt"
// CHECK: llvm.call @tpc_rt_collective
// CHECK-NOT: llvm.call
// CHECK: llvm.return
#part = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @filled_outside() -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %e) -> (tensor<4xf32>) {
    %1 = tp.all_reduce %f over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #part, #all>] {tp.index = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// An insertion that only some iterations make: the part that inserts nothing has no call.
// CHECK-LABEL: llvm.func @tpc_fn_sometimes
// CHECK-SAME: tp.workspace_bytes = 0 : i64
// CHECK: llvm.icmp "slt"
// CHECK-COUNT-1: llvm.call @tpc_rt_launch
// CHECK-NOT: llvm.call
// CHECK: llvm.return
func.func @sometimes(%flags: tensor<5xi1>, %x: tensor<3xf32>) -> tensor<5x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<5x3xf32>
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%stack = %e) -> (tensor<5x3xf32>) {
    %c = tensor.extract %flags[%i] : tensor<5xi1>
    %1 = scf.if %c -> (tensor<5x3xf32>) {
      %2 = tensor.insert_slice %x into %stack[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<5x3xf32>
      scf.yield %2 : tensor<5x3xf32>
    } else {
      scf.yield %stack : tensor<5x3xf32>
    }
    scf.yield %1 : tensor<5x3xf32>
  }
  return %0 : tensor<5x3xf32>
}

// -----

// What is computed and kept in a stack is one kernel: the row goes to both places.
// CHECK-LABEL: llvm.func @tpc_fn_kept
// CHECK: llvm.icmp "slt"
// CHECK-COUNT-1: llvm.call @tpc_rt_launch
// CHECK-NOT: llvm.call
// CHECK: llvm.return
func.func @kept(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<5x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<64xf32>
  %s = tensor.empty() : tensor<5x64xf32>
  %0:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x, %stack = %s) -> (tensor<64xf32>, tensor<5x64xf32>) {
    %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%p: f32, %o: f32):
      %t = math.tanh %p : f32
      linalg.yield %t : f32
    } -> tensor<64xf32>
    %2 = tensor.insert_slice %1 into %stack[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<5x64xf32>
    scf.yield %1, %2 : tensor<64xf32>, tensor<5x64xf32>
  }
  return %0#0, %0#1 : tensor<64xf32>, tensor<5x64xf32>
}
