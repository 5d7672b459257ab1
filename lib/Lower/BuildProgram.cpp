// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates a function of tensors into buffers and actions: what is computed,
// not where it lies.
//
// Reshapes and casts are other names of a buffer. A fill, a splat or an empty
// tensor becomes a buffer only when something reads it as memory; as the start
// of a reduction or product it is a scalar.
#include "ProgramBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "tpc/Lower/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tpc::lower {

int64_t elementBytes(Type type) {
  if (type.isInteger(1))
    return 1;
  if (type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
      type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
      type.isInteger(64))
    return type.getIntOrFloatBitWidth() / 8;
  return 0;
}

int64_t Nest::points() const {
  int64_t points = 1;
  for (int64_t extent : extents)
    points *= extent;
  return points;
}

namespace {

/// Splat constants of more elements are filled in at run time instead of
/// stored in the artifact.
constexpr int64_t kMaxStoredSplat = 16;

int64_t sizeInBytes(RankedTensorType type) {
  return type.getNumElements() * elementBytes(type.getElementType());
}

} // namespace

BufferId ProgramBuilder::newBuffer(RankedTensorType type) {
  Buffer buffer;
  buffer.bytes = sizeInBytes(type);
  program.buffers.push_back(buffer);
  return program.buffers.size() - 1;
}

BufferId ProgramBuilder::define(Value value) {
  BufferId buffer = newBuffer(cast<RankedTensorType>(value.getType()));
  bufferOf[value] = buffer;
  return buffer;
}

OpFoldResult ProgramBuilder::asScalar(Value value) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant;
  return value;
}

OpFoldResult ProgramBuilder::splatOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  return TypeSwitch<Operation *, OpFoldResult>(op)
      .Case([](linalg::FillOp fill) { return asScalar(fill.value()); })
      .Case([](tensor::SplatOp splat) { return asScalar(splat.getInput()); })
      .Case([](arith::ConstantOp constant) -> OpFoldResult {
        auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
        if (elements && elements.isSplat())
          return elements.getSplatValue<Attribute>();
        return {};
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
          [](Operation *reshape) { return splatOf(reshape->getOperand(0)); })
      .Default(OpFoldResult());
}

BufferId ProgramBuilder::use(Value value) {
  auto known = bufferOf.find(value);
  if (known != bufferOf.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op)) {
    BufferId buffer = use(op->getOperand(0));
    bufferOf[value] = buffer;
    return buffer;
  }
  BufferId buffer = define(value);
  auto constant = dyn_cast<arith::ConstantOp>(op);
  bool isStored =
      constant &&
      cast<ShapedType>(value.getType()).getNumElements() <= kMaxStoredSplat;
  OpFoldResult scalar = splatOf(value);
  if (scalar && !isStored) {
    // Where the value is defined, which may be outside of the loop or branch
    // that needs it first.
    auto body = llvm::find_if(bodies, [&](const Body &candidate) {
      return candidate.block == op->getBlock();
    });
    body->actions.push_back(makeFill(
        buffer, cast<RankedTensorType>(value.getType()), scalar, op->getLoc()));
  } else if (constant) {
    program.buffers[buffer].origin = Buffer::Origin::Constant;
    program.buffers[buffer].constant =
        cast<DenseElementsAttr>(constant.getValue());
  }
  // A tensor.empty is a buffer that nobody has written.
  return buffer;
}

BufferId ProgramBuilder::startFrom(Value value, Value result, Location loc) {
  auto type = cast<RankedTensorType>(value.getType());
  if (OpFoldResult scalar = splatOf(value)) {
    BufferId buffer = define(result);
    append(makeFill(buffer, type, scalar, loc));
    return buffer;
  }
  if (value.getDefiningOp<tensor::EmptyOp>())
    return define(result);
  BufferId source = use(value);
  BufferId buffer = define(result);
  addCopy(loc, source, buffer, type);
  return buffer;
}

LogicalResult ProgramBuilder::checkType(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding())
    return op->emitError("expected a static tensor without placement after "
                         "partition, got ")
           << type << " (a bug of tpc in an earlier stage)";
  if (!elementBytes(tensor.getElementType()))
    return unsupported(op) << "element type " << tensor.getElementType();
  return success();
}

