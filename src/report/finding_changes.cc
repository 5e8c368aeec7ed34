#include "report/finding_changes.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"

namespace frx::report {
namespace {

using derive::compare::KernelPair;
using model::Finding;

constexpr std::size_t named_at_most = 3;  // kernels of a group

// The kernels of one side in one layer, under the names that findings use.
struct Side {
  std::vector<std::string> kernels;       // each once
  std::set<std::string_view> unfinished;  // those of them that were not analysed to their end
  std::span<const Finding> findings;
};

void add_once(std::vector<std::string>& names, std::set<std::string, std::less<>>& seen, std::string_view name) {
  if (seen.emplace(name).second) names.emplace_back(name);
}

// A kernel that is only launched here counts, too: its launches can have findings.
Side side_of(const CudaReport& report) {
  Side side{{}, {}, report.findings};
  std::set<std::string, std::less<>> seen;
  for (const model::cuda::Kernel& kernel : report.inspection.kernels) {
    add_once(side.kernels, seen, kernel.name);
    if (!kernel.is_complete) side.unfinished.insert(kernel.name);
  }
  for (const model::cuda::Launch& launch : report.inspection.launches) add_once(side.kernels, seen, launch.kernel);
  for (const Finding& finding : report.findings) add_once(side.kernels, seen, finding.kernel);
  return side;
}

Side side_of(const PtxReport& report) {
  Side side{{}, {}, report.diagnosis.findings};
  std::set<std::string, std::less<>> seen;
  for (const diagnose::PtxKernel& kernel : report.diagnosis.kernels) {
    add_once(side.kernels, seen, kernel.facts.name);
    if (!kernel.facts.function->is_complete) side.unfinished.insert(kernel.facts.name);
  }
  for (const Finding& finding : report.diagnosis.findings) add_once(side.kernels, seen, finding.kernel);
  return side;
}

// The file as a whole is on both sides, however few findings it has.
void share_the_nameless(Side& first, Side& second) {
  const bool in_first = std::ranges::find(first.kernels, "") != first.kernels.end();
  const bool in_second = std::ranges::find(second.kernels, "") != second.kernels.end();
  if (in_first && !in_second) second.kernels.emplace_back();
  if (in_second && !in_first) first.kernels.emplace_back();
}

// The mangled name where both sides have it, otherwise the readable one: a new parameter makes another symbol of the same kernel.
std::vector<std::string> pairing_names(const std::vector<std::string>& kernels, const std::vector<std::string>& others) {
  const std::set<std::string_view> shared(others.begin(), others.end());
  std::vector<std::string> names;
  names.reserve(kernels.size());
  for (const std::string& kernel : kernels) names.push_back(shared.contains(kernel) ? kernel : readable_symbol(kernel));
  return names;
}

std::vector<std::string> readable(const std::vector<std::string>& kernels) {
  std::vector<std::string> names;
  names.reserve(kernels.size());
  for (const std::string& kernel : kernels) names.push_back(printable(readable_symbol(kernel)));
  return names;
}

std::map<std::string_view, std::size_t> pair_of_kernel(const std::vector<std::string>& kernels, const std::vector<KernelPair>& pairs,
                                                       std::vector<std::size_t> KernelPair::*side) {
  std::map<std::string_view, std::size_t> all;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (const std::size_t kernel : pairs[i].*side) all[kernels[kernel]] = i;
  }
  return all;
}

bool is_surer(const Finding& a, const Finding& b) {
  constexpr std::string_view levels[] = {"low", "medium", "high"};
  const auto level = [&](const Finding& finding) { return std::ranges::find(levels, finding.confidence) - std::begin(levels); };
  return std::tuple(a.severity, level(a)) > std::tuple(b.severity, level(b));
}

using Changes = std::map<std::pair<std::size_t, std::string_view>, FindingChange>;  // by pair and rule

void add_findings(const Side& side, const std::map<std::string_view, std::size_t>& pairs, const Finding* FindingChange::*which,
                  std::size_t FindingChange::*places, Changes& changes) {
  for (const Finding& finding : side.findings) {
    const std::size_t pair = pairs.find(finding.kernel)->second;
    FindingChange& change = changes[{pair, finding.id()}];
    change.code = finding.id();
    change.pair = pair;
    if (!(change.*which) || is_surer(finding, *(change.*which))) change.*which = &finding;
    change.*places += 1 + finding.more_places().size();
  }
}

bool is_finished(const Side& side, const std::vector<std::size_t>& kernels) {
  return std::ranges::none_of(kernels, [&](std::size_t kernel) { return side.unfinished.contains(side.kernels[kernel]); });
}

FindingChanges changes_between(Side first, Side second) {
  share_the_nameless(first, second);
  FindingChanges result;
  result.pairs = derive::compare::pair_up(pairing_names(first.kernels, second.kernels), pairing_names(second.kernels, first.kernels));
  for (const KernelPair& pair : result.pairs)
    result.is_comparable.push_back(pair.is_on_both_sides() && is_finished(first, pair.first) && is_finished(second, pair.second));
  result.first_kernels = readable(first.kernels);
  result.second_kernels = readable(second.kernels);
  Changes changes;
  add_findings(first, pair_of_kernel(first.kernels, result.pairs, &KernelPair::first), &FindingChange::first, &FindingChange::first_places,
               changes);
  add_findings(second, pair_of_kernel(second.kernels, result.pairs, &KernelPair::second), &FindingChange::second,
               &FindingChange::second_places, changes);
  result.first_symbols = std::move(first.kernels);
  result.second_symbols = std::move(second.kernels);
  for (auto& [key, change] : changes) {
    change.kernel = result.kernel_of(result.pairs[change.pair]);
    change.is_comparable = result.is_comparable[change.pair];
    result.all.push_back(std::move(change));
  }
  std::ranges::stable_sort(result.all, [](const FindingChange& a, const FindingChange& b) { return is_surer(a.either(), b.either()); });
  return result;
}

}  // namespace

