// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints what each function enqueues on which stream, with its events, and
// whether that leaves any two uses of the same memory in no order. With
// `drop-wait` one wait, by number, is left out first. With `drop-each` nothing
// is printed but how many waits there are, and those that may be left out.

#include "TestPasses.h"

#include "Events.h"
#include "KernelGroups.h"
#include "Streams.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tpc::lower;

namespace tpc::test {

namespace {

class PrintStreams : public PassWrapper<PrintStreams, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintStreams)

  PrintStreams() = default;
  PrintStreams(const PrintStreams &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-print-streams"; }
  StringRef getDescription() const final {
    return "Print the streams and events of a function.";
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(print(function)))
        return signalPassFailure();
  }

private:
  LogicalResult print(func::FuncOp function) {
    FailureOr<Program> program = buildProgram(function);
    if (failed(program))
      return failure();
    groupKernels(*program, /*forDevice=*/false);
    if (!inOrder)
      chooseStreams(*program);
    BufferPlan plan = planBuffers(
        *program, std::vector<bool>(program->buffers.size(), false));
    addEvents(*program, plan);
    if (dropEach) {
      printNeedless(*program, plan);
      return success();
    }
    int wait = 0;
    llvm::erase_if(program->actions, [&](const Action &action) {
      return action.kind == Action::Kind::Wait && wait++ == dropWait;
    });
    llvm::outs() << function.getName() << ": workspace " << plan.workspaceBytes
                 << ", events " << program->numEvents << "\n";
    for (const Run &run : findRuns(*program)) {
      for (const Unit &unit : run.units)
        llvm::outs() << "  " << describe(program->actions[unit.begin]) << "\n";
      if (run.end < program->actions.size())
        llvm::outs() << "  " << describe(program->actions[run.end]) << "\n";
    }
    for (const std::string &race : findRaces(*program, plan))
      llvm::outs() << "  race: " << race << "\n";
    return success();
  }

  static void printNeedless(Program &program, const BufferPlan &plan) {
    unsigned count = 0, needless = 0;
    for (auto [number, action] : llvm::enumerate(program.actions)) {
      if (action.kind != Action::Kind::Wait)
        continue;
      ++count;
      Program without = program;
      without.actions.erase(without.actions.begin() + number);
      if (!findRaces(without, plan).empty())
        continue;
      ++needless;
      llvm::outs() << "needless: " << describe(action) << "\n";
    }
    llvm::outs() << program.function.getName() << ": " << count << " waits, "
                 << needless << " needless\n";
  }

  Option<bool> dropEach{*this, "drop-each",
                        llvm::cl::desc("which waits could be left out"),
                        llvm::cl::init(false)};
  Option<int> dropWait{*this, "drop-wait", llvm::cl::desc("which to leave out"),
                       llvm::cl::init(-1)};
  Option<bool> inOrder{*this, "in-order",
                       llvm::cl::desc("everything on the compute stream"),
                       llvm::cl::init(false)};
};

} // namespace

void registerPrintStreamsPass() { PassRegistration<PrintStreams>(); }

} // namespace tpc::test
