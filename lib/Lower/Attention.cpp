// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises attention by what it computes.
//
// Everything computed elementwise or by reductions from the scores must end in
// contractions. What a contraction gets from there is evaluated for rows of
// made-up scores, and made-up gradients of the probabilities, and compared with
// the softmax and with its gradient. So it does not matter how the softmax, its
// mask and what differentiation made of them are written. Before that the code
// is looked at (AttentionCode.h): only where the rows that are evaluated tell
// all of it they are compared.
#include "Attention.h"
#include "AttentionCode.h"
#include "OperandView.h"
#include "TensorValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;

namespace tpc::lower {

namespace {

/// A contraction that reads what was computed from the scores.
struct Exit {
  linalg::GenericOp product;
  unsigned side;
  Value value;
};

/// A number in [-2, 2) that looks random.
double madeUp(uint64_t seed, uint64_t element) {
  uint64_t x = seed * 0x9e3779b97f4a7c15u + element * 0xbf58476d1ce4e5b9u;
  x ^= x >> 31;
  x *= 0x94d049bb133111ebu;
  x ^= x >> 29;
  return double(x >> 11) / double(uint64_t(1) << 53) * 4 - 2;
}

bool close(double is, double expected) {
  return std::fabs(is - expected) <= 1e-9 + 1e-7 * std::fabs(expected);
}

class AttentionMatcher {
public:
  explicit AttentionMatcher(linalg::GenericOp scores)
      : scores(scores), type(cast<RankedTensorType>(scores.getType(0))) {}

  std::optional<Attention> run();

private:
  bool assignScores();
  bool collectExits();
  bool sampleRow(Value value, bool gradient, int64_t batch, int64_t row);
  bool findSoftmax(Value value);
  bool agrees(Value value, bool gradient);
  bool addExit(const Exit &exit, bool gradient);
  AttentionOperand operandOf(linalg::GenericOp product, unsigned side,
                             ArrayRef<unsigned> axes) const;
  bool assignAxes(linalg::GenericOp product, unsigned side,
                  SmallVector<unsigned> &axes) const;
  bool fail(const Twine &reason) {
    if (attention.reason.empty())
      attention.reason = reason.str();
    return false;
  }
  bool failBy(Operation *user) {
    return fail("the scores or probabilities are also used by '" +
                user->getName().getStringRef() + "'");
  }
  bool requireZero(linalg::GenericOp product) {
    return startsFromZero(product) ||
           fail("a product of it starts from another tensor");
  }
  bool failByProducts() {
    return fail("its products are not those of one attention");
  }
  /// The place of an element of the scores.
  int64_t place(int64_t batch, int64_t row, int64_t column) const;

