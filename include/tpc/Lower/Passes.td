// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the lower stage, in the order in which they run.

#ifndef TPC_LOWER_PASSES_TD
#define TPC_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def NumberCollectivesPass
    : Pass<"tp-number-collectives", "::mlir::ModuleOp"> {
  let summary = "Number the collectives of a module in program order.";
  let description = [{
    Sets `tp.index` on every collective and local step: its place in the
    manifest's list, which compiled code names it by. All ranks run the same
    program, so the numbers agree. Numbers that are there already are kept.

    Requires: a scheduled program. Ensures: `tp.index` on every collective.

    ```mlir
    #part = #tp.placement<@mesh, [tp: P(sum)]>
    #all = #tp.placement<@mesh, []>
    tp.mesh @mesh ["tp" = 2]
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tp.all_reduce %x over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #part, #all>] : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
}

def NarrowContractionsPass
    : Pass<"tp-narrow-contractions", "::mlir::func::FuncOp"> {
  let summary = "Let contractions read 16-bit floats where sums are in f32.";
  let description = [{
    A contraction in f32 whose two operands are widened copies of tensors of one
    16-bit float type reads these instead, and its body widens the elements: the
    products and sums are the same, and a matrix library that multiplies 16-bit
    floats and adds in f32 can do them. Transposes and reshapes between a tensor
    and its copy become part of how the contraction reads it.

    Requires: generics. Ensures: the same values.

    ```mlir
    #id = affine_map<(d0, d1) -> (d0, d1)>
    func.func @f(%a: tensor<32x16xbf16>, %b: tensor<64x16xbf16>, %c: tensor<32x64xf32>) -> tensor<32x64xf32> {
      %ea = tensor.empty() : tensor<32x16xf32>
      %wa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<32x16xbf16>) outs(%ea : tensor<32x16xf32>) {
      ^bb0(%p: bf16, %o: f32):
        %1 = arith.extf %p : bf16 to f32
        linalg.yield %1 : f32
      } -> tensor<32x16xf32>
      %eb = tensor.empty() : tensor<16x64xf32>
      %wb = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<64x16xbf16>) outs(%eb : tensor<16x64xf32>) {
      ^bb0(%p: bf16, %o: f32):
        %1 = arith.extf %p : bf16 to f32
        linalg.yield %1 : f32
      } -> tensor<16x64xf32>
      %0 = linalg.matmul ins(%wa, %wb : tensor<32x16xf32>, tensor<16x64xf32>) outs(%c : tensor<32x64xf32>) -> tensor<32x64xf32>
      return %0 : tensor<32x64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def FuseAttentionPass
    : Pass<"tp-fuse-attention", "::mlir::func::FuncOp"> {
  let summary = "Replace attentions and their gradients by one operation each.";
  let description = [{
    softmax(scale * q k^T) v becomes a tp.attention, and what differentiation
    made of it a tp.attention_grad. An attention is recognised by the values that
    its products get, not by how the softmax is written; the mask may be none or
    causal. It is left as it is when anything else uses scores, probabilities or
    what is computed of them, when they depend on more than the scores (dropout,
    another mask), when the elements are not f16 or bf16, or heads have not a
    multiple of 8 up to 128 features. `tp.attentions` on the function says of
    each whether it was replaced or why not.

    Requires: narrow contractions. Ensures: the same values up to the rounding of
    scores and probabilities, which are not rounded any more.

    ```mlir
    #id = affine_map<(b, m, n) -> (b, m, n)>
    #row = affine_map<(b, m, n) -> (b, m)>
    func.func @f(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>) -> tensor<2x8x16xbf16> {
      %zero = arith.constant 0.0 : f32
      %es = tensor.empty() : tensor<2x8x8xf32>
      %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x8x16xbf16>, tensor<2x8x16xbf16>) outs(%zs : tensor<2x8x8xf32>) {
      ^bb0(%a: bf16, %b: bf16, %o: f32):
        %1 = arith.extf %a : bf16 to f32
        %2 = arith.extf %b : bf16 to f32
        %3 = arith.mulf %1, %2 : f32
        %4 = arith.addf %o, %3 : f32
        linalg.yield %4 : f32
      } -> tensor<2x8x8xf32>
      %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) {
      ^bb0(%a: f32, %o: f32):
        %1 = math.exp %a : f32
        linalg.yield %1 : f32
      } -> tensor<2x8x8xf32>
      %er = tensor.empty() : tensor<2x8xf32>
      %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x8xf32>) -> tensor<2x8xf32>
      %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x8x8xf32>) outs(%zr : tensor<2x8xf32>) {
      ^bb0(%a: f32, %o: f32):
        %1 = arith.addf %o, %a : f32
        linalg.yield %1 : f32
      } -> tensor<2x8xf32>
      %ep = tensor.empty() : tensor<2x8x8xbf16>
      %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x8x8xf32>, tensor<2x8xf32>) outs(%ep : tensor<2x8x8xbf16>) {
      ^bb0(%a: f32, %b: f32, %o: bf16):
        %1 = arith.divf %a, %b : f32
        %2 = arith.truncf %1 : f32 to bf16
        linalg.yield %2 : bf16
      } -> tensor<2x8x8xbf16>
      %eo = tensor.empty() : tensor<2x8x16xf32>
      %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
      %w = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x8x8xbf16>, tensor<2x8x16xbf16>) outs(%zo : tensor<2x8x16xf32>) {
      ^bb0(%a: bf16, %b: bf16, %o: f32):
        %1 = arith.extf %a : bf16 to f32
        %2 = arith.extf %b : bf16 to f32
        %3 = arith.mulf %1, %2 : f32
        %4 = arith.addf %o, %3 : f32
        linalg.yield %4 : f32
      } -> tensor<2x8x16xf32>
      %en = tensor.empty() : tensor<2x8x16xbf16>
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<2x8x16xf32>) outs(%en : tensor<2x8x16xbf16>) {
      ^bb0(%a: f32, %o: bf16):
        %1 = arith.truncf %a : f32 to bf16
        linalg.yield %1 : bf16
      } -> tensor<2x8x16xbf16>
      return %r : tensor<2x8x16xbf16>
    }
    ```
  }];
  let options = [
    Option<"required", "required", "bool", "false",
           "report attentions that are not replaced as errors">,
    Option<"hasLibrary", "has-library", "bool", "true",
           "there is a library that computes attention; without it none is replaced">
  ];
  let dependentDialects = ["::tpc::tp::TPDialect"];
}

def PackContractionsPass
    : Pass<"tp-pack-contractions", "::mlir::func::FuncOp"> {
  let summary = "Give contractions operands that one matmul call can take.";
  let description = [{
    Named linalg operations become generics (fills stay). A contraction whose
    operands' layouts no matmul call can express, for example two summed dims in
    different orders, gets copies of the smallest set of operands in a layout
    that it can; operands of a narrower float type than the sum's are widened,
    but with `mixed` not where both are of one 16-bit type and the sum is in f32.
    What a loop does not change is copied before the loop.
    Products that are too small for a call are left alone.

    Requires: local tensors. Ensures: linalg.generic and linalg.fill are the only
    linalg operations; every contraction of at least 2048 multiply-adds on floats
    of one type is one matmul call (with `mixed` also f32 sums of 16-bit floats),
    or there is no layout in which it is.

    ```mlir
    func.func @f(%a: tensor<32x16xbf16>, %b: tensor<16x64xbf16>, %c: tensor<32x64xf32>) -> tensor<32x64xf32> {
      %0 = linalg.matmul ins(%a, %b : tensor<32x16xbf16>, tensor<16x64xbf16>) outs(%c : tensor<32x64xf32>) -> tensor<32x64xf32>
      return %0 : tensor<32x64xf32>
    }
    ```
  }];
  let options = [
    Option<"mixed", "mixed", "bool", "false",
           "matmul calls take f32 sums of 16-bit floats">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def FuseEpiloguesPass
    : Pass<"tp-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Join what a matmul call can do to its result into one operation.";
  let description = [{
    What follows a contraction and a matmul call does on the fly becomes one
    generic, marked `tp.epilogue` with the call's flags: adding a bias along the
    inner dim of the result, then a ReLU or the tanh form of GELU, then rounding
    to the type of the operands, and a change of the order of dims. A bias that a
    contraction starts from is added behind it. A product times the derivative of
    such an activation is marked too; the call that gives a GELU then also gives
    its argument, as a second result, and of the argument of a ReLU an operation
    of its own makes a bit per element. Sums over the rows of a matrix that a
    call reads or writes are marked as part of the call. Fusion leaves all this
    alone, and the contraction and it become one call. Where a derivative asks whether the
    argument of a ReLU is positive, it asks that of the ReLU's result, so that
    the argument is not needed.

    Requires: what tp-pack-contractions with `mixed` gives. Ensures: the same
    values up to roundings to 16 bits in the middle of an epilogue, which are
    left out.

    ```mlir
    #id = affine_map<(d0, d1) -> (d0, d1)>
    func.func @f(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %bias: tensor<64xf32>) -> tensor<32x64xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<32x64xf32>
      %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%init : tensor<32x64xf32>) {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %1 = arith.mulf %p, %q : f32
        %2 = arith.addf %o, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<32x64xf32>
      %3 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d1)>, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<32x64xf32>, tensor<64xf32>) outs(%e : tensor<32x64xf32>) {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %4 = arith.addf %p, %q : f32
        linalg.yield %4 : f32
      } -> tensor<32x64xf32>
      %5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
      ^bb0(%p: f32, %o: f32):
        %6 = arith.maximumf %p, %zero : f32
        linalg.yield %6 : f32
      } -> tensor<32x64xf32>
      return %5 : tensor<32x64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect"];
}

def FuseLookupsPass : Pass<"tp-fuse-lookups", "::mlir::func::FuncOp"> {
  let summary = "Keep gathers and scatters from standing between elementwise "
                "operations.";
  let description = [{
    A gather of fewer elements than its source has, from the result of an
    elementwise operation, becomes that operation on what is gathered of its
    operands; an index out of range gives 0 as before. A scatter of one element
    into each slice of a fill becomes an elementwise operation that compares its
    place with the index; its sum over the dims that are indices is the sum of
    the updates within range. Both can then be fused: the gradient of a
    cross-entropy with respect to the scores is computed where it is used.

    Requires: generics on local tensors. Ensures: the same values.

    ```mlir
    func.func @f(%v: tensor<4xf32>, %i: tensor<4xi64>) -> tensor<4x50xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<4x50xf32>
      %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<4x50xf32>) -> tensor<4x50xf32>
      %1 = tp.scatter %v into %0[%i] maps [affine_map<(r)[c] -> (r, c)>, affine_map<(r) -> (r)>]
          : (tensor<4xf32>, tensor<4x50xf32>, tensor<4xi64>) -> tensor<4x50xf32>
      return %1 : tensor<4x50xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def FuseElementwisePass
    : Pass<"tp-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Fuse elementwise linalg operations into their consumers.";
  let description = [{
    Fills and splat constants become scalars of the generics that read them, and
    an elementwise producer moves into its consumer when this is its only
    consumer and computes no more points, or when the body costs at most
    `max-duplicated-cost`: a simple operation 1, a division or root 10, an
    exponential or logarithm 12, another function 40. A GPU computes about 20
    operations in the time that a number takes to memory, and so an exponential
    is computed again rather than kept. Nothing is fused into a contraction, which stays one for the
    matmul call, nor into a loop or branch from outside.

    Requires: generics and fills. Ensures: the same values, in fewer operations.

    ```mlir
    #id = affine_map<(d0) -> (d0)>
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%p: f32, %o: f32):
        %1 = arith.negf %p : f32
        linalg.yield %1 : f32
      } -> tensor<8xf32>
      %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%p: f32, %o: f32):
        %3 = math.exp %p : f32
        linalg.yield %3 : f32
      } -> tensor<8xf32>
      return %2 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"maxDuplicatedCost", "max-duplicated-cost", "unsigned", "4",
           "most that a body may cost that is computed again in each consumer">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect"];
}

def WidenSumsPass : Pass<"tp-widen-sums", "::mlir::func::FuncOp"> {
  let summary = "Carry sums and products of 16-bit floats in 32 bits.";
  let description = [{
    A reduction that adds, subtracts or multiplies 16 or more f16 or bf16
    elements into each result does so in f32, and the result is rounded once, as
    matrix libraries do it and kernels of a GPU. What it joins is computed as
    before. The f32 results take memory, a share of that of the elements.
    Contractions that become calls of the matrix library stay, and so do scatters
    that add.

    Requires: generics. Ensures: values with fewer roundings.

    ```mlir
    func.func @f(%x: tensor<4096x96xbf16>, %init: tensor<96xbf16>) -> tensor<96xbf16> {
      %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<4096x96xbf16>) outs(%init : tensor<96xbf16>) {
      ^bb0(%p: bf16, %o: bf16):
        %1 = arith.addf %o, %p : bf16
        linalg.yield %1 : bf16
      } -> tensor<96xbf16>
      return %0 : tensor<96xbf16>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def SplitReductionsPass
    : Pass<"tp-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Split long reductions with few results for the threads.";
  let description = [{
    A reduction over many elements to few results becomes two: parts of the
    reduced dim first, each with its own results, then the join of the parts.
    How many parts depends on the shape and the target alone, so that results do
    not depend on the number of threads.

    Requires: fused generics. Ensures: the same values up to the order of sums.

    ```mlir
    func.func @f(%x: tensor<4096x96xf32>, %init: tensor<96xf32>) -> tensor<96xf32> {
      %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<4096x96xf32>) outs(%init : tensor<96xf32>) {
      ^bb0(%p: f32, %o: f32):
        %1 = arith.addf %o, %p : f32
        linalg.yield %1 : f32
      } -> tensor<96xf32>
      return %0 : tensor<96xf32>
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "who shares a reduction: the threads of a cpu or the blocks of cuda">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def LowerToRuntimePass
    : Pass<"tp-lower-to-runtime", "::mlir::ModuleOp"> {
  let summary = "Turn tensor programs into runtime calls and kernels.";
  let description = [{
    Each function becomes `tpc_fn_NAME` of the artifact ABI: matmul, kernel and
    collective calls on buffers in a row, and the loops and branches of the
    program around them. Every tensor gets its place
    first (an argument's or a result's buffer, a constant, or a part of the one
    workspace), then the calls are written. Kernels are functions over a range
    of their outermost parallel loops; structurally equal ones exist once.
    Neighbouring loop nests that work on the same rows are one kernel, which
    takes a row through all of them while it is in cache. Collectives whose
    results are not needed at once run beside the compute, on streams that
    events order; `tp.events` on the function is their number.
    `tp.workspace_bytes` on the function holds the size of the workspace. All
    ranks run the same calls in the same order; what depends on the rank is read
    from the runtime (`tpc_rt_coordinate`).

    Constraints: [L1] types are static and without encoding; [L2] functions
    have one block, loops are `scf.for` with constant bounds and branches
    `scf.if` with both parts; [L3] operations are those of the partitioned form
    (docs/stages); anything else is reported as unsupported.

    With `target=cuda` kernels are functions of one GPU thread in the
    `gpu.module @tpc_device`, numbered, and the host function calls them by
    number (`tpc_rt_kernel`). A kernel that takes more than 48 KiB of shared
    memory, up to `shared-limit`, gets it at the launch: `shared_bytes` in its
    `tp.kernel` says how much.

    Requires: local tensors, `tp.index` on collectives. Ensures: LLVM functions
    whose bodies are of the llvm, scf, arith and math dialects.

    ```mlir
    func.func @f(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
      %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<32x16xf32>) outs(%c : tensor<64x16xf32>) {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %1 = arith.mulf %p, %q : f32
        %2 = arith.addf %o, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<64x16xf32>
      return %0 : tensor<64x16xf32>
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "what to make kernels for: cpu or cuda">,
    Option<"tf32", "tf32", "bool", "false",
           "products of f32 may round their factors to TF32">,
    Option<"sharedLimit", "shared-limit", "int64_t", "163 << 10",
           "bytes of shared memory that a block of a device kernel may have">,
    Option<"productWorkspace", "product-workspace", "int64_t", "0",
           "bytes of memory that the matrix library may use for a product">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def ConvertDeviceToHostPass
    : Pass<"tp-convert-device-to-host", "::mlir::ModuleOp"> {
  let summary = "Make the host image: device kernels as functions of the host.";
  let description = [{
    Adds a function of the host for every kernel of `gpu.module @tpc_device`,
    which does the work of one thread and takes an array of pointers to its
    parameters, and the table `tpc_image_host` that lists them, as
    test/Device/simulator/host_image.h has it. The number of the thread and the
    block, barriers, shuffles and shared memory come from functions that whoever
    loads the image puts into the table; every access to memory is announced by
    another one. The device module stays.

    For tests without a GPU (`--gpu-arch=host`): what runs is the same kernel.

    Requires: device kernels with one-dimensional launches and shuffles of 32
    bits. Ensures: the same values.

    ```mlir
    gpu.module @tpc_device {
      gpu.func @tpc_kernel_0(%x: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
        %t = gpu.thread_id x
        %i = arith.index_cast %t : index to i64
        %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
        llvm.store %i, %p : i64, !llvm.ptr
        gpu.return
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect"];
}

def ConvertDeviceToNVVMPass
    : Pass<"tp-convert-device-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert device kernels to the NVVM and LLVM dialects.";
  let description = [{
    Thread and block numbers, barriers and shuffles become NVVM operations, math
    functions calls of libdevice (`__nv_expf`), which the target links; f16 and
    bf16 are widened for those. Contraction to fused multiply-adds is as the
    flags of the operations say; nothing else is relaxed. The sizes of a
    kernel's launch stay on it as `gpu.known_grid_size` and
    `gpu.known_block_size`, what it says for the manifest as `tp.kernel`.

    Requires: kernels with known grid and block sizes, of the gpu, arith, math,
    scf, vector and llvm dialects. Ensures: the nvvm and llvm dialects alone.

    ```mlir
    gpu.module @tpc_device {
      gpu.func @tpc_kernel_0(%x: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
        %0 = llvm.load %x : !llvm.ptr -> f32
        %1 = math.exp %0 : f32
        gpu.barrier
        llvm.store %1, %x : f32, !llvm.ptr
        gpu.return
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::vector::VectorDialect"];
}

def ConvertToLLVMPass
    : Pass<"tp-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert kernel bodies and host arithmetic to the LLVM dialect.";
  let description = [{
    Loops become branches, arithmetic LLVM operations, and math functions LLVM
    intrinsics or, where LLVM has none, calls of libm. 16-bit brain floats are
    widened and rounded in integer arithmetic, which every target has. Nothing
    but the LLVM dialect is left; meshes are dropped.

    Requires: what tp-lower-to-runtime gives. Ensures: the LLVM dialect alone.

    ```mlir
    llvm.func @f(%x: f32) -> f32 {
      %0 = math.exp %x : f32
      llvm.return %0 : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::vector::VectorDialect",
                           "::mlir::func::FuncDialect"];
}

#endif // TPC_LOWER_PASSES_TD
