// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The writer of one host function: `EmitHost.cpp` has the runtime calls and the
// host's own scalars, `EmitHostControlFlow.cpp` what they stand in: functions,
// segments, loops and branches.
#ifndef TPC_LOWER_HOSTEMITTER_H
#define TPC_LOWER_HOSTEMITTER_H

#include "EmitHost.h"
#include "Lifetimes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tpc::lower {

class HostEmitter {
public:
  HostEmitter(mlir::ModuleOp module, const Program &program,
              const BufferPlan &plan, KernelLibrary &kernels,
              DeviceLibrary *device, HostGlobals &globals)
      : module(module), program(program), plan(plan), kernels(kernels),
        device(device), globals(globals),
        b(mlir::func::FuncOp(program.function).getLoc(), module.getContext()),
        i32(b.getI32Type()), i64(b.getI64Type()),
        ptr(mlir::LLVM::LLVMPointerType::get(b.getContext())) {}

  mlir::LogicalResult emit();

private:
  using Actions = llvm::ArrayRef<Action>;

  void beginFunction(const llvm::Twine &name, bool isSegment);
  void endFunction();
  void emitBody(Actions actions);
  void emitSegment(Actions actions);
  void emitActions(Actions actions);
  /// Takes off the front of `actions` what is written as one: a loop, a branch,
  /// a kernel group, a single other action.
  static Actions takeUnit(Actions &actions);
  void emitUnit(Actions unit);
  void emitFor(Actions unit);
  void emitIf(Actions unit);
  void emitGroup(Actions actions);
  void emitAction(const Action &action);
  void emitLoops(llvm::ArrayRef<const Action *> actions);
  bool isAligned(const Access &access) const;
  void callDeviceKernel(Kernel &kernel, llvm::ArrayRef<const Action *> actions,
                        llvm::ArrayRef<mlir::Value> pointers);
  void emitExtract(const Action &action);
  void emitMatmul(const Action &action);
  void emitAttention(const Action &action);
  void emitCollective(const Action &action);
  void emitScalar(mlir::Operation *op);
  mlir::Value emitChunk(int64_t length, tp::PlacementAttr placement,
                        int64_t dim, bool wantSize);
  mlir::Value coordinate(llvm::StringRef axis, const Mesh &mesh);
  /// Where the host value lies in the frame.
  mlir::Value slot(mlir::Value value);
  mlir::Value loadScalar(mlir::Value value);
  void storeScalar(mlir::Value value, mlir::Value computed);
  /// The host value as computed in this function or loaded.
  mlir::Value scalar(mlir::Value value);

  /// Calls a runtime function and returns from this one when it fails.
  void call(llvm::StringRef name, mlir::ValueRange operands) {
    call(getRuntimeFunction(module, name), operands);
  }
  void call(mlir::LLVM::LLVMFuncOp callee, mlir::ValueRange operands);
  mlir::Value address(BufferId buffer);
  /// `base` moved by `offsets` elements of `type`.
  mlir::Value moveBy(mlir::Value base, const HostOffsets &offsets,
                     mlir::Type type);
  mlir::Value loadPointer(mlir::Value array, int64_t index);
  /// Writes pointers to the scratch array from `first` on; returns the address
  /// of the first.
  mlir::Value passPointers(llvm::ArrayRef<mlir::Value> values, unsigned first);
  /// A new block behind the current one.
  mlir::Block *newBlock() {
    mlir::OpBuilder::InsertionGuard guard(b);
    return b.createBlock(&current.function.getBody(),
                         std::next(b.getInsertionBlock()->getIterator()));
  }
  mlir::Value constant32(int64_t value) {
    return mlir::LLVM::ConstantOp::create(b, i32, b.getI32IntegerAttr(value));
  }
  mlir::Value constant64(int64_t value) {
    return mlir::LLVM::ConstantOp::create(b, i64, b.getI64IntegerAttr(value));
  }

  mlir::ModuleOp module;
  const Program &program;
  const BufferPlan &plan;
  KernelLibrary &kernels;
  /// Set when kernels are those of a device.
  DeviceLibrary *device;
  HostGlobals &globals;
  mlir::ImplicitLocOpBuilder b;
  mlir::Type i32, i64, ptr;

  /// Where host values lie that kernels read: a number per value.
  llvm::DenseMap<mlir::Value, int32_t> slots;

  /// A function that is being written.
  struct Function {
    mlir::LLVM::LLVMFuncOp function;
    mlir::Block *failure = nullptr;
    /// Parameters. Pointers are loaded from the two arrays where they are used:
    /// thousands of values that live long would make compilation slow.
    mlir::Value rank, arguments, results, workspace;
    /// Eight bytes per host value.
    mlir::Value frame;
    /// Pointers for kernels and collectives; the longest list decides its size.
    mlir::LLVM::AllocaOp scratch;
    unsigned scratchSize = 1;
    /// Host values that were computed or loaded before.
    mlir::IRMapping scalars;
  };
  Function current;
  unsigned numSegments = 0;
  /// How often what is being written runs in a call: the trips of the loops
  /// around. Of a branch both parts count.
  int64_t iterations = 1;
  /// A kernel cannot be launched; that was reported.
  bool fails = false;
  /// What the report says of products on a device.
  llvm::SmallVector<mlir::Attribute> products;
  /// Elements of device memory are copied to the frame.
  bool readsOnHost = false;
  /// Per buffer; for device kernels only.
  std::vector<Lifetime> lifetimes;
};

} // namespace tpc::lower

#endif // TPC_LOWER_HOSTEMITTER_H
