// The host image exchanges 32 bits and no predicate.
// RUN: tpc-opt %s --tp-convert-device-to-host --split-input-file --verify-diagnostics

gpu.module @tpc_device {
  gpu.func @tpc_kernel_0(%x: !llvm.ptr) kernel {
    %off = arith.constant 4 : i32
    %width = arith.constant 32 : i32
    %v = llvm.load %x : !llvm.ptr -> f64
    // expected-error@below {{expected a shuffle of 32 bits without a use of its second result (a bug of tpc in the lower stage)}}
    %s, %valid = gpu.shuffle xor %v, %off, %width : f64
    llvm.store %s, %x : f64, !llvm.ptr
    gpu.return
  }
}

// -----

gpu.module @tpc_device {
  gpu.func @tpc_kernel_0(%x: !llvm.ptr) kernel {
    %off = arith.constant 4 : i32
    %width = arith.constant 32 : i32
    // expected-error@below {{expected a shuffle of 32 bits}}
    %s, %valid = gpu.shuffle down %off, %off, %width : i32
    llvm.store %valid, %x : i1, !llvm.ptr
    gpu.return
  }
}
