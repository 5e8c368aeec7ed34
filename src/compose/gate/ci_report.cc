#include "compose/gate/ci_report.h"

#include <algorithm>
#include <array>

#include "answer/fingerprints.h"
#include "base/text.h"
#include "base/units.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

using answer::Issue;
using answer::Issues;
using answer::JsonObject;

constexpr std::size_t ci_findings_shown = 50;
constexpr std::array<std::string_view, 3> ci_severities = {"high", "medium", "low"};

Issues issues_in(const CiReport& report) { return report.code ? report.code->issues() : Issues(); }

std::size_t count_where(const std::vector<Issue>& issues, std::string_view Issue::*member, std::string_view value) {
  return static_cast<std::size_t>(std::ranges::count(issues, value, member));
}

// New ones first, then by severity.
std::vector<const Issue*> in_order(const std::vector<Issue>& issues) {
  std::vector<const Issue*> ordered;
  for (const Issue& issue : issues) ordered.push_back(&issue);
  std::ranges::stable_sort(ordered, {}, [](const Issue* issue) {
    return std::pair(issue->state == "unchanged", std::ranges::find(ci_severities, issue->severity) - ci_severities.begin());
  });
  return ordered;
}

std::string ci_place(const Issue& issue) {
  const std::string path = answer::tidy_path(issue.place.file);
  return issue.place.line > 0 ? fmt::format("{}:{}", path, issue.place.line) : path;
}

void add_findings_table(Document& page, const Issues& issues) {
  if (issues.found.empty()) return;
  const std::size_t shown = std::min(ci_findings_shown, issues.found.size());
  page.section("Findings", shown, issues.found.size());
  Table table{{{"severity", 9}, {"state", 10}, {"rule", 34, false, 0, true}, names_column("place")}};
  const std::vector<const Issue*> ordered = in_order(issues.found);
  for (const Issue* issue : std::span(ordered).first(shown))
    table.add({issue->severity, issue->state, issue->rule, ci_place(*issue)}, issue->severity == "high" ? Tone::red : Tone::plain);
  page.add(std::move(table));
  page.paragraph("frx explain RULE says what each of them is, and how to fix it.");
}

void add_code(Document& page, const CiReport& report, const Issues& issues) {
  page.section("Code");
  if (!report.code) return page.paragraph("No code was looked at.");
  std::vector<std::string> counts;
  for (const std::string_view severity : ci_severities)
    counts.push_back(fmt::format("{} {}", count_where(issues.found, &Issue::severity, severity), severity));
  page.fact("Files", fmt::format("{}", report.files));
  page.fact("Findings", join(counts, ", ") + (issues.suppressed.empty() ? "" : fmt::format("; {} suppressed", issues.suppressed.size())));
  if (!report.baseline.empty()) {
    page.fact("Beside baseline", fmt::format("{} new, {} unchanged, {} gone (", count_where(issues.found, &Issue::state, "new"),
                                             count_where(issues.found, &Issue::state, "unchanged"), issues.absent.size()) +
                                     as_name(report.baseline) + ")");
  } else {
    page.fact("Baseline", "none: every finding counts (frx ci --write-baseline .frx-baseline.json)");
  }
  page.fact("Gate", fmt::format("{}findings of severity {} or above fail: {}", report.baseline.empty() ? "" : "new ", report.fail_on,
                                report.reached));
  for (const answer::Unread& file : std::span(issues.unread).first(std::min(ci_findings_shown, issues.unread.size())))
    page.hanging("- ", "not read: " + as_name(file.path) + ": " + file.message);
}

void add_recordings(Document& page, const CiReport& report) {
  if (report.recordings.empty()) return;
  page.section("Recordings", "(they tell of the past, and fail nothing)");
  for (const CiRecording& one : report.recordings)
    page.hanging("- ", as_name(one.file) + ": " + (one.error.empty() ? one.sentence : "not read: " + one.error));
  if (report.recordings_left > 0) page.paragraph(fmt::format("{} more were not looked at: frx analyze FILE", report.recordings_left));
}

Document ci_page(const CiReport& report, answer::Detail detail) {
  const Issues issues = issues_in(report);
  Document page;
  page.headline = report.verdict + (report.reasons.empty() ? "" : ": " + report.reasons.front());
  page.title("frx ci: " + report.verdict);
  for (const std::string& reason : report.reasons) page.hanging("- ", reason);
  add_code(page, report, issues);
  add_findings_table(page, issues);
  add_recordings(page, report);
  if (report.measured) {
    page.section("Measured");
    page.fact("Outcome", report.measured->outcome);
    page.fact("Would decide it", report.measured->would_decide);
    page.append(report.measured->answer.document(detail));
  }
  return page;
}

void put_ci_finding(JsonObject& out, const Issue& issue) {
  out.add("fingerprint", issue.fingerprint, "state", answer::unless_empty(issue.state), "rule", issue.rule, "severity", issue.severity,
          "file", answer::tidy_path(issue.place.file), "line", answer::unless_zero(issue.place.line), "kernel",
          answer::unless_empty(issue.kernel), "message", issue.message, "reason", answer::unless_empty(issue.justified));
}

void put_ci(JsonObject& out, const CiReport& report) {
  Issues issues = issues_in(report);
  answer::add_fingerprints(issues);
  out.add("schema", "ci_report_v1", "verdict", report.verdict, "reasons", report.reasons, "service", answer::unless_empty(report.service));
  out.object("code", report.code, [&](JsonObject& code, const answer::Answer&) {
    code.add("targets", report.targets, "files", report.files, "baseline", answer::unless_empty(report.baseline), "suppressions",
             answer::unless_empty(report.suppressions), "fail_on", report.fail_on, "reached", report.reached);
    code.list("findings", issues.found, put_ci_finding);
    code.list("suppressed", issues.suppressed, put_ci_finding);
    code.list("absent", issues.absent, put_ci_finding);
    code.list("unread", issues.unread,
              [](JsonObject& one, const answer::Unread& file) { one.add("filename", file.path, "error", file.message); });
  });
  out.object("measured", report.measured, [](JsonObject& measured, const CiComparison& pair) {
    measured.add("before", pair.before, "after", pair.after, "outcome", pair.outcome, "sentence", pair.sentence, "would_decide",
                 answer::unless_empty(pair.would_decide));
    measured.object("comparison", [&](JsonObject& inner) { pair.answer.payload(inner); });
  });
  out.list("recordings", report.recordings, [](JsonObject& one, const CiRecording& recording) {
    one.add("file", recording.file, "sentence", answer::unless_empty(recording.sentence), "error", answer::unless_empty(recording.error));
  });
  out.add("recordings_left", report.recordings_left);
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const CiReport> report) {
  answer::Answer answer{.what = "a check of a repository", .mode = "ci"};
  answer.document = [&shown = *report](answer::Detail detail) { return ci_page(shown, detail); };
  answer.payload = [&shown = *report](JsonObject& out) { put_ci(out, shown); };
  answer.issues = [&shown = *report] { return issues_in(shown); };
  if (report->code) answer.rule_page = report->code->rule_page;
  answer.kept = {std::move(report)};
  return answer;
}

}  // namespace frx::compose
