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
// CHECK-SAME: kind = "point", launches = 2 : i64, least_read_bytes = 4100 : i64, least_write_bytes = 4100 : i64, read_bytes = 4100 : i64, write_bytes = 4100 : i64
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

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// A softmax is one kernel. A row is read once, the sums are joined by shuffles
// and through shared memory, the exponentials and both sums never leave it, and
// the quotients are written once. What is in shared memory alone has no place in
// the workspace and is no parameter.
// CHECK-LABEL: llvm.func @tpc_fn_softmax
// CHECK-SAME: tp.workspace_bytes = 0 : i64
// CHECK-COUNT-1: llvm.call @tpc_rt_kernel
// CHECK-NOT: llvm.call @tpc_rt_kernel
// CHECK: llvm.mlir.global internal @tpc_kernel_0_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<2192 x i8>
// CHECK: gpu.func @tpc_kernel_0(%[[X:[^ ]*]]: !llvm.ptr {llvm.noalias, llvm.readonly}, %[[OUT:[^ ]*]]: !llvm.ptr {llvm.noalias}) kernel
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 256, 1, 1>
// CHECK-SAME: kind = "row", launches = 1 : i64, least_read_bytes = 524288 : i64, least_write_bytes = 524288 : i64, read_bytes = 524288 : i64, write_bytes = 524288 : i64
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: gpu.shuffle xor {{.*}} : f32
// CHECK: gpu.barrier
// CHECK: math.exp
// CHECK: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK-NOT: : !llvm.ptr ->
// CHECK: gpu.barrier
// CHECK: arith.divf
// CHECK-COUNT-1: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr{{$}}
// CHECK-NOT: !llvm.ptr{{$}}
// CHECK: gpu.return
func.func @softmax(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<256x512xf32>
  %r = tensor.empty() : tensor<256xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%r : tensor<256xf32>) -> tensor<256xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<256x512xf32>) outs(%f0 : tensor<256xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.maximumf %p, %o : f32
    linalg.yield %1 : f32
  } -> tensor<256xf32>
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %max : tensor<256x512xf32>, tensor<256xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.subf %p, %q : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<256x512xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%r : tensor<256xf32>) -> tensor<256xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%exp : tensor<256x512xf32>) outs(%f1 : tensor<256xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.addf %o, %p : f32
    linalg.yield %1 : f32
  } -> tensor<256xf32>
  %out = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%exp, %sum : tensor<256x512xf32>, tensor<256xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.divf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<256x512xf32>
  return %out : tensor<256x512xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Rows that take more than 48 KiB get their shared memory at the launch; the
// block is alone on its processor and has all threads that it can have.
// CHECK: llvm.mlir.global external @tpc_kernel_0_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// CHECK: gpu.func @tpc_kernel_0
// CHECK-SAME: known_block_size = array<i32: 1024, 1, 1>
// CHECK-SAME: least_read_bytes = 4194304 : i64, least_write_bytes = 4194304 : i64, read_bytes = 4194304 : i64, shared_bytes = 131344 : i64, write_bytes = 4194304 : i64
// CHECK: llvm.mlir.addressof @tpc_kernel_0_shared : !llvm.ptr<3>
func.func @long_rows(%x: tensor<32x32768xf32>) -> tensor<32x32768xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32768xf32>
  %r = tensor.empty() : tensor<32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<32xf32>) -> tensor<32xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<32x32768xf32>) outs(%f : tensor<32xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.addf %o, %p : f32
    linalg.yield %1 : f32
  } -> tensor<32xf32>
  %out = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<32x32768xf32>, tensor<32xf32>) outs(%e : tensor<32x32768xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.divf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<32x32768xf32>
  return %out : tensor<32x32768xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Two sums over the columns of one tensor: threads run along the columns, so
// that the rows of a block are no rows of a common kernel. Sums of bf16 are
// carried in f32 and rounded once.
// CHECK-LABEL: llvm.func @tpc_fn_columns
// CHECK-COUNT-2: llvm.call @tpc_rt_kernel
// CHECK: gpu.func @tpc_kernel_0
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 4, 1, 1>
// CHECK-SAME: kind = "column"
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (f32)
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK: arith.addf {{.*}} : f32
// CHECK-NOT: arith.truncf
// CHECK: gpu.barrier
// CHECK-COUNT-15: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: arith.truncf {{.*}} : f32 to bf16
func.func @columns(%x: tensor<256x100xbf16>, %a: tensor<100xbf16>) -> (tensor<100xbf16>, tensor<100xbf16>) {
  %0 = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<256x100xbf16>) outs(%a : tensor<100xbf16>) {
  ^bb0(%p: bf16, %o: bf16):
    %2 = arith.addf %o, %p : bf16
    linalg.yield %2 : bf16
  } -> tensor<100xbf16>
  %1 = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<256x100xbf16>) outs(%a : tensor<100xbf16>) {
  ^bb0(%p: bf16, %o: bf16):
    %2 = arith.maximumf %o, %p : bf16
    linalg.yield %2 : bf16
  } -> tensor<100xbf16>
  return %0, %1 : tensor<100xbf16>, tensor<100xbf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// An operand that lies across goes through a tile of 32 padded rows.
