// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proves that a value cancels out, by following a change of it by t.
//
// A value computed from it is, element by element, one of
//   free          v          does not depend on t
//   additive      v + k t    x - max
//   exponential   v e^(k t)  exp(x - max), and its sums along other dims
// where t is the change of one element of the starting value, the one at the
// same position in the dims they share. Sums, products and quotients of such
// values are again of one of these forms or of none. The walk ends well when
// every use has become free, and badly at the first use of another form, at a
// sum over positions with different t, or at an operation it does not know.

#include "LinalgAdjointShift.h"
#include "LinalgBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "tpc/Dialect/TP/TP.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tpc {

namespace {
/// How a scalar depends on t. Zero is exponential of every degree.
struct Form {
  enum Kind { Free, Additive, Exponential, Zero } kind = Free;
  double degree = 0;

  static Form additive(double k) { return k == 0 ? Form() : Form{Additive, k}; }
  static Form exponential(double k) {
    return k == 0 ? Form() : Form{Exponential, k};
  }
  bool operator==(const Form &o) const {
    return kind == o.kind && degree == o.degree;
  }
  /// Constant in t: free or zero.
  bool isConstant() const { return kind == Free || kind == Zero; }
  bool isFactor() const { return kind != Additive; }
};

/// Of a tensor: its elements' form, and for every dim of the starting value the
/// dim that runs with it (none for unit dims).
struct TensorForm {
  Form form;
  SmallVector<std::optional<unsigned>> dims;
};

using MaybeForm = std::optional<Form>;
} // namespace

static MaybeForm add(Form x, Form y, double sign) {
  if (x.isConstant() && y.isConstant())
    return x.kind == Form::Zero && y.kind == Form::Zero ? x : Form();
  if (y.kind == Form::Zero)
    return x;
  if (x.kind == Form::Zero)
    return y.kind == Form::Exponential ? y : Form::additive(sign * y.degree);
  if (x.kind == Form::Exponential || y.kind == Form::Exponential)
    return x == y ? MaybeForm(x) : std::nullopt;
  return Form::additive(x.degree + sign * y.degree);
}

static MaybeForm multiply(Form x, Form y, double sign) {
  if (!x.isFactor() || !y.isFactor())
    return std::nullopt;
  if (x.kind == Form::Zero || (y.kind == Form::Zero && sign > 0))
    return Form{Form::Zero};
  return Form::exponential(x.degree + sign * y.degree);
}

/// One value out of two of which either may be taken.
static MaybeForm join(Form x, Form y) {
  if (x == y)
    return x;
  if (x.isConstant() && y.isConstant())
    return Form();
  if (x.kind == Form::Zero && y.kind == Form::Exponential)
    return y;
  if (y.kind == Form::Zero && x.kind == Form::Exponential)
    return x;
  return std::nullopt;
}

/// The form of the result of a scalar operation.
static MaybeForm evaluate(Operation *op, ArrayRef<Form> in) {
  if (matchPattern(op, m_AnyZeroFloat()))
    return Form{Form::Zero};
  return llvm::TypeSwitch<Operation *, MaybeForm>(op)
      .Case<arith::AddFOp>([&](auto) { return add(in[0], in[1], 1); })
      .Case<arith::SubFOp>([&](auto) { return add(in[0], in[1], -1); })
      .Case<arith::MulFOp>([&](auto) { return multiply(in[0], in[1], 1); })
      .Case<arith::DivFOp>([&](auto) { return multiply(in[0], in[1], -1); })
      .Case<arith::NegFOp>([&](auto) {
        return in[0].kind == Form::Additive ? Form::additive(-in[0].degree)
                                            : in[0];
      })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return in[0]; })
      .Case<math::ExpOp>([&](auto) -> MaybeForm {
        if (in[0].kind == Form::Exponential)
          return std::nullopt;
        return Form::exponential(in[0].degree);
      })
      .Case<math::LogOp>([&](auto) -> MaybeForm {
        if (in[0].kind == Form::Additive)
          return std::nullopt;
        return Form::additive(in[0].degree);
      })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
            arith::MinNumFOp>([&](auto) { return join(in[0], in[1]); })
      .Case<arith::SelectOp>([&](auto) -> MaybeForm {
        return in[0].kind == Form::Free ? join(in[1], in[2]) : std::nullopt;
      })
      .Case<arith::CmpFOp>([&](auto) -> MaybeForm {
        return join(in[0], in[1]) ? MaybeForm(Form()) : std::nullopt;
      })
      .Default([&](Operation *) -> MaybeForm {
        bool constant = llvm::all_of(in, [](Form f) { return f.isConstant(); });
        return constant ? MaybeForm(Form()) : std::nullopt;
      });
}

