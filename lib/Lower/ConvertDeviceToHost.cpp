// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the host image: every device kernel as a function of the host that does
// the work of one thread, in the table that the simulated device reads.
//
// The table is laid out as test/Device/simulator/host_image.h has it: magic,
// number of kernels, a pointer to the functions that kernels call back (set by
// who loads the image), then name, function, use of the parameters and a flag
// per kernel. Every access to memory is announced before it is made.
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "tpc/Lower/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tpc {
#define GEN_PASS_DEF_CONVERTDEVICETOHOSTPASS
#include "tpc/Lower/Passes.h.inc"

namespace {

/// Functions that kernels call back, by their place in tpc_sim_api.
enum class Callback { Thread, Block, Barrier, Shuffle, Shared, Touch };
/// How memory is accessed, as tpc_sim_api's touch has it.
constexpr int32_t kRead = 1, kWrite = 2, kAtomic = 4;
/// Byte offset of the pointer to tpc_sim_api in the table.
constexpr int32_t kApiOffset = 16;
constexpr unsigned kSharedSpace = 3;

/// Writes the function of one kernel.
class KernelWriter {
public:
  KernelWriter(gpu::GPUFuncOp kernel, LLVM::GlobalOp image)
      : kernel(kernel), image(image), b(kernel.getLoc(), kernel.getContext()),
        i8(b.getI8Type()), i32(b.getI32Type()), i64(b.getI64Type()),
        ptr(LLVM::LLVMPointerType::get(b.getContext())),
        layout(image->getParentOfType<ModuleOp>()) {}

  FailureOr<LLVM::LLVMFuncOp> write();
  /// One letter per parameter: r, w, b or s.
  std::string parameterUses();

private:
  void loadParameters(LLVM::LLVMFuncOp function);
  LogicalResult convert(Operation *op);
  Value shuffled(gpu::ShuffleOp op);
  /// A shared array is a place behind the start of the block's memory.
  Value sharedAddress(LLVM::AddressOfOp op);
  void announce(Value address, Type type, int32_t kind);
  Value call(Callback callback, Type result, ValueRange operands);
  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  }

  gpu::GPUFuncOp kernel;
  LLVM::GlobalOp image;
  ImplicitLocOpBuilder b;
  Type i8, i32, i64, ptr;
  DataLayout layout;
};

Value KernelWriter::call(Callback callback, Type result, ValueRange operands) {
  Value table = LLVM::AddressOfOp::create(b, image);
  Value api = LLVM::LoadOp::create(
      b, ptr,
      LLVM::GEPOp::create(b, ptr, i8, table,
                          ArrayRef<LLVM::GEPArg>{kApiOffset}));
  Value callee = LLVM::LoadOp::create(
      b, ptr,
      LLVM::GEPOp::create(b, ptr, ptr, api,
                          ArrayRef<LLVM::GEPArg>{int32_t(callback)}));
  SmallVector<Value> all = {callee};
  llvm::append_range(all, operands);
  Type returned = result ? result : LLVM::LLVMVoidType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      returned, llvm::to_vector(ValueRange(operands).getTypes()));
  auto op = LLVM::CallOp::create(b, type, all);
  return result ? op.getResult() : Value();
}

void KernelWriter::announce(Value address, Type type, int32_t kind) {
  call(Callback::Touch, {},
       {address, constant(i64, int64_t(layout.getTypeSize(type))),
        constant(i32, kind)});
}

Value KernelWriter::shuffled(gpu::ShuffleOp op) {
  auto mode = [&] {
    switch (op.getMode()) {
    case gpu::ShuffleMode::XOR:
      return 0;
    case gpu::ShuffleMode::UP:
      return 1;
    case gpu::ShuffleMode::DOWN:
      return 2;
    case gpu::ShuffleMode::IDX:
      return 3;
    }
    llvm_unreachable("covered switch");
  }();
  Type type = op.getValue().getType();
  Value value = op.getValue();
  if (type != i32)
    value = LLVM::BitcastOp::create(b, i32, value);
  value = call(Callback::Shuffle, i32,
               {value, op.getOffset(), op.getWidth(), constant(i32, mode)});
  return type == i32 ? value : LLVM::BitcastOp::create(b, type, value);
}