// CHECK: llvm.mlir.global internal @tpc_kernel_0_shared() {{.*}} : !llvm.array<4224 x i8>
// CHECK: gpu.func @tpc_kernel_0
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 8, 1, 1>
// CHECK-SAME: kind = "transpose"
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr{{$}}
func.func @transposed(%x: tensor<64x100xf32>, %y: tensor<100x64xf32>) -> tensor<100x64xf32> {
  %e = tensor.empty() : tensor<100x64xf32>
  %0 = linalg.generic {indexing_maps = [#turned, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<64x100xf32>, tensor<100x64xf32>) outs(%e : tensor<100x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.addf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<100x64xf32>
  return %0 : tensor<100x64xf32>
}

// -----

// Where the best element is cannot be joined by one operation, and what is there
// at first may have any number: a thread per result goes through all points in
// order.
// CHECK: gpu.func @tpc_kernel_0
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>
// CHECK-SAME: kind = "result"
// CHECK-NOT: gpu.shuffle
// CHECK: scf.for {{.*}} -> (f32, i64)
func.func @largest(%x: tensor<40x64xf32>, %a: tensor<40xf32>, %b: tensor<40xi64>) -> (tensor<40xf32>, tensor<40xi64>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<40x64xf32>) outs(%a, %b : tensor<40xf32>, tensor<40xi64>) {
  ^bb0(%p: f32, %o: f32, %q: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %p, %o : f32
    %v = arith.select %c, %p, %o : f32
    %w = arith.select %c, %j, %q : i64
    linalg.yield %v, %w : f32, i64
  } -> (tensor<40xf32>, tensor<40xi64>)
  return %0#0, %0#1 : tensor<40xf32>, tensor<40xi64>
}

// -----

// From number 0 on, threads share a row and join pairs: the earlier one is
// carried, the other a point's own.
// CHECK: gpu.func @tpc_kernel_0
// CHECK-SAME: kind = "row"
// CHECK: scf.for {{.*}} -> (f32, i64)
// CHECK: gpu.shuffle xor {{.*}} : f32
// CHECK: gpu.shuffle xor {{.*}} : i32
// CHECK: gpu.shuffle xor {{.*}} : i32
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, {{.*}} : i64
// CHECK: arith.select %[[FIRST]], {{.*}} : f32
// CHECK: arith.cmpf ogt
func.func @largest_of_rows(%x: tensor<40x64xf32>) -> (tensor<40xf32>, tensor<40xi64>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<40xf32>
  %f = tensor.empty() : tensor<40xi64>
  %a = linalg.fill ins(%low : f32) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %b = linalg.fill ins(%zero : i64) outs(%f : tensor<40xi64>) -> tensor<40xi64>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<40x64xf32>) outs(%a, %b : tensor<40xf32>, tensor<40xi64>) {
  ^bb0(%p: f32, %o: f32, %q: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %p, %o : f32
    %v = arith.select %c, %p, %o : f32
    %w = arith.select %c, %j, %q : i64
    linalg.yield %v, %w : f32, i64
  } -> (tensor<40xf32>, tensor<40xi64>)
  return %0#0, %0#1 : tensor<40xf32>, tensor<40xi64>
}

// -----

// The greatest value of this body may be a NaN that is not where the number
// says: that depends on what came before, and is not shared.
// CHECK: gpu.func @tpc_kernel_0
// CHECK-SAME: kind = "result"
func.func @mixed(%x: tensor<40x64xf32>) -> (tensor<40xf32>, tensor<40xi64>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<40xf32>
  %f = tensor.empty() : tensor<40xi64>
  %a = linalg.fill ins(%low : f32) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %b = linalg.fill ins(%zero : i64) outs(%f : tensor<40xi64>) -> tensor<40xi64>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<40x64xf32>) outs(%a, %b : tensor<40xf32>, tensor<40xi64>) {
  ^bb0(%p: f32, %o: f32, %q: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %p, %o : f32
    %v = arith.maximumf %p, %o : f32
    %w = arith.select %c, %j, %q : i64
    linalg.yield %v, %w : f32, i64
  } -> (tensor<40xf32>, tensor<40xi64>)
  return %0#0, %0#1 : tensor<40xf32>, tensor<40xi64>
}

// -----

// More than 2^31 elements: addresses have 64 bits, as has what they are computed
// from. A launch has more blocks than 65535.
// CHECK: gpu.func @tpc_kernel_0
// CHECK-SAME: known_grid_size = array<i32: 1196290, 1, 1>
// CHECK: arith.index_cast {{.*}} : index to i64
// CHECK: arith.muli {{.*}} overflow<nsw> : i64
// CHECK-NOT: : i32 to i64
// CHECK: llvm.getelementptr inbounds {{.*}} : (!llvm.ptr, i64) -> !llvm.ptr
func.func @huge(%x: tensor<70000x70000xi8>) -> tensor<70000x70000xi8> {
  %e = tensor.empty() : tensor<70000x70000xi8>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<70000x70000xi8>) outs(%e : tensor<70000x70000xi8>) {
  ^bb0(%p: i8, %o: i8):
    %1 = arith.addi %p, %p : i8
    linalg.yield %1 : i8
  } -> tensor<70000x70000xi8>
  return %0 : tensor<70000x70000xi8>
}

// -----

// A kernel in a loop is launched once per trip; the first one is a copy.
// CHECK: gpu.func @tpc_kernel_0
// CHECK-SAME: launches = 1
// CHECK: gpu.func @tpc_kernel_1
// CHECK-SAME: launches = 6 : i64
func.func @steps(%x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %eleven = arith.constant 11 : index
  %0 = scf.for %i = %zero to %eleven step %two iter_args(%y = %x) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%y : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%p: f32, %o: f32):
      %2 = math.exp %p : f32
      linalg.yield %2 : f32
    } -> tensor<64xf32>
    scf.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

