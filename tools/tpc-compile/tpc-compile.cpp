// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles a model into an artifact, stage by stage, and reports.

#include "Options.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "tpc/Dialect/TP/LoweredNames.h"
#include "tpc/Dialect/TP/TP.h"
#include "tpc/InitAll.h"
#include "tpc/Target/Artifact.h"
#include "tpc/Target/Report.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include <chrono>

using namespace mlir;
using namespace tpc;

/// Notes about gradients that were not asked for take a compilation each; of
/// more arguments than this none is worth it.
static constexpr size_t kMaxGradientNotes = 4;

namespace {

/// Runs one compilation.
class Compiler {
public:
  Compiler(const CompileOptions &options, MLIRContext &context)
      : options(options), context(context) {}

  LogicalResult run();

private:
  LogicalResult parse();
  LogicalResult runStage(Stage stage);
  /// The one-device program: `joint`, forward and backward, with every axis of
  /// the mesh one long. Empty where there is none: a manual region says what
  /// each of so many ranks does.
  static std::string referenceText(ModuleOp joint);
  /// That of the program without microbatches.
  LogicalResult makeWholeReference();
  LogicalResult emit();
  /// Makes the images of device kernels.
  LogicalResult emitDevice();
  bool hasDevice() const { return options.pipeline.target != "cpu"; }
  /// Says in the report what more gradients would add: they are why a
  /// collective that a user expects may be absent.
  void noteMissingGradients(ModuleOp imported,
                            const MachineDescription &machine);
  LogicalResult fail(const Twine &message) {
    llvm::errs() << "tpc-compile: " << message << "\n";
    return failure();
  }
  void addTiming(StringRef name, std::chrono::steady_clock::time_point start) {
    seconds.push_back({name.str(), std::chrono::duration<double>(
                                       std::chrono::steady_clock::now() - start)
                                       .count()});
  }

  const CompileOptions &options;
  MLIRContext &context;
  llvm::SourceMgr sources;
  std::unique_ptr<SourceMgrDiagnosticHandler> diagnostics;
  OwningOpRef<ModuleOp> module;
  std::string reference, manifest;
  SmallVector<std::string> missingGradients;
  llvm::json::Object report;
  std::optional<DeviceCode> device;
  SmallVector<std::pair<std::string, double>> seconds;
};

} // namespace

LogicalResult Compiler::parse() {
  auto start = std::chrono::steady_clock::now();
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file =
      openInputFile(options.input, &message);
  if (!file)
    return fail(message);
  sources.AddNewSourceBuffer(std::move(file), SMLoc());
  diagnostics = std::make_unique<SourceMgrDiagnosticHandler>(sources, &context);
  module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  addTiming("parse", start);
  return success(bool(module));
}

LogicalResult Compiler::runStage(Stage stage) {
  auto start = std::chrono::steady_clock::now();
  PassManager pm(&context);
  buildStagePipeline(pm, stage, options.pipeline);
  LogicalResult result = pm.run(*module);
  addTiming(stageName(stage), start);
  return result;
}

std::string Compiler::referenceText(ModuleOp joint) {
  if (joint->walk([](tp::ManualOp) { return WalkResult::interrupt(); })
          .wasInterrupted())
    return "";
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>(joint->clone()));
  for (auto mesh : copy->getOps<tp::MeshOp>()) {
    SmallVector<int64_t> ones(mesh.getAxisSizes().size(), 1);
    mesh.setAxisSizes(ones);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  copy->print(os);
  return text;
}

LogicalResult Compiler::makeWholeReference() {
  OwningOpRef<ModuleOp> joint(cast<ModuleOp>((*module)->clone()));
  PipelineOptions whole = options.pipeline;
  whole.microbatches = 1;
  PassManager pm(&context);
  buildStagePipeline(pm, Stage::Autodiff, whole);
  if (failed(pm.run(*joint)))
    return failure();
  reference = referenceText(*joint);
  return success();
}

/// The arguments that could be differentiated by and are not, in functions that
/// are differentiated.
static SmallVector<std::string> findMissingGradients(ModuleOp placed) {
  SmallVector<std::string> names;
  for (auto func : placed.getOps<func::FuncOp>()) {
    SmallVector<std::string> missing;
    bool differentiated = false;
    for (BlockArgument arg : func.getArguments()) {
      if (func.getArgAttr(arg.getArgNumber(), tp::TPDialect::kGrad))
        differentiated = true;
      else if (isa<FloatType>(getElementTypeOrSelf(arg.getType())))
        missing.push_back(tp::getUserName(arg));
    }
    if (differentiated)
      llvm::append_range(names, missing);
  }
  return names;
}

