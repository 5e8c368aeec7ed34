#include "compose/gate/suppressions.h"

#include <fnmatch.h>

#include <algorithm>

#include "answer/fingerprints.h"
#include "base/day.h"
#include "base/document.h"
#include "base/text.h"
#include "base/units.h"

namespace frx::compose {
namespace {

using answer::Issue;

constexpr std::pair<std::string_view, std::string Suppression::*> suppression_keys[] = {
    {"rule", &Suppression::rule},     {"file", &Suppression::file},
    {"kernel", &Suppression::kernel}, {"fingerprint", &Suppression::fingerprint},
    {"reason", &Suppression::reason}, {"until", &Suppression::until}};

Result<Suppression> suppression_of(const Value& entry) {
  Suppression one{.rule = {}, .file = {}, .kernel = {}, .fingerprint = {}, .reason = {}, .until = {}, .where = entry.where()};
  if (!entry.is_map()) return fail(ErrorKind::malformed, "expected a suppression with rule and reason").at(one.where);
  for (std::size_t i = 0; i < entry.size(); ++i) {
    const auto* const known = std::ranges::find(suppression_keys, entry.key(i), [](const auto& key) { return key.first; });
    if (known == std::end(suppression_keys))
      return fail(ErrorKind::malformed, "unknown key '{}'; known are rule, file, kernel, fingerprint, reason, until",
                  printable(entry.key(i)))
          .at(entry.value(i).where());
    one.*(known->second) = trim(entry.value(i).text());
  }
  if (one.rule.empty() && one.fingerprint.empty()) return fail(ErrorKind::malformed, "expected a rule or a fingerprint").at(one.where);
  if (one.reason.empty()) return fail(ErrorKind::malformed, "expected a reason").at(one.where);
  if (!one.until.empty() && !is_day(one.until))
    return fail(ErrorKind::malformed, "expected a day such as 2026-06-30 as 'until', found '{}'", printable(one.until))
        .at(entry["until"].where());
  if (one.rule == "*") one.rule.clear();
  return one;
}

bool is_about(const Suppression& one, const Issue& issue, const std::string& path) {
  return (one.rule.empty() || one.rule == issue.rule) && (one.kernel.empty() || one.kernel == issue.kernel) &&
         (one.fingerprint.empty() || one.fingerprint == issue.fingerprint) &&
         (one.file.empty() || ::fnmatch(one.file.c_str(), path.c_str(), 0) == 0);
}

}  // namespace

Result<std::vector<Suppression>> read_suppressions(const std::string& file, const std::string& text) {
  TRY_ASSIGN(const frx::Document document, parse_yaml(file, text));
  const DocumentView view = document.view();
  const Value root(view);
  if (root.size() != 1 || root.key(0) != "suppressions")
    return fail(ErrorKind::malformed, "expected a list under 'suppressions', and nothing else").at(file);
  TRY_ASSIGN(const Value entries, root.list("suppressions"));
  std::vector<Suppression> all;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    TRY_ASSIGN(Suppression one, suppression_of(entries.item(i)));
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<std::string> suppress(const std::vector<Suppression>& suppressions, const std::string& today, answer::Issues& issues) {
  std::vector<std::size_t> used(suppressions.size());
  std::vector<Issue> left;
  for (Issue& issue : issues.found) {
    const std::string path = answer::tidy_path(issue.place.file);
    bool is_suppressed = false;
    for (std::size_t i = 0; i < suppressions.size() && !is_suppressed; ++i) {
      const Suppression& one = suppressions[i];
      if (!is_about(one, issue, path)) continue;
      ++used[i];
      if (!one.until.empty() && one.until < today) continue;
      is_suppressed = true;
      issue.justified = one.reason;
    }
    (is_suppressed ? issues.suppressed : left).push_back(std::move(issue));
  }
  issues.found = std::move(left);
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < suppressions.size(); ++i) {
    const Suppression& one = suppressions[i];
    if (used[i] == 0) {
      notes.push_back(fmt::format("{}: nothing that was found is suppressed by it", one.where));
    } else if (!one.until.empty() && one.until < today) {
      notes.push_back(fmt::format("{}: expired on {}, and {} counted again", one.where, one.until,
                                  used[i] == 1 ? "one finding is" : fmt::format("{} findings are", used[i])));
    }
  }
  return notes;
}

}  // namespace frx::compose
