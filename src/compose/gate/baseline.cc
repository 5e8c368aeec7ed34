#include "compose/gate/baseline.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "answer/fingerprints.h"
#include "answer/json.h"
#include "base/text.h"

namespace frx::compose {
namespace {

using answer::Issue;
using answer::Json;

constexpr std::string_view baseline_schema = "frx_baseline_v1";

Result<std::string> member_of(const Json& entry, const char* name, std::size_t number, const std::string& file) {
  const auto at = entry.find(name);
  if (at != entry.end() && at->is_string()) return at->get<std::string>();
  return fail(ErrorKind::malformed, "finding {}: expected a text as '{}'", number + 1, name).at(file);
}

Result<BaselineFinding> finding_of(const Json& entry, std::size_t number, const std::string& file) {
  if (!entry.is_object()) return fail(ErrorKind::malformed, "finding {}: expected an object", number + 1).at(file);
  BaselineFinding finding;
  for (const auto& [name, member] : {std::pair("fingerprint", &BaselineFinding::fingerprint),
                                     std::pair("content", &BaselineFinding::content), std::pair("rule", &BaselineFinding::rule),
                                     std::pair("severity", &BaselineFinding::severity), std::pair("file", &BaselineFinding::file),
                                     std::pair("kernel", &BaselineFinding::kernel), std::pair("message", &BaselineFinding::message)}) {
    TRY_ASSIGN(finding.*member, member_of(entry, name, number, file));
  }
  const auto line = entry.find("line");
  if (line != entry.end() && line->is_number_unsigned()) finding.line = line->get<std::uint32_t>();
  return finding;
}

Json entry_of(const Issue& issue) {
  return {{"fingerprint", issue.fingerprint},
          {"content", answer::content_fingerprint(issue)},
          {"rule", issue.rule},
          {"severity", issue.severity},
          {"file", answer::tidy_path(issue.place.file)},
          {"kernel", issue.kernel},
          {"line", issue.place.line > 0 ? Json(issue.place.line) : Json(nullptr)},
          {"message", issue.message}};
}

Issue absent_issue(const BaselineFinding& finding) {
  return {.rule = finding.rule,
          .category = {},
          .severity = finding.severity,
          .confidence = {},
          .message = finding.message,
          .advice = {},
          .kernel = finding.kernel,
          .place = {.file = finding.file, .line = finding.line},
          .more_places = {},
          .fingerprint = finding.fingerprint,
          .state = "absent"};
}

// Those of the baseline that are still to be matched, by a fingerprint.
class Unmatched {
 public:
  Unmatched(const Baseline& baseline, std::string BaselineFinding::*fingerprint, const std::vector<bool>& is_matched) {
    for (std::size_t i = 0; i < baseline.findings.size(); ++i) {
      if (!is_matched[i]) numbers_[baseline.findings[i].*fingerprint].push_back(i);
    }
  }
  // The first one that `fits`; taken out.
  template <typename Fits>
  std::optional<std::size_t> take(const std::string& fingerprint, const Fits& fits) {
    const auto at = numbers_.find(fingerprint);
    if (at == numbers_.end()) return std::nullopt;
    const auto found = std::ranges::find_if(at->second, fits);
    if (found == at->second.end()) return std::nullopt;
    const std::size_t number = *found;
    at->second.erase(found);
    return number;
  }

 private:
  std::map<std::string, std::vector<std::size_t>> numbers_;
};

}  // namespace

Result<Baseline> read_baseline(const std::string& file, const std::string& text) {
  const Json root = Json::parse(text, nullptr, false);
  if (root.is_discarded())
    return fail(ErrorKind::malformed, "expected a baseline, found no JSON")
        .at(file)
        .hint("frx analyze ... --write-baseline FILE writes one");
  const auto schema = root.is_object() ? root.find("schema") : root.end();
  if (schema == root.end() || *schema != baseline_schema)
    return fail(ErrorKind::malformed, "expected a baseline of schema {}", baseline_schema)
        .at(file)
        .hint("frx analyze ... --write-baseline FILE writes one");
  const auto findings = root.find("findings");
  if (findings == root.end() || !findings->is_array()) return fail(ErrorKind::malformed, "expected a list as 'findings'").at(file);
  Baseline baseline{.file = file, .findings = {}};
  for (std::size_t i = 0; i < findings->size(); ++i) {
    TRY_ASSIGN(BaselineFinding finding, finding_of((*findings)[i], i, file));
    baseline.findings.push_back(std::move(finding));
  }
  return baseline;
}

std::string baseline_text(const answer::Issues& issues) {
  std::vector<Json> entries;
  for (const Issue& issue : issues.found) entries.push_back(entry_of(issue));
  std::ranges::sort(entries, {}, [](const Json& entry) {
    return std::tuple(entry["file"].get<std::string>(), entry["rule"].get<std::string>(), entry["kernel"].get<std::string>(),
                      entry["fingerprint"].get<std::string>());
  });
  return answer::json_text({{"schema", baseline_schema}, {"findings", std::move(entries)}});
}

void compare_with(const Baseline& baseline, const std::function<bool(std::string_view)>& was_looked_at, answer::Issues& issues) {
  std::vector<bool> is_matched(baseline.findings.size());
  const auto match = [&](std::string BaselineFinding::*fingerprint, const auto& fingerprint_of, const auto& fits) {
    Unmatched unmatched(baseline, fingerprint, is_matched);
    for (auto* list : {&issues.found, &issues.suppressed}) {
      for (Issue& issue : *list) {
        if (issue.state == "unchanged") continue;
        const std::optional<std::size_t> number = unmatched.take(fingerprint_of(issue), fits);
        issue.state = number ? "unchanged" : "new";
        if (number) is_matched[*number] = true;
      }
    }
  };
  match(
      &BaselineFinding::fingerprint, [](const Issue& issue) { return issue.fingerprint; }, [](std::size_t) { return true; });
  // Of what is left: the same in a file of another name, where the file of the baseline has it no more.
  match(&BaselineFinding::content, answer::content_fingerprint,
        [&](std::size_t number) { return was_looked_at(baseline.findings[number].file); });
  for (std::size_t i = 0; i < baseline.findings.size(); ++i) {
    if (!is_matched[i] && was_looked_at(baseline.findings[i].file)) issues.absent.push_back(absent_issue(baseline.findings[i]));
  }
}

}  // namespace frx::compose