  linalg::GenericOp scores;
  RankedTensorType type;
  /// Per dim of the scores.
  SmallVector<unsigned> scoreAxes;
  int64_t rows = 1, columns = 1, batches = 1;
  SmallVector<Exit> exits;
  /// The gradient of the probabilities, once seen.
  Value dprobabilities;
  /// What sampleRow saw.
  SmallVector<double> row, expected;
  std::string culprit;
  Attention attention;
};

} // namespace

/// The tensor behind copies that widen and transpose it.
static AttentionOperand throughCopies(AttentionOperand operand) {
  while (auto copy = operand.value.getDefiningOp<linalg::GenericOp>()) {
    if (!isCopy(copy))
      break;
    AffineMap in = copy.getIndexingMapsArray()[0];
    AffineMap out = copy.getIndexingMapsArray()[1];
    SmallVector<AffineExpr> results(out.getNumResults());
    for (auto [dim, loop] : llvm::enumerate(out.getResults()))
      results[*in.getResultPosition(loop)] = operand.map.getResult(dim);
    operand = {copy.getInputs()[0],
               AffineMap::get(4, 0, results, copy.getContext())};
  }
  return operand;
}

/// Dims that both factors have are batch and head, in the order of the result.
bool AttentionMatcher::assignScores() {
  std::optional<ContractionDims> dims = matchContraction(scores);
  if (!dims || type.getNumElements() == 0)
    return false;
  if (dims->batch.size() > 2 || dims->m.size() != 1 || dims->n.size() != 1 ||
      dims->k.size() != 1) {
    scoreAxes.assign(type.getRank(), kUnit);
    return fail(dims->m.size() > 1 || dims->batch.size() > 2
                    ? "its scores have more dims than batch, head, row and "
                      "column, as those of grouped queries have"
                    : "it has fewer than two rows or columns");
  }
  AffineMap out = scores.getIndexingMapsArray()[2];
  unsigned next = dims->batch.size() == 1 ? Head : Batch;
  for (auto [dim, expr] : llvm::enumerate(out.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    unsigned axis = kUnit;
    if (llvm::is_contained(dims->batch, loop))
      axis = next++;
    else if (loop == dims->m[0])
      axis = Row;
    else if (loop == dims->n[0])
      axis = Column;
    scoreAxes.push_back(axis);
    int64_t size = type.getDimSize(dim);
    if (axis == Row)
      rows = size;
    else if (axis == Column)
      columns = size;
    else
      batches *= size;
  }
  return true;
}

int64_t AttentionMatcher::place(int64_t batch, int64_t row,
                                int64_t column) const {
  SmallVector<int64_t> index(scoreAxes.size(), 0);
  for (int64_t dim = scoreAxes.size() - 1; dim >= 0; --dim) {
    int64_t size = type.getDimSize(dim);
    if (scoreAxes[dim] == Row) {
      index[dim] = row;
    } else if (scoreAxes[dim] == Column) {
      index[dim] = column;
    } else {
      index[dim] = batch % size;
      batch /= size;
    }
  }
  int64_t element = 0;
  for (auto [dim, at] : llvm::enumerate(index))
    element = element * type.getDimSize(dim) + at;
  return element;
}

/// Follows what is computed from the scores to the contractions behind it.
bool AttentionMatcher::collectExits() {
  llvm::SetVector<Value> values;
  values.insert(scores.getResult(0));
  bool closed = true;
  for (unsigned next = 0; next < values.size(); ++next) {
    if (values.size() > kMostAttentionValues) {
      exits.clear();
      return false;
    }
    Value value = values[next];
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      auto generic = dyn_cast<linalg::GenericOp>(user);
      bool isHere = user->getBlock() == scores->getBlock();
      if (isHere && generic && matchContraction(generic) &&
          use.getOperandNumber() < 2) {
        exits.push_back({generic, use.getOperandNumber(), value});
      } else if (isHere && generic && matchContraction(generic)) {
        closed &= failBy(user);
      } else if (isHere &&
                 (generic || isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                                 tensor::CastOp>(user))) {
        for (Value result : user->getResults())
          values.insert(result);
      } else {
        closed &= failBy(user);
      }
    }
  }
  return closed;
}

/// Evaluates one row of `value` and what is expected there into `row` and
/// `expected`.
bool AttentionMatcher::sampleRow(Value value, bool gradient, int64_t batch,
                                 int64_t at) {
  TensorValues values([&](Value tensor, int64_t element) {
    std::optional<Scalar> scalar;
    if (tensor == scores.getResult(0))
      return std::optional(Scalar::of(madeUp(1, element)));
    auto product = tensor.getDefiningOp<linalg::GenericOp>();
    if (!gradient || !product || !matchContraction(product) ||
        cast<RankedTensorType>(tensor.getType()).getShape() != type.getShape())
      return scalar;
    if (!dprobabilities)
      dprobabilities = tensor;
    if (tensor == dprobabilities)
      scalar = Scalar::of(madeUp(2, element));
    return scalar;
  });
  row.clear();
  for (int64_t column = 0; column < columns; ++column) {
    std::optional<Scalar> scalar = values.get(value, place(batch, at, column));
    if (!scalar) {
      if (culprit.empty())
        culprit = nameOf(values.culprit);
      return false;
    }
    row.push_back(scalar->real);
  }
  int64_t used = attention.causal ? std::min(columns, at + 1) : columns;
  double largest = -INFINITY, sum = 0, joined = 0;
  for (int64_t column = 0; column < used; ++column)
    largest = std::max(largest,
                       attention.scale * madeUp(1, place(batch, at, column)));
  expected.assign(columns, 0);
  for (int64_t column = 0; column < used; ++column) {
    double score = attention.scale * madeUp(1, place(batch, at, column));
    sum += expected[column] = std::exp(score - largest);
  }
  for (double &probability : expected)
    probability /= sum;
  if (!gradient)
    return true;
  for (int64_t column = 0; column < columns; ++column)
    joined += expected[column] * madeUp(2, place(batch, at, column));
  for (int64_t column = 0; column < columns; ++column)
    expected[column] *=
        attention.scale * (madeUp(2, place(batch, at, column)) - joined);
  return true;
}

/// Reads scale and mask off the last and the first row.
bool AttentionMatcher::findSoftmax(Value value) {
  if (cast<RankedTensorType>(value.getType()).getShape() != type.getShape() ||
      rows < 2 || columns < 2)
    return false;
  if (!sampleRow(value, false, 0, rows - 1))
    return false;
  double score0 = madeUp(1, place(0, rows - 1, 0));
  double score1 = madeUp(1, place(0, rows - 1, 1));
  attention.scale = std::log(row[0] / row[1]) / (score0 - score1);
  if (!std::isfinite(attention.scale) || !sampleRow(value, false, 0, 0))
    return false;
  attention.causal = row[1] == 0;
  return agrees(value, false);
}

/// Compares rows of `value` with what they should be.
bool AttentionMatcher::agrees(Value value, bool gradient) {
  if (cast<RankedTensorType>(value.getType()).getShape() != type.getShape())
    return false;
  llvm::SmallSetVector<int64_t, 8> samples;
  for (int64_t at : {int64_t(0), int64_t(1), rows / 2, rows - 1})
    samples.insert(std::min(at, rows - 1));
  // All differences of a row and a column occur.
  for (int64_t at = 0; at < rows; at += columns)
    samples.insert(at);
  // Long rows take time, short ones are all looked at.
  if (rows * columns <= 4096)
    for (int64_t at = 0; at < rows; ++at)
      samples.insert(at);
  for (int64_t batch : {int64_t(0), batches - 1})
    for (int64_t at : samples) {
      if (!sampleRow(value, gradient, batch, at))
        return false;
      for (int64_t column = 0; column < columns; ++column)
        if (!close(row[column], expected[column]))
          return false;
    }
  return true;
}

/// Per loop of a product that reads a tensor like the scores: what it is.
bool AttentionMatcher::assignAxes(linalg::GenericOp product, unsigned side,
                                  SmallVector<unsigned> &axes) const {
  SmallVector<int64_t> extents = product.getStaticLoopRanges();
  axes.assign(extents.size(), kUnit);
  AffineMap map = product.getIndexingMapsArray()[side];
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    axes[cast<AffineDimExpr>(expr).getPosition()] = scoreAxes[dim];
  unsigned features = 0;
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (extent != 1 && !map.isFunctionOfDim(loop)) {
      axes[loop] = Feature;
      ++features;
    }
  return features == 1;
}

/// An operand or the result (side 2) of a product, with rows or columns of the
/// scores as its rows.
AttentionOperand AttentionMatcher::operandOf(linalg::GenericOp product,
                                             unsigned side,
                                             ArrayRef<unsigned> axes) const {
  MLIRContext *context = product.getContext();
  Value value = side == 2 ? product.getResult(0) : product->getOperand(side);
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : product.getIndexingMapsArray()[side].getResults()) {
    unsigned axis = axes[cast<AffineDimExpr>(expr).getPosition()];
    if (axis == kUnit)
      results.push_back(getAffineConstantExpr(0, context));
    else
      results.push_back(getAffineDimExpr(axis == Column ? Row : axis, context));
  }
  AttentionOperand operand{value, AffineMap::get(4, 0, results, context)};
  return side == 2 ? operand : throughCopies(operand);
}