namespace {
/// The walk from one value.
class Cancellation {
public:
  explicit Cancellation(Value start) : block(start.getParentBlock()) {
    auto type = cast<RankedTensorType>(start.getType());
    TensorForm form{Form::additive(1), {}};
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      form.dims.push_back(type.getDimSize(dim) == 1
                              ? std::nullopt
                              : std::optional<unsigned>(dim));
    track(start, std::move(form));
  }

  bool run(Operation *from);

private:
  void track(Value value, TensorForm form);
  bool visit(Operation *op);
  bool visitStructured(linalg::LinalgOp op);
  MaybeForm evaluateScalar(Value scalar, Block *body,
                           llvm::DenseMap<Value, Form> &forms);

  Block *block;
  llvm::DenseMap<Value, TensorForm> tracked;
  /// Operations ahead that read a tracked value.
  llvm::SmallPtrSet<Operation *, 8> pending;
  bool escaped = false;
};
} // namespace

void Cancellation::track(Value value, TensorForm form) {
  if (form.form.isConstant())
    return;
  tracked[value] = std::move(form);
  for (Operation *user : value.getUsers()) {
    if (tp::getPhase(user) == "backward")
      continue;
    escaped |= user->getBlock() != block;
    pending.insert(user);
  }
}

bool Cancellation::run(Operation *from) {
  for (Operation *op = from->getNextNode(); op && !escaped && !pending.empty();
       op = op->getNextNode())
    if (pending.erase(op) && !visit(op))
      return false;
  return !escaped;
}

bool Cancellation::visit(Operation *op) {
  if (auto constrain = dyn_cast<tp::ConstrainOp>(op)) {
    track(constrain.getOutput(), tracked.lookup(constrain.getInput()));
    return true;
  }
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && visitStructured(structured);
}

MaybeForm Cancellation::evaluateScalar(Value scalar, Block *body,
                                       llvm::DenseMap<Value, Form> &forms) {
  if (auto it = forms.find(scalar); it != forms.end())
    return it->second;
  Operation *op = scalar.getDefiningOp();
  if (!op || (op->getBlock() != body && op->getNumOperands() != 0))
    return Form(); // From outside: not tracked, or the walk would have ended.
  if (op->getNumRegions() != 0)
    return std::nullopt;
  SmallVector<Form> operands;
  for (Value operand : op->getOperands()) {
    MaybeForm form = evaluateScalar(operand, body, forms);
    if (!form)
      return std::nullopt;
    operands.push_back(*form);
  }
  MaybeForm form = evaluate(op, operands);
  if (form)
    forms[scalar] = *form;
  return form;
}

bool Cancellation::visitStructured(linalg::LinalgOp op) {
  // The loops that run with the dims of the starting value.
  std::optional<SmallVector<std::optional<unsigned>>> loops;
  llvm::DenseMap<Value, Form> arguments;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    auto it = tracked.find(operand.get());
    if (it == tracked.end()) {
      arguments[argument] =
          isKnownZero(operand.get()) ? Form{Form::Zero} : Form();
      continue;
    }
    SmallVector<std::optional<unsigned>> own;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (std::optional<unsigned> dim : it->second.dims) {
      if (!dim) {
        own.push_back(std::nullopt);
        continue;
      }
      auto loop = dyn_cast<AffineDimExpr>(map.getResult(*dim));
      if (!loop)
        return false;
      own.push_back(loop.getPosition());
    }
    if (loops && *loops != own)
      return false;
    loops = own;
    arguments[argument] = it->second.form;
  }
  assert(loops && "visited for the sake of a tracked operand");

  Block *body = op.getBlock();
  for (OpOperand &yielded : body->getTerminator()->getOpOperands()) {
    OpOperand *init = op.getDpsInitOperand(yielded.getOperandNumber());
    BlockArgument out = op.getMatchingBlockArgument(init);
    llvm::DenseMap<Value, Form> forms = arguments;
    MaybeForm form = evaluateScalar(yielded.get(), body, forms);
    if (form && op.getNumReductionLoops() != 0) {
      // The second and later contributions find the first one's form.
      forms = arguments;
      forms[out] = *form;
      MaybeForm next = evaluateScalar(yielded.get(), body, forms);
      if (!next || !(*next == *form))
        return false;
    }
    if (!form)
      return false;
    TensorForm result{*form, {}};
    AffineMap map = op.getMatchingIndexingMap(init);
    for (std::optional<unsigned> loop : *loops) {
      std::optional<unsigned> dim;
      if (loop) {
        dim = map.getResultPosition(getAffineDimExpr(*loop, op->getContext()));
        if (!dim && !form->isConstant())
          return false; // Adds up elements with different t.
      }
      result.dims.push_back(dim);
    }
    track(op->getResult(yielded.getOperandNumber()), std::move(result));
  }
  return true;
}

bool cancelsOut(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<RankedTensorType>(value.getType()) &&
         Cancellation(value).run(op);
}

} // namespace tpc