/// How often each collective runs, as `backward all_reduce [tp] 160 B`.
static std::map<std::string, int64_t>
countCollectives(const llvm::json::Object &report) {
  std::map<std::string, int64_t> counts;
  for (const llvm::json::Value &value : *report.getArray("collectives")) {
    const llvm::json::Object &object = *value.getAsObject();
    std::string axes;
    for (const llvm::json::Value &axis : *object.getArray("axes"))
      axes += (axes.empty() ? "" : ",") + axis.getAsString()->str();
    counts[(*object.getString("phase") + " " + *object.getString("kind") +
            " [" + axes + "] " + Twine(*object.getInteger("bytes")) + " B")
               .str()] += *object.getInteger("times");
  }
  return counts;
}

void Compiler::noteMissingGradients(ModuleOp imported,
                                    const MachineDescription &machine) {
  llvm::json::Array notes;
  for (const std::string &name : missingGradients) {
    OwningOpRef<ModuleOp> copy(cast<ModuleOp>(imported->clone()));
    PipelineOptions more = options.pipeline;
    more.alternatives = false;
    more.planIn = more.planOut = "";
    std::string glob;
    for (char c : name)
      glob += StringRef("*?[]{}\\").contains(c) ? std::string{'\\', c}
                                                : std::string{c};
    more.grad += ";" + glob;
    PassManager pm(&context);
    for (Stage stage : allStages()) {
      if (stage != Stage::Import && stage != Stage::Lower)
        buildStagePipeline(pm, stage, more);
    }
    // A program that cannot be differentiated by this argument has no note.
    ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
    if (failed(pm.run(*copy)))
      continue;
    std::map<std::string, int64_t> now = countCollectives(report);
    std::string added, gone;
    auto append = [](std::string &list, int64_t count, StringRef what) {
      list +=
          (list.empty() ? "" : ", ") + std::to_string(count) + " " + what.str();
    };
    for (auto &[what, count] : countCollectives(buildReport(*copy, machine))) {
      int64_t difference = count - now[what];
      if (difference > 0)
        append(added, difference, what);
      now[what] = std::max<int64_t>(0, -difference);
    }
    for (auto &[what, count] : now)
      if (count > 0)
        append(gone, count, what);
    std::string note = "'" + name + "' needs no gradient; with --grad '" +
                       name + "' there would be " +
                       (added.empty() ? "no collective more" : added + " more");
    if (!gone.empty())
      note += " and " + gone + " less";
    notes.push_back(note);
  }
  report["notes"] = std::move(notes);
}

LogicalResult Compiler::emitDevice() {
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<DeviceCode> code = emitDeviceCode(*module, options.device);
  addTiming("device", start);
  if (!code)
    return fail(llvm::toString(code.takeError()));
  device = std::move(*code);
  return success();
}

/// Of each attention whether it is one call, and why not.
static void noteAttentions(ModuleOp lowered, llvm::json::Object &report) {
  llvm::json::Array notes;
  if (llvm::json::Array *others = report.getArray("notes"))
    notes = std::move(*others);
  for (Operation &op : *lowered.getBody()) {
    auto attentions = op.getAttrOfType<ArrayAttr>(kAttentions);
    if (!attentions)
      continue;
    for (auto attention : attentions.getAsRange<DictionaryAttr>()) {
      std::string loc = attention.getAs<StringAttr>("loc").str();
      std::string reason = attention.getAs<StringAttr>("reason").str();
      std::string note = "attention" + (loc.empty() ? "" : " at " + loc);
      if (attention.getAs<BoolAttr>("gradient").getValue())
        note += ", with its gradient,";
      notes.push_back(note + (reason.empty()
                                  ? std::string(" is one call")
                                  : " is not one call, since " + reason));
    }
  }
  if (!notes.empty())
    report["notes"] = std::move(notes);
}

