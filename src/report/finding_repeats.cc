#include "report/finding_repeats.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace frx::report {
namespace {

using model::Finding;
using model::TextPlace;

using Definitions = std::set<std::pair<std::string_view, std::uint32_t>>;  // files and lines

// The message decides for launches and for kernels that a macro makes, the place for the rest.
struct Key {
  const model::FindingType* type = nullptr;
  std::string_view file;
  std::uint32_t line = 0, column = 0;
  std::string_view message, macro;

  auto operator<=>(const Key&) const = default;
};

bool is_about_launches(const Finding& finding) { return finding.type->is_about_launches; }

// "OPERATION" of `OPERATION(float, add, x + y)`; empty for other code.
std::string_view macro_in(std::string_view snippet) {
  constexpr std::string_view of_macros = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  const std::size_t end = snippet.find_first_not_of(of_macros);
  return end != snippet.npos && end > 0 && snippet[end] == '(' ? snippet.substr(0, end) : std::string_view();
}

Key key_of(const Finding& finding, const Definitions& kernels) {
  const TextPlace& at = finding.place();
  if (is_about_launches(finding)) return {finding.type, at.file.view(), 0, 0, finding.message.view(), ""};
  // Where a kernel and its fault are one place, a macro made both.
  const std::string_view macro = kernels.contains({at.file.view(), at.line}) ? macro_in(finding.snippet.view()) : std::string_view();
  if (!macro.empty()) return {finding.type, at.file.view(), 0, 0, finding.message.view(), macro};
  return {finding.type, at.file.view(), at.line, at.column, "", ""};
}

// The kernels and places that a finding has so far, so that each is added once.
struct Joined {
  Finding first;
  bool is_of_macro = false;
  std::set<std::string_view> kernels;
  std::set<std::tuple<std::string_view, std::uint32_t, std::uint32_t>> places;

  void note(const Finding& finding) {
    kernels.insert(finding.kernel.view());
    for (const TextPlace& at : finding.places) places.emplace(at.file.view(), at.line, at.column);
  }
  void add(const Finding& other) {
    if (!other.kernel.empty() && kernels.insert(other.kernel.view()).second) first.more_kernels.push_back(other.kernel);
    for (const TextPlace& at : other.places) {
      if (places.emplace(at.file.view(), at.line, at.column).second) first.places.push_back(at);
    }
    first.tier = std::min(first.tier, other.tier);
  }
};

std::string names_of(const std::vector<SharedText>& kernels) {
  constexpr std::size_t most = 3;
  std::vector<std::string> names;
  for (const SharedText& kernel : std::span(kernels).first(std::min(most, kernels.size()))) names.emplace_back(printable(kernel.view()));
  if (kernels.size() > most) names.push_back(count_text(kernels.size() - most, "more kernel"));
  return join_with_and(names);
}

}  // namespace

void join_repeats(std::vector<Finding>& findings, std::span<const model::cuda::Kernel> kernels) {
  if (findings.empty()) return;
  Definitions definitions;
  for (const model::cuda::Kernel& kernel : kernels) definitions.emplace(kernel.place.file.view(), kernel.place.line);
  std::vector<Joined> all;
  std::map<Key, std::size_t> known;
  for (const Finding& finding : findings) {
    const auto [at, is_new] = known.emplace(key_of(finding, definitions), all.size());
    if (is_new) {
      all.push_back({.first = finding, .is_of_macro = !at->first.macro.empty()});
      all.back().note(finding);
    } else {
      all[at->second].add(finding);
    }
  }
  std::vector<Finding> joined;
  for (Joined& one : all) {
    Finding& finding = one.first;
    if (is_about_launches(finding)) finding.reach = model::Reach::file;
    if (!is_about_launches(finding) && !finding.more_kernels.empty())
      finding.message = fmt::format("{} {} {}.", finding.message.view(),
                                    one.is_of_macro ? "The same macro makes" : "The same code is part of", names_of(finding.more_kernels));
    joined.push_back(std::move(finding));
  }
  findings = std::move(joined);
}

}  // namespace frx::report