LogicalResult ProgramBuilder::checkBody(linalg::GenericOp op) {
  for (Operation &inner : *op.getBody()) {
    bool scalar =
        isa<arith::ArithDialect, math::MathDialect>(inner.getDialect());
    if (!scalar && !isa<linalg::IndexOp, linalg::YieldOp>(inner))
      return unsupported(&inner)
             << "'" << inner.getName() << "' in the body of a linalg.generic";
    if (inner.getNumResults() > 1)
      return unsupported(&inner)
             << "'" << inner.getName() << "', which has several results";
  }
  return success();
}

LogicalResult ProgramBuilder::addMatmul(linalg::GenericOp op,
                                        const Matmul &matmul) {
  Action action(Action::Kind::Matmul, op.getLoc());
  action.matmul = matmul;
  BufferId a = use(op.getInputs()[0]), b = use(op.getInputs()[1]);
  Value init = op.getOutputs()[0];
  auto start = dyn_cast_if_present<FloatAttr>(
      dyn_cast_if_present<Attribute>(splatOf(init)));
  action.reads = {a, b};
  if (start && start.getValue().isZero()) {
    action.writes = {define(op.getResult(0))};
    if (options.fused)
      addSum(action, op, FusedMatmul{matmul, {}, {}, {}});
  } else {
    BufferId c = startFrom(init, op.getResult(0), op.getLoc());
    action.matmul.accumulate = true;
    action.reads.push_back(c);
    action.writes = {c};
  }
  appendMatmul(std::move(action));
  return success();
}

/// All calls share one buffer, which nothing else has while there are calls to
/// come.
void ProgramBuilder::appendMatmul(Action action) {
  Matmul &matmul = action.matmul;
  if (options.tf32 && matmul.isF32())
    matmul.flags |= MatmulFlag::TF32;
  if (options.workspaceBytes > 0) {
    if (!productWorkspace) {
      productWorkspace = program.buffers.size();
      program.buffers.emplace_back().bytes = options.workspaceBytes;
    }
    matmul.workspace = productWorkspace;
    matmul.workspaceBytes = options.workspaceBytes;
    action.reads.push_back(*productWorkspace);
    action.writes.push_back(*productWorkspace);
  }
  append(std::move(action));
}

bool ProgramBuilder::addFusedMatmul(linalg::GenericOp epilogue) {
  for (Value input : epilogue.getInputs()) {
    auto product = input.getDefiningOp<linalg::GenericOp>();
    if (!product || fusedConsumer(product) != epilogue)
      continue;
    FusedMatmul fused = *matchFusedMatmul(product, epilogue);
    Action action(Action::Kind::Matmul, epilogue.getLoc());
    action.matmul = fused.matmul;
    action.reads = {use(product.getInputs()[0]), use(product.getInputs()[1])};
    if (fused.bias) {
      action.matmul.bias = use(fused.bias);
      action.reads.push_back(*action.matmul.bias);
    }
    if (fused.argument) {
      action.matmul.aux = use(fused.argument);
      action.reads.push_back(*action.matmul.aux);
    }
    action.writes = {define(epilogue.getResult(0))};
    if (fused.aux) {
      action.matmul.aux = define(fused.aux);
      action.writes.push_back(*action.matmul.aux);
    }
    addSum(action, product, fused);
    appendMatmul(std::move(action));
    return true;
  }
  return false;
}

void ProgramBuilder::addSum(Action &action, linalg::GenericOp product,
                            const FusedMatmul &call) {
  linalg::GenericOp sum = findSum(product, call);
  if (!sum || bufferOf.contains(sum.getResult(0)))
    return;
  action.matmul.flags |= *epilogueFlags(product, sum);
  action.matmul.bias = define(sum.getResult(0));
  action.writes.push_back(*action.matmul.bias);
}

