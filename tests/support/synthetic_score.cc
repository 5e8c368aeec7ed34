#include "support/synthetic_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <numeric>

#include "base/files.h"
#include "diagnose/diagnosis.h"
#include "ingest/profile.h"
#include "support/synthetic_profile.h"

namespace frx::testing {
namespace {

constexpr std::uint64_t launches_of_a_file = 250;
constexpr std::size_t shown_wrong = 5;

template <typename Member>
std::uint64_t total(const std::vector<CauseScore>& causes, Member member) {
  return std::accumulate(causes.begin(), causes.end(), std::uint64_t{0},
                         [&](std::uint64_t sum, const CauseScore& one) { return sum + one.*member; });
}

void add(CauseScore& score, const SyntheticProfile& profile, std::string_view lead, std::uint64_t number) {
  const bool is_accepted = std::ranges::find(profile.accepted, lead) != profile.accepted.end();
  const bool is_forbidden = std::ranges::find(profile.forbidden, lead) != profile.forbidden.end();
  // Where the sections that tell the cause are missing, labels of how busy units were and of what warps waited for are what was measured.
  constexpr std::array<std::string_view, 15> measured = {
      "memory_bandwidth_bound",   "at_hardware_limit", "compute_bound",         "l1_throughput_bound",
      "warp_stall_memory",        "warp_stall_sync",   "low_issue_efficiency",  "low_warp_scheduler_utilization",
      "fixed_latency_dependency", "instruction_fetch", "constant_cache_misses", "latency_bound",
      "warp_divergence",          "inconclusive",      "insufficient_ncu_data"};
  const bool is_measured = std::ranges::find(measured, lead) != measured.end();
  ++score.profiles;
  score.decided += profile.is_decided;
  const bool is_bad = profile.is_decided ? is_forbidden : is_forbidden && !is_measured;
  score.forbidden += profile.is_decided && is_bad;
  const bool is_right = is_accepted || (!profile.is_decided && !is_bad);
  score.right += is_right;
  if (profile.is_decided) ++score.leads[std::string(lead)];
  if (!is_right && score.wrong.size() < shown_wrong) score.wrong.push_back(number);
}

}  // namespace

std::uint64_t SyntheticScore::profiles() const { return total(causes, &CauseScore::profiles); }
std::uint64_t SyntheticScore::right() const { return total(causes, &CauseScore::right); }
std::uint64_t SyntheticScore::forbidden() const { return total(causes, &CauseScore::forbidden); }

SyntheticScore score_synthetic(std::uint64_t count, const knowledge::Knowledge& knowledge) {
  SyntheticScore score;
  for (const std::string_view cause : synthetic_causes()) score.causes.emplace_back().cause = cause;
  for (std::uint64_t first = 0; first < count; first += launches_of_a_file) {
    std::vector<SyntheticProfile> profiles;
    for (std::uint64_t i = first; i < std::min(count, first + launches_of_a_file); ++i) profiles.push_back(synthetic_profile(i));
    const std::string csv = csv_of(profiles, knowledge.metrics);
    const auto source = open_bytes(csv);
    Result<model::Session> session = ingest::read_profile("made", *source, knowledge.metrics);
    if (!session) std::abort();
    const Result<diagnose::RunDiagnosis> run = diagnose::diagnose(std::move(*session), knowledge, {});
    if (!run) std::abort();
    for (const diagnose::KernelDiagnosis& kernel : run->kernels) {
      // "stencil_17(float *, int)"
      const std::string& name = kernel.kernel->name;
      const std::size_t begin = name.rfind('_', name.find('(')) + 1;
      const std::size_t i = static_cast<std::size_t>(std::strtoull(name.c_str() + begin, nullptr, 10));
      add(score.causes[(first + i) % score.causes.size()], profiles[i], kernel.primary, first + i);
    }
  }
  return score;
}

std::string table_of(const SyntheticScore& score) {
  std::string page;
  for (const CauseScore& one : score.causes) {
    std::vector<std::pair<std::uint64_t, std::string>> leads;
    for (const auto& [label, count] : one.leads) leads.emplace_back(count, label);
    std::ranges::sort(leads, std::greater());
    std::string text;
    for (const auto& [count, label] : leads) text += fmt::format("{}`{}` {}", text.empty() ? "" : ", ", label, count);
    fmt::format_to(std::back_inserter(page), "| {} | {} | {} | {:.1f} % | {} | {} |\n", one.cause, one.profiles, one.decided,
                   100.0 * static_cast<double>(one.right) / static_cast<double>(std::max<std::uint64_t>(one.profiles, 1)), one.forbidden,
                   text);
  }
  return page;
}

std::string synthetic_page(const SyntheticScore& score) {
  std::string page = fmt::format(
      "# Made-up launches of known cause\n\n"
      "Written by `./dev corpus --write`. {} launches of `tests/support/synthetic_profile.cc`: a machine model chooses a GPU, a kernel and "
      "what\n"
      "limits it, derives all counters consistently, and leaves out sections of every second launch at random. Nothing in them comes from "
      "a real\n"
      "file. Generator, scoring and rules were written together, by the same people, until they agreed: the figure shows that the rules "
      "follow\n"
      "this model and do not break, not how often they are right on other files.\n\n"
      "The leading label is right in **{:.2f} %**; a label whose fix could not help leads in **{}**. `decided`: the sections that tell the "
      "cause\n"
      "are among those collected; for the others \"inconclusive\" and what is not forbidden count as right. `leads`: of decided "
      "launches.\n\n"
      "| cause | launches | decided | right | forbidden | leads |\n|---|--:|--:|--:|--:|---|\n",
      score.profiles(), 100.0 * static_cast<double>(score.right()) / static_cast<double>(std::max<std::uint64_t>(score.profiles(), 1)),
      score.forbidden());
  page += table_of(score);
  return page;
}

}  // namespace frx::testing
