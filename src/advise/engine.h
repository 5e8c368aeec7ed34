// From diagnosed bottlenecks to a ranked list of cards. It is independent of profilers: runs, kernels and PTX use it alike, each with its
// own labels and circumstances.
//
// rules in the order of the file -> per card the rule with the largest boost
//   -> score -> guardrails -> equivalents, dependencies -> order, bundles, withheld advice
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/catalogue.h"
#include "advise/circumstances.h"

namespace frx::advise {

// A bottleneck that holds. Its circumstances are those of the kernel or the run it was found in, so that the facts of one kernel never
// enable or disable the advice for another.
struct Diagnosed {
  std::string_view label;
  double score = 0;  // 0 to 1, of everything that was measured; ranks
  const Circumstances* circumstances = nullptr;
  // The score where it was found, when that is a part of the whole. It enables the rules: a label that holds clearly in a third of the time
  // deserves its advice, ranked by that third.
  double local_score = 0;
};

// Each 0 to 1.
struct Components {
  double speedup = 0;
  double confidence = 0;
  double cost_savings = 0;
  double ease = 0;
  double safety = 0;
  double priority_boost = 0;
};

struct Proposal {
  const Card* card = nullptr;
  const Rule* rule = nullptr;        // the one that won
  const Wording* wording = nullptr;  // of the card, where other words fit the program better
  std::size_t diagnosed = 0;         // index of the bottleneck it is for
  Components components;
  double score = 0;
  std::string_view priority;  // high, medium, low
  std::string_view tier;      // try_now, next, advanced
  std::string_view risk;      // low, medium, high
  std::vector<std::string_view> guardrails;
  std::vector<std::string_view> why_ranked;
};

struct Bundle {
  std::string_view label;
  std::string_view category;
  std::vector<std::string_view> ids;
};

struct Withheld {
  const Card* card = nullptr;
  std::string_view reason;
  std::vector<std::string_view> blocked_by;
  std::vector<std::pair<std::string_view, std::optional<double>>> evidence;
};

struct Proposals {
  std::vector<Proposal> proposals;  // best first
  std::vector<Bundle> bundles;
  std::vector<Withheld> withheld;
};

Proposals propose(const Catalogue& catalogue, std::span<const Diagnosed> diagnosed);

// The score of the components, guardrails included, and the effects of the guardrails.
double score_of(const Constants& constants, const Components& components, std::vector<std::string_view>& guardrails);

}  // namespace frx::advise
