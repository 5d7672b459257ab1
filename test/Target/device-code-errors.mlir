// What is missing of a CUDA toolkit, or does not work, is said in one sentence.
// DEFINE: %{emit} = not tpc-opt %s --tp-convert-device-to-nvvm -o /dev/null
// RUN: rm -rf %t && mkdir -p %t/none %t/cuda/bin %t/cuda/nvvm/libdevice

// RUN: %{emit} --test-emit-device=cuda-path=%t/none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: no ptxas found: expected a CUDA toolkit in {{.*}}none; install one, or say where it is with --cuda-path DIR or CUDA_HOME (--emit=ptx needs none, --gpu-arch=host neither)

// RUN: printf '#!/bin/sh\necho "ptxas out of luck"\nexit 1\n' > %t/cuda/bin/ptxas && chmod +x %t/cuda/bin/ptxas
// RUN: %{emit} --test-emit-device=cuda-path=%t/cuda 2>&1 | FileCheck %s --check-prefix=LIBRARY
// RUN: %{emit} '--test-emit-device=cuda-path=%t/cuda ptx' 2>&1 | FileCheck %s --check-prefix=LIBRARY
// LIBRARY: error: no libdevice.10.bc found: expected a CUDA toolkit in {{.*}}cuda; install one, or say where it is with --cuda-path DIR or CUDA_HOME (kernels call its math functions)

// RUN: echo 'no bitcode' > %t/cuda/nvvm/libdevice/libdevice.10.bc
// RUN: %{emit} --test-emit-device=cuda-path=%t/cuda 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error: '{{.*}}libdevice.10.bc' is not libdevice of CUDA 9 or newer:
// RUN: echo 'define void @f() { ret void }' | opt - -o %t/cuda/nvvm/libdevice/libdevice.10.bc
// RUN: %{emit} --test-emit-device=cuda-path=%t/cuda 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: '{{.*}}libdevice.10.bc' is not libdevice of CUDA 9 or newer: it has no function __nv_expf
// RUN: printf '!llvm.module.flags = !{!0}\n!0 = !{i32 3, !"a", !1}\n!1 = !{!"b", i32 1}\n' | opt - -o %t/cuda/nvvm/libdevice/libdevice.10.bc --disable-verify
// RUN: %{emit} --test-emit-device=cuda-path=%t/cuda 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: error: '{{.*}}libdevice.10.bc' is not libdevice of CUDA 9 or newer: {{.*}}linking module flags
// RUN: echo 'define float @__nv_expf(float %%x) { ret float %%x }' | opt - -o %t/cuda/nvvm/libdevice/libdevice.10.bc
// RUN: %{emit} --test-emit-device=cuda-path=%t/cuda 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: error: assembling for sm_80 with {{.*}}ptxas failed: ptxas out of luck
// RUN: printf '#!/bin/sh\nexit 0\n' > %t/cuda/bin/ptxas
// RUN: %{emit} --test-emit-device=cuda-path=%t/cuda 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: assembling for sm_80 with {{.*}}ptxas failed: expected an ELF file, got 0 other bytes
// RUN: printf '#!/bin/sh\nkill -9 $$\n' > %t/cuda/bin/ptxas
// RUN: %{emit} --test-emit-device=cuda-path=%t/cuda 2>&1 | FileCheck %s --check-prefix=KILLED
// KILLED: error: assembling for sm_80 with {{.*}}ptxas failed: it was ended: {{.+}}
// RUN: printf '#!/bin/sh\nyes out of luck | head -c 100000\nexit 1\n' > %t/cuda/bin/ptxas
// RUN: %{emit} --test-emit-device=cuda-path=%t/cuda 2>&1 | wc -c | FileCheck %s --check-prefix=SHORT
// SHORT: {{^[45][0-9][0-9][0-9]$}}
// RUN: printf '#!/bin/sh\necho nothing to do\n' > %t/cuda/bin/ptxas
// RUN: %{emit} --test-emit-device=cuda-path=%t/cuda 2>&1 | FileCheck %s --check-prefix=IDLE
// IDLE: error: assembling for sm_80 with {{.*}}ptxas failed: expected an ELF file, got 0 other bytes. nothing to do
// RUN: env TMPDIR=%t/gone %{emit} --test-emit-device=cuda-path=%t/cuda 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: cannot write a temporary file in '{{.*}}gone' (TMPDIR names another folder): No such file or directory

// A signal leaves nothing behind.
// RUN: mkdir %t/tmp && printf '#!/bin/sh\nkill -INT $PPID\nsleep 1\n' > %t/cuda/bin/ptxas
// RUN: env TMPDIR=%t/tmp %{emit} --test-emit-device=cuda-path=%t/cuda
// RUN: ls %t/tmp | count 0

// An assembler that is too old is an error for what was asked for, and means
// less where nothing was.
// RUN: printf '#!/bin/sh\ncase "$*" in *sm_80*) printf "\177ELF" > $6;; *) echo "ptxas fatal   : Value sm is not defined for option '"'gpu-name'"'"; exit 255;; esac\n' > %t/cuda/bin/ptxas
// RUN: %{emit} '--test-emit-device=cuda-path=%t/cuda archs=sm_80,sm_90' 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: '{{.*}}ptxas' does not know sm_90: leave it out of --gpu-arch, or give a newer CUDA toolkit with --cuda-path
// RUN: tpc-opt %s --tp-convert-device-to-nvvm -o /dev/null --test-emit-device=cuda-path=%t/cuda | FileCheck %s --check-prefix=LESS
// LESS: sm_80 cubin
// LESS-NEXT: sm_80 ptx
// RUN: printf '#!/bin/sh\necho "Value sm is not defined for option '"'gpu-name'"'"\nexit 255\n' > %t/cuda/bin/ptxas
// RUN: %{emit} --test-emit-device=cuda-path=%t/cuda 2>&1 | FileCheck %s --check-prefix=ANCIENT
// ANCIENT: error: '{{.*}}ptxas' knows none of sm_80, sm_90 and sm_100: give a newer CUDA toolkit with --cuda-path

// RUN: %{emit} '--test-emit-device=ptx archs=host' 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: expected a processor to write PTX for, got host alone
gpu.module @tpc_device {
  gpu.func @tpc_kernel_0(%x: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %0 = llvm.load %x : !llvm.ptr -> f32
    %1 = math.exp %0 : f32
    llvm.store %1, %x : f32, !llvm.ptr
    gpu.return
  }
}