/// Takes a product with the probabilities, or with the gradient of the scores.
bool AttentionMatcher::addExit(const Exit &exit, bool gradient) {
  linalg::GenericOp product = exit.product;
  SmallVector<unsigned> axes;
  if (!assignAxes(product, exit.side, axes))
    return failByProducts();
  AffineMap out = product.getIndexingMapsArray()[2];
  unsigned summed = kUnit;
  for (auto [loop, axis] : llvm::enumerate(axes))
    if (axis != kUnit && !out.isFunctionOfDim(loop)) {
      if (summed != kUnit)
        return failByProducts();
      summed = axis;
    }
  AttentionOperand other = operandOf(product, 1 - exit.side, axes);
  AttentionOperand result = operandOf(product, 2, axes);
  AttentionOperand *source = nullptr, *target = nullptr;
  if (summed == Column) {
    source = gradient ? &attention.k : &attention.v;
    target = gradient ? &attention.dq : &attention.output;
  } else if (summed == Row) {
    source = gradient ? &attention.q : &attention.doutput;
    target = gradient ? &attention.dk : &attention.dv;
  } else {
    return failByProducts();
  }
  if (source->value && !(*source == other))
    return failByProducts();
  if (target->value)
    return failByProducts();
  *source = other;
  *target = result;
  return true;
}