LogicalResult ProgramBuilder::addGeneric(linalg::GenericOp op) {
  if (failed(checkBody(op)))
    return failure();
  // Done where its epilogue is.
  if (options.fused && fusedConsumer(op))
    return success();
  std::optional<Contraction> contraction = getContraction(op);
  if (contraction && contraction->points() >= kSmallProduct)
    if (std::optional<Matmul> matmul = matchMatmul(*contraction, options.fused))
      return addMatmul(op, *matmul);
  // A marked sum was done by the call that gives it.
  if (options.fused && op->hasAttr(kEpilogue) &&
      (bufferOf.contains(op.getResult(0)) || addFusedMatmul(op)))
    return success();

  Action action(Action::Kind::Loops, op.getLoc());
  Nest &nest = action.nest;
  nest.extents = op.getStaticLoopRanges();
  for (utils::IteratorType kind : op.getIteratorTypesArray())
    nest.reduction.push_back(kind != utils::IteratorType::parallel);
  nest.body = &op.getRegion();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto addAccess = [&](BufferId buffer, Value value, AffineMap map) {
    auto type = cast<RankedTensorType>(value.getType());
    nest.accesses.push_back(
        {buffer, type.getElementType(),
         linearAddress(map.getResults(), type.getShape(), context)});
    return unsigned(nest.accesses.size() - 1);
  };
  auto addScalar = [&](OpFoldResult scalar) {
    nest.scalars.push_back(scalar);
    return Nest::Source{Nest::Source::Kind::Scalar,
                        unsigned(nest.scalars.size() - 1)};
  };
  // Reading `value` at `map` means this to the loops.
  auto addSource = [&](Value value, AffineMap map) -> Nest::Source {
    if (!isa<RankedTensorType>(value.getType()))
      return addScalar(asScalar(value));
    if (OpFoldResult scalar = splatOf(value))
      return addScalar(scalar);
    BufferId buffer = use(value);
    action.reads.push_back(buffer);
    return {Nest::Source::Kind::Access, addAccess(buffer, value, map)};
  };

  Block *body = op.getBody();
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    // Operands that only give the shape are not read.
    if (body->getArgument(number).use_empty())
      nest.inputs.push_back({});
    else
      nest.inputs.push_back(addSource(input, maps[number]));
  }
  SmallVector<bool> isParallel;
  for (bool reduction : nest.reduction)
    isParallel.push_back(!reduction);
  for (auto [number, init] : llvm::enumerate(op.getOutputs())) {
    AffineMap map = maps[op.getInputs().size() + number];
    Nest::Output output;
    for (auto [dim, reduction] : llvm::enumerate(nest.reduction))
      output.accumulated |= reduction && !map.isFunctionOfDim(dim);
    BlockArgument argument = body->getArgument(op.getInputs().size() + number);
    if (output.accumulated || !argument.use_empty())
      output.init = addSource(init, map);
    nest.outputs.push_back(output);
  }
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    BufferId buffer = define(result);
    nest.outputs[number].access =
        addAccess(buffer, result, maps[op.getInputs().size() + number]);
    action.writes.push_back(buffer);
  }
  // Values captured from outside the body follow the scalar operands.
  llvm::SmallSetVector<Value, 4> captured;
  for (Operation &inner : *body)
    for (Value operand : inner.getOperands())
      if (operand.getParentRegion() != &op.getRegion())
        captured.insert(operand);
  nest.captured = captured.takeVector();
  for (Value value : nest.captured)
    nest.scalars.push_back(asScalar(value));

  // A result may take the place of an operand that is read at the same
  // elements only. Rows of a reduction are read when others are written, so
  // this needs every loop to be one of the result's.
  for (const Nest::Output &output : nest.outputs) {
    const Access &target = nest.accesses[output.access];
    for (BufferId read : action.reads) {
      bool same = true;
      for (const Access &access : nest.accesses)
        if (access.buffer == read)
          same &= access.address == target.address &&
                  elementBytes(access.elementType) ==
                      elementBytes(target.elementType);
      // What is read anew at every step of a reduction must not change.
      bool initOnly = llvm::none_of(nest.inputs, [&](Nest::Source source) {
        return source.kind == Nest::Source::Kind::Access &&
               nest.accesses[source.number].buffer == read;
      });
      if (same && (!output.accumulated || initOnly))
        action.reuse.push_back({target.buffer, read});
    }
  }
  append(std::move(action));
  return success();
}

LogicalResult ProgramBuilder::addAttention(Operation *op) {
  Action action(Action::Kind::Attention, op->getLoc(), op);
  for (Value input : op->getOperands())
    action.reads.push_back(use(input));
  for (Value output : op->getResults())
    action.writes.push_back(define(output));
  append(std::move(action));
  return success();
}

LogicalResult ProgramBuilder::addCollective(tp::CollectiveOpInterface op) {
  Action action(Action::Kind::Collective, op.getLoc(), op);
  for (Value input : op.getInputs())
    action.reads.push_back(use(input));
  for (Value output : op.getOutputs())
    action.writes.push_back(define(output));
  append(std::move(action));
  return success();
}

