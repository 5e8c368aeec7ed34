#include "report/prediction_scores.h"

#include <algorithm>

#include "base/text.h"
#include "derive/compare/kernel_pairs.h"
#include "report/ncu_times.h"

namespace frx::report {
namespace {

using advise::Forecast;
using advise::Outcome;
using advise::Prediction;
using derive::compare::KernelPair;

// The kernel of the other side, by the index of one of this.
using Partners = std::map<std::size_t, std::size_t>;

std::vector<std::string> names(const NcuReport& report, const std::vector<std::size_t>& of, bool is_full) {
  std::vector<std::string> all;
  for (const std::size_t i : of) all.push_back(is_full ? report.kernels[i].name : report.kernels[i].short_name);
  return all;
}

std::vector<std::size_t> indices(std::size_t size) {
  std::vector<std::size_t> all(size);
  for (std::size_t i = 0; i < size; ++i) all[i] = i;
  return all;
}

// Pairs those of `first` and `second` with equal names, and leaves the others in them. Names that several have do not count: it is unknown
// which corresponds to which.
void pair_by_name(const NcuReport& before, const NcuReport& after, bool is_full, std::vector<std::size_t>& first,
                  std::vector<std::size_t>& second, Partners& partners) {
  std::map<std::string, KernelPair> called;
  const std::vector<std::string> a = names(before, first, is_full), b = names(after, second, is_full);
  for (std::size_t i = 0; i < a.size(); ++i) called[a[i]].first.push_back(first[i]);
  for (std::size_t i = 0; i < b.size(); ++i) called[b[i]].second.push_back(second[i]);
  first.clear();
  second.clear();
  for (const auto& [name, pair] : called) {
    if (pair.first.size() == 1 && pair.second.size() == 1) {
      partners[pair.first[0]] = pair.second[0];
      continue;
    }
    first.insert(first.end(), pair.first.begin(), pair.first.end());
    second.insert(second.end(), pair.second.begin(), pair.second.end());
  }
}

Partners partners_of(const NcuReport& before, const NcuReport& after) {
  Partners partners;
  std::vector<std::size_t> first = indices(before.kernels.size()), second = indices(after.kernels.size());
  pair_by_name(before, after, true, first, second, partners);
  pair_by_name(before, after, false, first, second, partners);
  if (first.size() == 1 && second.size() == 1) partners[first[0]] = second[0];  // it was renamed
  return partners;
}

std::optional<double> value_in(const Kernel& kernel, const Prediction& prediction) {
  const Value* value = kernel.value(prediction.id);
  if (!value) return std::nullopt;
  return advise::value_to_compare(prediction, value->reading, kernel.launches);
}

// Every value that both have is the same: one measurement, used twice.
bool is_same_measurement(const Kernel& a, const Kernel& b) {
  if (a.name != b.name || a.values.size() != b.values.size()) return false;
  return std::ranges::equal(a.values, b.values, [](const Value& x, const Value& y) { return x.id == y.id && x.value() == y.value(); });
}

class Scorer {
 public:
  Scorer(const NcuReport& before, const NcuReport& after, double time_floor)
      : before_(before), after_(after), time_floor_(time_floor), partners_(partners_of(before, after)) {}

  PredictionScores scores() {
    for (const advise::Recommendation& r : before_.advice.recommendations) add(r);
    return std::move(scores_);
  }

 private:
  void add(const advise::Recommendation& r) {
    if (r.predictions.empty()) return;
    const std::string name = printable(r.kernel);
    const auto kernel = std::ranges::find(before_.kernels, name, &Kernel::name);
    if (kernel == before_.kernels.end()) return;  // the comparison is about other kernels
    const auto partner = partners_.find(static_cast<std::size_t>(kernel - before_.kernels.begin()));
    const Kernel* other = partner == partners_.end() ? nullptr : &after_.kernels[partner->second];
    if (const std::string why = why_not(*kernel, other); !why.empty()) {
      scores_.unscored.push_back({std::string(r.id), std::string(r.title), name, why});
      return;
    }
    for (const Forecast& forecast : r.predictions) scores_.scored.push_back(scored(r, *forecast.prediction, *kernel, *other));
  }

  std::string why_not(const Kernel& kernel, const Kernel* other) const {
    if (different_gpus(before_, after_)) return "the profiles are of different GPUs";
    if (other == nullptr) return "its kernel has no counterpart on the other side";
    return is_same_measurement(kernel, *other) ? "both sides are the same measurement" : "";
  }

  ScoredPrediction scored(const advise::Recommendation& r, const Prediction& prediction, const Kernel& kernel, const Kernel& other) const {
    ScoredPrediction result{std::string(r.id), std::string(r.title),         std::string(r.label),        kernel.name, other.name,
                            prediction,        value_in(kernel, prediction), value_in(other, prediction), {}};
    const double share = prediction.id == "kernel_duration" ? time_floor_ : profile_noise_floor;
    result.score = advise::score(prediction, result.before, result.after, share);
    return result;
  }

  const NcuReport &before_, &after_;
  double time_floor_;
  Partners partners_;
  PredictionScores scores_;
};

}  // namespace

std::size_t PredictionScores::count(Outcome outcome) const {
  return static_cast<std::size_t>(std::ranges::count(scored, outcome, [](const ScoredPrediction& one) { return one.score.outcome; }));
}

PredictionScores score_predictions(const NcuReport& before, const NcuReport& after, double time_floor) {
  return Scorer(before, after, std::max(time_floor, profile_noise_floor)).scores();
}

}  // namespace frx::report