std::optional<Attention> AttentionMatcher::run() {
  attention.scores = scores;
  bool isAssigned = assignScores();
  if (!isAssigned && scoreAxes.empty())
    return std::nullopt;
  bool closed = collectExits();
  if (exits.empty())
    return std::nullopt;
  // Looked at with rows and columns as they are and the other way.
  bool isSoftmax = false;
  std::string unlike;
  auto canSample = [&](Value value) {
    auto shape = cast<RankedTensorType>(value.getType());
    if (shape.getNumElements() != type.getNumElements() ||
        (isAssigned && shape.getShape() != type.getShape()))
      return false;
    scoreAxes.resize(shape.getRank(), kUnit);
    AttentionCode code = lookAtAttention(value, scores, scoreAxes);
    isSoftmax |= code.hasExponential && code.hasSum;
    if (unlike.empty())
      unlike = code.reason;
    return code.reason.empty();
  };
  if (!isAssigned) {
    for (const Exit &exit : exits)
      canSample(exit.value);
    return isSoftmax ? std::optional(attention) : std::nullopt;
  }

  // The first product that gets a softmax tells scale and mask; scores may be
  // written with columns first.
  Value probabilities;
  for (bool swapped : {false, true}) {
    if (swapped) {
      for (unsigned &axis : scoreAxes)
        axis = axis == Row ? Column : axis == Column ? Row : axis;
      std::swap(rows, columns);
    }
    for (const Exit &exit : exits)
      if (!probabilities && canSample(exit.value) && findSoftmax(exit.value))
        probabilities = exit.value;
    if (probabilities)
      break;
  }
  if (!probabilities) {
    if (!isSoftmax)
      return std::nullopt;
    attention.reason =
        !unlike.empty() ? unlike
        : rows < 2 || columns < 2
            ? "it has fewer than two rows or columns"
            : "it is not softmax(scale * scores) with no mask or a causal one";
    return attention;
  }
  if (!closed || !requireZero(scores))
    return attention;

  SmallVector<unsigned> axes;
  SmallVector<AffineMap> maps = scores.getIndexingMapsArray();
  std::optional<ContractionDims> dims = matchContraction(scores);
  axes.assign(scores.getNumLoops(), kUnit);
  for (auto [dim, expr] : llvm::enumerate(maps[2].getResults()))
    axes[cast<AffineDimExpr>(expr).getPosition()] = scoreAxes[dim];
  axes[dims->k[0]] = Feature;
  bool firstHasRows = axes[dims->m[0]] == Row;
  attention.q = operandOf(scores, firstHasRows ? 0 : 1, axes);
  attention.k = operandOf(scores, firstHasRows ? 1 : 0, axes);
  llvm::SmallDenseMap<Value, int> kinds;
  for (const Exit &exit : exits) {
    auto [kind, isNew] = kinds.try_emplace(exit.value, 0);
    unlike.clear();
    if (isNew && !canSample(exit.value) && !unlike.empty()) {
      fail(unlike);
      return attention;
    }
    if (isNew && agrees(exit.value, /*gradient=*/false)) {
      kind->second = 1;
    } else if (isNew) {
      culprit.clear();
      kind->second = agrees(exit.value, /*gradient=*/true) ? 2 : 0;
    }
    if (!kind->second) {
      fail("something else is computed from the scores" +
           (culprit.empty() ? std::string() : ", with " + culprit));
      return attention;
    }
    if (!requireZero(exit.product) || !addExit(exit, kind->second == 2))
      return attention;
  }
  if (!attention.output.value) {
    failByProducts();
    return attention;
  }
  unsigned parts = bool(attention.dq.value) + bool(attention.dk.value) +
                   bool(attention.dv.value) + bool(dprobabilities);
  attention.hasGradient = parts > 0;
  if (!parts)
    return attention;
  if (parts < 4) {
    fail("not all of queries, keys and values have gradients");
    return attention;
  }
  // The gradient of the probabilities is that of the output times the values.
  auto product = dprobabilities.getDefiningOp<linalg::GenericOp>();
  std::optional<ContractionDims> inner = matchContraction(product);
  AffineMap out = product.getIndexingMapsArray()[2];
  SmallVector<unsigned> loops(product.getNumLoops(), kUnit);
  for (auto [dim, expr] : llvm::enumerate(out.getResults()))
    loops[cast<AffineDimExpr>(expr).getPosition()] = scoreAxes[dim];
  bool fits =
      inner->k.size() == 1 && inner->m.size() == 1 && inner->n.size() == 1;
  if (fits) {
    loops[inner->k[0]] = Feature;
    unsigned rowSide = loops[inner->m[0]] == Row ? 0 : 1;
    fits = operandOf(product, rowSide, loops) == attention.doutput &&
           operandOf(product, 1 - rowSide, loops) == attention.v;
  }
  if (!fits)
    failByProducts();
  else
    requireZero(product);
  return attention;
}

std::optional<Attention> matchAttention(linalg::GenericOp scores) {
  return AttentionMatcher(scores).run();
}

} // namespace tpc::lower