LogicalResult ProgramBuilder::addReturn(func::ReturnOp op) {
  for (auto [number, value] : llvm::enumerate(op.getOperands())) {
    BufferId buffer = use(value);
    // Arguments, constants and values returned before are copied.
    if (program.buffers[buffer].origin != Buffer::Origin::Computed ||
        program.buffers[buffer].result) {
      BufferId source = buffer;
      auto type = cast<RankedTensorType>(value.getType());
      buffer = newBuffer(type);
      addCopy(op.getLoc(), source, buffer, type);
    }
    program.buffers[buffer].result = number;
  }
  return success();
}

LogicalResult ProgramBuilder::addOperation(Operation *op) {
  // A splat constant is a fill; anything else with tensor results is looked at
  // by kind.
  for (Value result : op->getResults())
    if (isa<TensorType>(result.getType()) &&
        failed(checkType(op, result.getType())))
      return failure();
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](linalg::GenericOp generic) { return addGeneric(generic); })
      .Case<linalg::FillOp, tensor::EmptyOp, tensor::SplatOp,
            tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
          [](Operation *) { return success(); })
      .Case(
          [&](tensor::ExtractSliceOp slice) { return addExtractSlice(slice); })
      .Case([&](tensor::InsertSliceOp slice) { return addInsertSlice(slice); })
      .Case([&](tensor::ConcatOp concat) { return addConcat(concat); })
      .Case([&](tensor::PadOp pad) { return addPad(pad); })
      .Case([&](tp::GatherOp gather) { return addGather(gather); })
      .Case([&](tp::ScatterOp scatter) { return addScatter(scatter); })
      .Case([&](tp::CumsumOp cumsum) { return addCumsum(cumsum); })
      .Case<tp::AttentionOp, tp::AttentionGradOp>(
          [&](Operation *attention) { return addAttention(attention); })
      .Case([&](tp::CollectiveOpInterface collective) {
        return addCollective(collective);
      })
      .Case([&](tensor::ExtractOp extract) { return addExtract(extract); })
      .Case([&](scf::ForOp loop) { return addFor(loop); })
      .Case([&](scf::IfOp branch) { return addIf(branch); })
      .Case([&](func::ReturnOp ret) { return addReturn(ret); })
      .Case<tp::CoordinateOp, tp::ChunkSizeOp, tp::ChunkOffsetOp>(
          [&](Operation *scalar) {
            append(Action(Action::Kind::Scalar, scalar->getLoc(), scalar));
            return success();
          })
      .Default([&](Operation *other) -> LogicalResult {
        bool isScalar =
            isa<arith::ArithDialect, math::MathDialect>(other->getDialect()) &&
            llvm::none_of(other->getResultTypes(), llvm::IsaPred<TensorType>);
        if (isa<arith::ConstantOp>(other)) {
          if (isScalar)
            return success();
          if (isa<DenseElementsAttr>(cast<arith::ConstantOp>(other).getValue()))
            return success();
        } else if (isScalar) {
          append(Action(Action::Kind::Scalar, other->getLoc(), other));
          return success();
        }
        return unsupported(other) << "'" << other->getName() << "'";
      });
}

LogicalResult ProgramBuilder::addOrSkip(Operation *op) {
  if (succeeded(addOperation(op)))
    return success();
  for (Value result : op->getResults())
    if (isa<RankedTensorType>(result.getType()) && !bufferOf.contains(result))
      define(result);
  return failure();
}

FailureOr<Program> ProgramBuilder::build() {
  func::FuncOp function = program.function;
  if (!function.getBody().hasOneBlock())
    return unsupported(function) << "a function of several blocks";
  for (BlockArgument argument : function.getArguments()) {
    if (failed(checkType(function, argument.getType())))
      return failure();
    BufferId buffer = define(argument);
    program.buffers[buffer].origin = Buffer::Origin::Argument;
    program.buffers[buffer].argument = argument.getArgNumber();
  }
  // All independent errors are reported.
  Block &body = function.getBody().front();
  LogicalResult added = addBody(body);
  if (succeeded(added))
    added = addOperation(body.getTerminator());
  if (failed(added))
    return failure();
  program.actions = takeBody();
  return std::move(program);
}

FailureOr<Program> buildProgram(func::FuncOp function, ProductOptions options) {
  return ProgramBuilder(function, options).build();
}

} // namespace tpc::lower