Value KernelWriter::sharedAddress(LLVM::AddressOfOp op) {
  // Static arrays in the order of the module, dynamic memory behind them.
  int64_t offset = 0, bytes = 0;
  for (auto global :
       kernel->getParentOfType<gpu::GPUModuleOp>().getOps<LLVM::GlobalOp>()) {
    if (global.getAddrSpace() != kSharedSpace)
      continue;
    bool used = false;
    kernel.walk([&](LLVM::AddressOfOp use) {
      used |= use.getGlobalName() == global.getSymName();
    });
    int64_t size = layout.getTypeSize(global.getType());
    if (!used || size == 0)
      continue;
    bytes = llvm::alignTo(bytes, 16);
    if (global.getSymName() == op.getGlobalName())
      offset = bytes;
    bytes += size;
  }
  bytes = llvm::alignTo(bytes, 16);
  auto array = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(
      kernel, op.getGlobalNameAttr());
  if (layout.getTypeSize(array.getType()) == 0)
    offset = bytes;
  Value start = call(Callback::Shared, ptr, {constant(i64, bytes)});
  return LLVM::GEPOp::create(b, ptr, i8, start,
                             ArrayRef<LLVM::GEPArg>{constant(i64, offset)});
}

LogicalResult KernelWriter::convert(Operation *op) {
  b.setInsertionPoint(op);
  b.setLoc(op->getLoc());
  auto replace = [&](Value value) {
    if (value)
      op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  };
  if (isa<gpu::ThreadIdOp, gpu::BlockIdOp>(op)) {
    Callback which =
        isa<gpu::ThreadIdOp>(op) ? Callback::Thread : Callback::Block;
    replace(
        arith::IndexCastOp::create(b, b.getIndexType(), call(which, i64, {})));
  } else if (isa<gpu::BarrierOp>(op)) {
    replace(call(Callback::Barrier, {}, {}));
  } else if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
    if (!shuffle.getValid().use_empty() ||
        shuffle.getValue().getType().getIntOrFloatBitWidth() != 32)
      return op->emitOpError("expected a shuffle of 32 bits without a use of "
                             "its second result (a bug of tpc in the lower "
                             "stage)");
    replace(shuffled(shuffle));
  } else if (isa<gpu::ReturnOp>(op)) {
    LLVM::ReturnOp::create(b, ValueRange());
    op->erase();
  } else if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
    replace(sharedAddress(address));
  } else if (auto cast = dyn_cast<LLVM::AddrSpaceCastOp>(op)) {
    replace(cast.getArg());
  } else if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    announce(load.getAddr(), load.getType(), kRead);
  } else if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    announce(store.getAddr(), store.getValue().getType(), kWrite);
  } else if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op)) {
    announce(atomic.getPtr(), atomic.getVal().getType(),
             kRead | kWrite | kAtomic);
  }
  return success();
}

void KernelWriter::loadParameters(LLVM::LLVMFuncOp function) {
  Block &entry = function.getBody().front();
  BlockArgument parameters = entry.insertArgument(0u, ptr, b.getLoc());
  b.setInsertionPointToStart(&entry);
  for (unsigned number = 0; number < kernel.getNumArguments(); ++number) {
    Value place = LLVM::LoadOp::create(
        b, ptr,
        LLVM::GEPOp::create(b, ptr, ptr, parameters,
                            ArrayRef<LLVM::GEPArg>{int32_t(number)}));
    BlockArgument old = entry.getArgument(1);
    old.replaceAllUsesWith(LLVM::LoadOp::create(b, old.getType(), place));
    entry.eraseArgument(1);
  }
}

FailureOr<LLVM::LLVMFuncOp> KernelWriter::write() {
  auto module = image->getParentOfType<ModuleOp>();
  b.setInsertionPointToEnd(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(
      b, ("tpc_host_" + kernel.getName()).str(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  {ptr}),
      LLVM::Linkage::Internal);
  IRMapping mapping;
  kernel.getBody().cloneInto(&function.getBody(), mapping);
  // Memory has one address space.
  auto flatten = [&](Value value) {
    if (auto type = dyn_cast<LLVM::LLVMPointerType>(value.getType());
        type && type.getAddressSpace() != 0)
      value.setType(ptr);
  };
  SmallVector<Operation *> ops;
  function.getBody().walk([&](Operation *op) {
    ops.push_back(op);
    llvm::for_each(op->getResults(), flatten);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), flatten);
  });
  for (Operation *op : ops)
    if (failed(convert(op)))
      return failure();
  loadParameters(function);
  return function;
}

