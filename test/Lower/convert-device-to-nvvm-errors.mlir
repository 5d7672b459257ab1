// A kernel says how it is launched.
// RUN: tpc-opt %s --tp-convert-device-to-nvvm --verify-diagnostics

gpu.module @tpc_device {
  // expected-error@below {{expected known_block_size and known_grid_size (a bug of tpc in the lower stage)}}
  gpu.func @tpc_kernel_0(%x: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
