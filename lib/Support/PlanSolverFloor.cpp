// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how low a value's cost less its prices can be.
//
// Unions of few states are listed. Of a value with many uses there are too many
// larger ones; they are searched by branch and bound. With composable moves a
// union never costs less than a part of it, so what a part costs, less the best
// prices with anything that may still be added, is a bound.

#include "PlanSolverFloor.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpc::plan {

/// Most unions to try for the list, most steps of a search, and most unions it
/// may report.
constexpr size_t maxListed = 10000;
constexpr int maxSteps = 500000;
constexpr size_t maxMissing = 500;

Combinations::Combinations(TypeStates &type, ArrayRef<int> endSets,
                           bool composable)
    : type(type), composable(composable) {
  std::vector<int> layer;
  size_t numUsers = 0;
  for (int set : endSets) {
    ArrayRef<int> members = type.members(set);
    bool isProducer = type.produced(members.front()).has_value();
    llvm::append_range(isProducer ? layer : users, members);
    numUsers += !isProducer;
    ends.push_back({isProducer, members});
  }
  llvm::sort(users);
  users.erase(llvm::unique(users), users.end());

  // Layer after layer one more user is joined to the producer's state.
  std::vector<int> all;
  DenseMap<int, char> isSeen;
  for (size_t depth = 0;; ++depth) {
    size_t before = all.size();
    for (int state : layer)
      if (isSeen.try_emplace(state, 1).second && !type.cost(state).isInfinite())
        all.push_back(state);
    size_t added = all.size() - before;
    if (depth == numUsers || added == 0)
      break;
    if (depth != 0 && added * users.size() > maxListed) {
      isComplete = false;
      break;
    }
    layer.clear();
    for (int state : ArrayRef(all).take_back(added))
      for (int user : users)
        layer.push_back(type.join(state, user));
  }
  begins.push_back(0);
  for (int state : all)
    add(state);
}

bool Combinations::fits(int whole, int piece) const {
  if (std::optional<int> produced = type.produced(piece))
    return produced == type.produced(whole);
  return all_of(type.needed(piece), [&](int placement) {
    return placement == type.produced(whole) ||
           is_contained(type.needed(whole), placement);
  });
}

void Combinations::add(int state) {
  size_t numParts = parts.size(), numBegins = begins.size();
  bool isPossible = true;
  for (const End &end : ends) {
    for (auto [local, piece] : enumerate(end.states))
      if (fits(state, piece))
        parts.push_back(local);
    isPossible &= int(parts.size()) != begins.back();
    begins.push_back(parts.size());
  }
  if (isPossible) {
    entries.push_back({state, type.cost(state).parts[0]});
  } else {
    parts.resize(numParts);
    begins.resize(numBegins);
  }
}

/// Branch and bound over the sets of placements that a value is needed in.
class FloorSearch {
public:
  FloorSearch(const Combinations &list,
              ArrayRef<SmallVector<int64_t>> endPrices, int64_t scale,
              int64_t floor)
      : list(list), type(list.type), scale(scale), listed(floor), floor(floor) {
    for (auto [end, prices] : zip_equal(list.ends, endPrices))
      for (int state : end.states)
        for (int placement : placementsOf(state))
          numbers.try_emplace(placement, int(numbers.size()));
    for (auto [end, prices] : zip_equal(list.ends, endPrices)) {
      std::vector<Choice> choices;
      for (auto [state, price] : zip_equal(end.states, prices))
        choices.push_back(
            {price, bitsOf(state),
             int(llvm::lower_bound(list.users, state) - list.users.begin())});
      llvm::sort(choices, [](const Choice &a, const Choice &b) {
        return std::tie(b.price, a.user) < std::tie(a.price, b.user);
      });
      if (end.isProducer) {
        producer = &end;
        producerPrices = prices;
      } else {
        ofUser.push_back(std::move(choices));
      }
    }
  }