std::string_view name_of(Change change) {
  return change == Change::resolved ? "resolved" : change == Change::appeared ? "new" : "persistent";
}

std::vector<std::string> sentences_of(std::span<const FindingChange* const> changes) {
  std::map<std::pair<std::string_view, Change>, std::vector<std::string>> kernels;  // by rule and change
  for (const FindingChange* change : changes) {
    std::vector<std::string>& names = kernels[{change->code, change->change()}];
    if (!change->kernel.empty()) names.push_back(change->kernel);
  }
  std::vector<std::string> sentences;
  for (auto& [what, names] : kernels) {
    const std::string_view verb = what.second == Change::resolved   ? "is gone"
                                  : what.second == Change::appeared ? "is new"
                                                                    : "is on both sides";
    const std::string in = names.size() > 1 ? fmt::format(" in {} kernels", names.size()) : "";
    if (names.size() > named_at_most) {
      names.resize(named_at_most);
      names.emplace_back("...");
    }
    sentences.push_back(fmt::format("{} {}{}{}", what.first, verb, in, names.empty() ? "" : fmt::format(" ({})", join(names, ", "))));
  }
  return sentences;
}

std::string FindingChanges::kernel_of(const KernelPair& pair) const {
  const auto names = [](const std::vector<std::string>& kernels, const std::vector<std::size_t>& which) {
    std::vector<std::string> named;
    for (const std::size_t kernel : std::span(which).first(std::min(named_at_most, which.size()))) named.push_back(kernels[kernel]);
    if (which.size() > named_at_most) named.push_back(fmt::format("{} more", which.size() - named_at_most));
    return join(named, " + ");
  };
  const std::string first = names(first_kernels, pair.first), second = names(second_kernels, pair.second);
  if (!pair.is_on_both_sides()) return first + second;
  return first == second ? first : fmt::format("{} -> {}", first, second);
}

std::vector<std::string> FindingChanges::codes(Change change) const {
  std::set<std::string> codes;
  for (const FindingChange& one : all) {
    if (one.change() == change) codes.emplace(one.code);
  }
  return {codes.begin(), codes.end()};
}

FindingChanges changes_in_source(const CudaReport& first, const CudaReport& second) {
  return changes_between(side_of(first), side_of(second));
}

FindingChanges changes_in_ptx(const PtxReport& first, const PtxReport& second) { return changes_between(side_of(first), side_of(second)); }

}  // namespace frx::report