// Prefix sums: within warps by shuffles, over warps through shared memory.
// CHECK: gpu.func @tpc_kernel_0
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 3, 1, 1>
// CHECK-SAME: kind = "row"
// CHECK-COUNT-5: gpu.shuffle up
// CHECK: gpu.shuffle idx
// CHECK: gpu.barrier
func.func @sums_so_far(%x: tensor<3x2000xf32>) -> tensor<3x2000xf32> {
  %0 = tp.cumsum %x dim 1 : tensor<3x2000xf32>
  return %0 : tensor<3x2000xf32>
}

// -----

// Rows that are looked up are read 16 bytes at a time. A thread adds all that
// goes to one column of its row, in order: there are threads enough for one per
// row and column, and no atomic operation is needed.
// CHECK: gpu.func @tpc_kernel_0
// CHECK-SAME: kind = "point"
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK: gpu.func @tpc_kernel_2
// CHECK-SAME: known_grid_size = array<i32: 25, 1, 1>
// CHECK-SAME: kind = "result"
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK: %[[OWN:.*]] = arith.cmpi ult, {{.*}} : i32
// CHECK: scf.if %[[OWN]]
// CHECK-NOT: atomic
// CHECK: gpu.return
func.func @rows(%table: tensor<50x64xf32>, %ids: tensor<100xi32>) -> (tensor<100x64xf32>, tensor<50x64xf32>) {
  %0 = tp.gather %table[%ids] maps [affine_map<(t, j)[i] -> (i, j)>, affine_map<(t, j) -> (t)>] : (tensor<50x64xf32>, tensor<100xi32>) -> tensor<100x64xf32>
  %1 = tp.scatter %0 into %table[%ids] maps [affine_map<(t, j)[i] -> (i, j)>, affine_map<(t, j) -> (t)>] : (tensor<100x64xf32>, tensor<50x64xf32>, tensor<100xi32>) -> tensor<50x64xf32>
  return %0, %1 : tensor<100x64xf32>, tensor<50x64xf32>
}