std::string KernelWriter::parameterUses() {
  std::string uses;
  for (BlockArgument parameter : kernel.getArguments()) {
    if (!isa<LLVM::LLVMPointerType>(parameter.getType())) {
      uses.push_back('s');
      continue;
    }
    bool reads = false, writes = false;
    SmallVector<Value> pointers = {parameter};
    while (!pointers.empty())
      for (OpOperand &use : pointers.pop_back_val().getUses()) {
        Operation *user = use.getOwner();
        if (isa<LLVM::GEPOp>(user)) {
          pointers.push_back(user->getResult(0));
        } else if (isa<LLVM::LoadOp>(user)) {
          reads = true;
        } else if (isa<LLVM::StoreOp>(user) && use.getOperandNumber() == 1) {
          writes = true;
        } else {
          reads = writes = true;
        }
      }
    uses.push_back(!writes ? 'r' : reads ? 'b' : 'w');
  }
  return uses;
}

/// Writes the table and what it points to.
class ImageWriter {
public:
  explicit ImageWriter(ModuleOp module)
      : module(module), b(module.getLoc(), module.getContext()),
        i64(b.getI64Type()), ptr(LLVM::LLVMPointerType::get(b.getContext())) {}

  LogicalResult write(gpu::GPUModuleOp device);

private:
  LLVM::GlobalOp addText(StringRef name, StringRef text);

  ModuleOp module;
  ImplicitLocOpBuilder b;
  Type i64, ptr;
};

LLVM::GlobalOp ImageWriter::addText(StringRef name, StringRef text) {
  std::string bytes = text.str();
  bytes.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  return LLVM::GlobalOp::create(b, type, /*isConstant=*/true,
                                LLVM::Linkage::Internal, name,
                                b.getStringAttr(bytes), /*alignment=*/1);
}

LogicalResult ImageWriter::write(gpu::GPUModuleOp device) {
  SmallVector<gpu::GPUFuncOp> kernels(device.getOps<gpu::GPUFuncOp>());
  MLIRContext *context = b.getContext();
  auto magicType = LLVM::LLVMArrayType::get(b.getI8Type(), 8);
  auto entryType =
      LLVM::LLVMStructType::getLiteral(context, {ptr, ptr, ptr, i64});
  auto entriesType = LLVM::LLVMArrayType::get(entryType, kernels.size());
  auto type = LLVM::LLVMStructType::getLiteral(
      context, {magicType, i64, ptr, entriesType});
  b.setInsertionPointToEnd(module.getBody());
  // Written by who loads it.
  auto image = LLVM::GlobalOp::create(b, type, /*isConstant=*/false,
                                      LLVM::Linkage::External, kHostImage,
                                      Attribute(), /*alignment=*/16);
  SmallVector<SmallVector<FlatSymbolRefAttr>> entries;
  for (gpu::GPUFuncOp kernel : kernels) {
    KernelWriter writer(kernel, image);
    FailureOr<LLVM::LLVMFuncOp> function = writer.write();
    if (failed(function))
      return failure();
    std::string stem = ("tpc_host_" + kernel.getName()).str();
    LLVM::GlobalOp name = addText(stem + ".name", kernel.getName());
    LLVM::GlobalOp uses = addText(stem + ".uses", writer.parameterUses());
    entries.push_back({FlatSymbolRefAttr::get(name.getSymNameAttr()),
                       FlatSymbolRefAttr::get(function->getSymNameAttr()),
                       FlatSymbolRefAttr::get(uses.getSymNameAttr())});
  }

  b.createBlock(&image.getInitializerRegion());
  Value value = LLVM::UndefOp::create(b, type);
  auto insert = [&](Value part, ArrayRef<int64_t> place) {
    value = LLVM::InsertValueOp::create(b, value, part, place);
  };
  insert(LLVM::ConstantOp::create(b, magicType,
                                  b.getStringAttr(StringRef("TPCHOST\0", 8))),
         {0});
  insert(LLVM::ConstantOp::create(b, i64, b.getI64IntegerAttr(kernels.size())),
         {1});
  insert(LLVM::ZeroOp::create(b, ptr), {2});
  for (auto [number, symbols] : llvm::enumerate(entries)) {
    for (auto [field, symbol] : llvm::enumerate(symbols))
      insert(LLVM::AddressOfOp::create(b, ptr, symbol),
             {3, int64_t(number), int64_t(field)});
    insert(LLVM::ConstantOp::create(b, i64, b.getI64IntegerAttr(1)),
           {3, int64_t(number), 3});
  }
  LLVM::ReturnOp::create(b, value);
  return success();
}

class ConvertDeviceToHost
    : public impl::ConvertDeviceToHostPassBase<ConvertDeviceToHost> {
public:
  using ConvertDeviceToHostPassBase::ConvertDeviceToHostPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto device : module.getOps<gpu::GPUModuleOp>())
      if (failed(ImageWriter(module).write(device)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace tpc
