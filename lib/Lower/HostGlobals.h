// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constant data of host functions.
#ifndef TPC_LOWER_HOSTGLOBALS_H
#define TPC_LOWER_HOSTGLOBALS_H

#include "Program.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tpc::lower {

/// Constants at the start of a module; equal ones exist once.
class HostGlobals {
public:
  explicit HostGlobals(mlir::ModuleOp module)
      : module(module), b(module.getContext()) {}

  /// The elements as they lie in memory.
  mlir::LLVM::GlobalOp constant(mlir::DenseElementsAttr elements);
  /// The number of a constant that the runtime copies to a device.
  int64_t deviceConstant(mlir::DenseElementsAttr elements);
  /// A tpc_rt_matmul_t.
  mlir::LLVM::GlobalOp product(const Matmul &matmul);
  /// A tpc_rt_attention_t for a tp.attention or tp.attention_grad.
  mlir::LLVM::GlobalOp attention(mlir::Operation *op);

private:
  mlir::LLVM::GlobalOp add(llvm::StringRef stem, mlir::Type type,
                           mlir::Attribute value, unsigned alignment);

  mlir::ModuleOp module;
  mlir::OpBuilder b;
  llvm::DenseMap<mlir::Attribute, mlir::LLVM::GlobalOp> globals;
  int64_t deviceConstants = 0;
};

} // namespace tpc::lower

#endif // TPC_LOWER_HOSTGLOBALS_H