// -----

// Host values are parameters behind the pointers; an element that decides a
// branch is copied to the host, which the function says.
// CHECK-LABEL: llvm.func @tpc_fn_chosen
// CHECK-SAME: tp.host_reads
// CHECK: llvm.call @tpc_rt_read(
// CHECK: %[[VALUE:.*]] = llvm.load %{{.*}} -> i32
// CHECK: %[[WIDE:.*]] = llvm.zext %[[VALUE]] : i32 to i64
// CHECK: llvm.store %[[WIDE]]
// CHECK: llvm.call @tpc_rt_kernel
// CHECK: gpu.func @tpc_kernel_0(%{{.*}}: !llvm.ptr {llvm.noalias, llvm.readonly}, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: f32)
func.func @chosen(%x: tensor<64xf32>, %s: tensor<4xf32>) -> tensor<64xf32> {
  %two = arith.constant 2 : index
  %v = tensor.extract %s[%two] : tensor<4xf32>
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.mulf %p, %v : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Constants lie in the memory of the rank, by number; equal ones once.
// CHECK: llvm.mlir.global external constant @tpc_constant_0
// CHECK-SAME: tp.constant = 0 : i64
// CHECK: llvm.call @tpc_rt_constant(%{{.*}}, %
func.func @constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %c : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.addf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// A slice of a stack starts at a multiple of its rows: those of 64 elements are
// aligned for vectors wherever it is, those of 3 are not.
// CHECK-LABEL: llvm.func @tpc_fn_slices
// CHECK: gpu.func @tpc_kernel_0
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK: gpu.func @tpc_kernel_1
// CHECK-NOT: vector<
// CHECK: gpu.return
func.func @slices(%x: tensor<8x64xf32>, %y: tensor<8x3xf32>, %c: tensor<8xi64>) -> (tensor<64xf32>, tensor<12xf32>) {
  %zero = arith.constant 0 : index
  %i = tensor.extract %c[%zero] : tensor<8xi64>
  %at = arith.index_cast %i : i64 to index
  %0 = tensor.extract_slice %x[%at, 0] [1, 64] [1, 1] : tensor<8x64xf32> to tensor<64xf32>
  %1 = tensor.extract_slice %y[%at, 0] [4, 3] [1, 1] : tensor<8x3xf32> to tensor<4x3xf32>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
  return %0, %2 : tensor<64xf32>, tensor<12xf32>
}

// -----

// What is empty is not launched.
// CHECK-LABEL: llvm.func @tpc_fn_nothing
// CHECK-NOT: tpc_rt_kernel
// CHECK-NOT: gpu.module
func.func @nothing(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %e = tensor.empty() : tensor<0x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<0x4xf32>) outs(%e : tensor<0x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.negf %p : f32
    linalg.yield %1 : f32
  } -> tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}