  /// The floor, not above the one given.
  int64_t run() {
    BitVector open(list.users.size(), true);
    for (auto [state, price] : zip_equal(producer->states, producerPrices))
      visit(state, bitsOf(state), price, open, 0, 0);
    return floor;
  }
  /// States below the floor given.
  std::vector<int> missing;

private:
  struct Choice {
    int64_t price;
    BitVector placements;
    int user;
  };
  SmallVector<int> placementsOf(int state) const {
    SmallVector<int> result(type.needed(state));
    if (std::optional<int> produced = type.produced(state))
      result.push_back(*produced);
    return result;
  }
  BitVector bitsOf(int state) const {
    BitVector bits(numbers.size());
    for (int placement : placementsOf(state))
      bits.set(numbers.lookup(placement));
    return bits;
  }
  void visit(int state, const BitVector &made, int64_t producerPrice,
             const BitVector &open, size_t depth, int64_t parentCost);

  const Combinations &list;
  TypeStates &type;
  int64_t scale;
  int64_t listed, floor;
  int steps = 0;
  DenseMap<int, int> numbers;
  const Combinations::End *producer = nullptr;
  ArrayRef<int64_t> producerPrices;
  /// Per user's end, dearest first.
  std::vector<std::vector<Choice>> ofUser;
};

void FloorSearch::visit(int state, const BitVector &made, int64_t producerPrice,
                        const BitVector &open, size_t depth,
                        int64_t parentCost) {
  // The best prices of what fits now, and with what is still open. Only what
  // is dearer than what fits now is worth adding.
  int64_t now = producerPrice, later = producerPrice;
  bool isWhole = true;
  BitVector useful(open.size());
  for (const std::vector<Choice> &choices : ofUser) {
    bool isFirst = true, fitsNow = false;
    for (const Choice &choice : choices) {
      fitsNow = !choice.placements.test(made);
      if (!fitsNow && (depth == ofUser.size() || !open.test(choice.user)))
        continue;
      if (isFirst)
        later += choice.price;
      isFirst = false;
      if (fitsNow) {
        now += choice.price;
        break;
      }
      useful.set(choice.user);
    }
    if (isFirst)
      return;
    isWhole &= fitsNow;
  }
  if (parentCost - later >= floor)
    return;
  const Weight &weight = type.cost(state);
  // Beyond all prices; larger sets are too.
  constexpr int64_t far = int64_t(1) << 60;
  if (weight.isInfinite() || weight.parts[0] > far / scale)
    return;
  int64_t cost = weight.parts[0] * scale;
  if (cost - later >= floor)
    return;
  if (++steps > maxSteps) {
    floor = cost - later;
    return;
  }
  if (isWhole && cost - now < listed) {
    if (missing.size() < maxMissing)
      missing.push_back(state);
    floor = std::min(floor, cost - now);
  }
  SmallVector<int> candidates(useful.set_bits());
  for (int user : candidates) {
    if (cost - later >= floor)
      return;
    useful.reset(user);
    BitVector more = made;
    more |= bitsOf(list.users[user]);
    visit(type.join(state, list.users[user]), more, producerPrice, useful,
          depth + 1, cost);
  }
}

int64_t Combinations::floorOf(ArrayRef<SmallVector<int64_t>> prices,
                              int64_t scale, std::vector<int> *missing) const {
  int64_t floor = std::numeric_limits<int64_t>::max();
  for (auto [index, entry] : enumerate(entries)) {
    int64_t sum = entry.cost * scale;
    for (size_t end = 0; end < ends.size(); ++end) {
      ArrayRef<int16_t> pieces = partsOf(index, end);
      int64_t most = prices[end][pieces.front()];
      for (int piece : pieces.drop_front())
        most = std::max(most, prices[end][piece]);
      sum -= most;
    }
    floor = std::min(floor, sum);
  }
  if (isComplete)
    return entries.empty() ? 0 : floor;
  if (!composable) {
    // Nothing is known of larger sets, but that no cost is negative.
    int64_t sum = 0;
    for (const SmallVector<int64_t> &all : prices)
      sum -= *llvm::max_element(all);
    return std::min(floor, sum);
  }
  FloorSearch search(*this, prices, scale, floor);
  floor = search.run();
  if (missing)
    llvm::append_range(*missing, search.missing);
  return floor;
}

} // namespace tpc::plan