LogicalResult Compiler::emit() {
  auto start = std::chrono::steady_clock::now();
  EmitOptions emitOptions;
  emitOptions.cpu = options.cpu;
  emitOptions.device = device ? &*device : nullptr;
  llvm::Error error = [&] {
    switch (options.emit) {
    case CompileOptions::Emit::Library:
      return emitSharedLibrary(*module, manifest, options.output, emitOptions);
    case CompileOptions::Emit::Object:
      return emitObject(*module, manifest, options.output, emitOptions);
    case CompileOptions::Emit::Executable:
      return emitExecutable(*module, manifest, options.output, emitOptions);
    case CompileOptions::Emit::LLVMIR:
      return emitLLVMIR(*module, manifest, options.output, emitOptions);
    case CompileOptions::Emit::PTX:
      return emitPTX(*module, options.output, options.device);
    }
    llvm_unreachable("covered switch");
  }();
  addTiming("emit", start);
  if (error)
    return fail(llvm::toString(std::move(error)));
  return success();
}

LogicalResult Compiler::run() {
  llvm::Expected<MachineDescription> machine =
      MachineDescription::load(options.pipeline.targetSpec);
  if (!machine)
    return fail("--target-spec: " + llvm::toString(machine.takeError()));
  if (failed(parse()))
    return failure();

  bool wantsReport = options.report != CompileOptions::Report::None;
  bool wantsArtifact = !options.output.empty() && !options.stopAfter;
  llvm::json::Array trace;
  OwningOpRef<ModuleOp> imported;
  for (Stage stage : allStages()) {
    // Without an artifact nothing behind the schedule is of use, but for a
    // report that lists kernels.
    if (stage == Stage::Lower && !wantsArtifact && !options.stopAfter &&
        !(wantsReport && hasDevice()))
      break;
    if (stage == Stage::Lower && wantsArtifact)
      manifest = buildManifest(*module, llvm::json::Object(report), reference);
    if (stage == Stage::Autodiff && wantsArtifact &&
        options.pipeline.microbatches != 1 && failed(makeWholeReference()))
      return failure();
    if (failed(runStage(stage)))
      return failure();
    if (options.stopAfter == stage) {
      OpPrintingFlags flags;
      auto output = openOutputFile(
          options.output.empty() ? "-" : StringRef(options.output));
      if (!output)
        return fail("cannot write '" + options.output + "'");
      module->print(output->os(), flags);
      output->keep();
      return success();
    }
    if (stage == Stage::Import && wantsReport)
      imported = cast<ModuleOp>((*module)->clone());
    if (stage == Stage::Place)
      missingGradients = findMissingGradients(*module);
    if (stage == Stage::Autodiff && wantsArtifact &&
        options.pipeline.microbatches == 1)
      reference = referenceText(*module);
    if (stage == Stage::Redistribute && options.trace)
      trace = buildTrace(*module, *machine);
    if (stage == Stage::Schedule)
      report = buildReport(*module, *machine);
    if (stage == Stage::Lower && wantsReport)
      noteAttentions(*module, report);
    if (stage == Stage::Schedule && wantsReport &&
        missingGradients.size() <= kMaxGradientNotes)
      noteMissingGradients(*imported, *machine);
  }
  if (wantsArtifact) {
    if (hasDevice() && options.emit != CompileOptions::Emit::PTX &&
        failed(emitDevice()))
      return failure();
    manifest = completeManifest(manifest, *module, device ? &*device : nullptr);
    if (failed(emit()))
      return failure();
  }
  if (hasDevice() && wantsReport) {
    addProducts(report, *module);
    addKernels(report, buildKernels(*module, device ? &*device : nullptr));
  }
  if (options.report == CompileOptions::Report::Text) {
    printReport(report, llvm::outs());
    printProducts(report, llvm::outs());
    printKernels(report, llvm::outs());
    if (options.trace)
      printTrace(trace, llvm::outs());
  } else if (wantsReport) {
    if (options.trace)
      report["trace"] = std::move(trace);
    llvm::outs() << llvm::formatv("{0:2}", llvm::json::Value(std::move(report)))
                 << "\n";
  }
  if (options.timing) {
    llvm::json::Object times;
    for (auto &[name, time] : seconds)
      times[name] = time;
    llvm::errs() << llvm::json::Value(std::move(times)) << "\n";
  }
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  CompileOptions options = parseCommandLine(argc, argv);
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  // What a pass says of the thing the user wrote is enough; the operation's
  // text would bury it.
  context.printOpOnDiagnostic(false);
  return succeeded(Compiler(options, context).run()) ? 0 : 1;
}
