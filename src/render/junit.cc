// Findings as the results of tests, in the XML that JUnit made customary: a finding fails, one that is suppressed or was there before is
// skipped with the reason, a file that could not be read is an error.

#include "answer/fingerprints.h"
#include "base/text.h"
#include "render/html.h"
#include "render/render.h"

namespace frx::render {
namespace {

using answer::Issue;

// Text and values of XML; html_text() shows what XML forbids as escapes.
std::string xml(std::string_view text) { return html_text(text); }

std::string place_of(const Issue& issue) {
  const std::string path = answer::tidy_path(issue.place.file);
  return issue.place.line > 0 ? fmt::format("{}:{}", path, issue.place.line) : path;
}

std::string case_of(const Issue& issue, std::string_view result) {
  std::string name = fmt::format("{} at {}", issue.rule, place_of(issue));
  if (!issue.kernel.empty()) name += fmt::format(" in {}", readable_symbol(issue.kernel));
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\" file=\"{}\"", xml(issue.rule), xml(name),
                                 xml(answer::tidy_path(issue.place.file)));
  if (issue.place.line > 0) text += fmt::format(" line=\"{}\"", issue.place.line);
  return text + fmt::format(">\n      {}\n    </testcase>\n", result);
}

std::string failure_of(const Issue& issue) {
  return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>", xml(issue.severity), xml(issue.message), xml(issue.advice));
}

std::string skipped_as(std::string_view reason) { return fmt::format("<skipped message=\"{}\"/>", xml(reason)); }

bool can_write(const answer::Answer& answer) { return static_cast<bool>(answer.issues); }

void write(const answer::Answer& answer, const Style&, const answer::TextSink& sink) {
  const answer::Issues issues = answer.issues();
  std::string cases;
  std::size_t failures = 0, skipped = 0;
  for (const Issue& issue : issues.found) {
    const bool is_old = issue.state == "unchanged";
    const std::string below = fmt::format("{}: only {} and above fail", issue.severity, issues.fails_from);
    cases += case_of(issue, is_old ? skipped_as("in the baseline") : issue.passes ? skipped_as(below) : failure_of(issue));
    ++(is_old || issue.passes ? skipped : failures);
  }
  for (const Issue& issue : issues.suppressed) {
    cases += case_of(issue, skipped_as(fmt::format("suppressed: {}", issue.justified)));
    ++skipped;
  }
  for (const answer::Unread& file : issues.unread) {
    cases += fmt::format("    <testcase classname=\"read\" name=\"{0}\" file=\"{0}\">\n      <error message=\"{1}\"/>\n    </testcase>\n",
                         xml(file.path), xml(file.message));
  }
  std::size_t tests = failures + skipped + issues.unread.size();
  if (tests == 0) {  // a report without tests counts as a failure to some
    cases = "    <testcase classname=\"frx\" name=\"no findings\"/>\n";
    tests = 1;
  }
  const std::string counts =
      fmt::format("name=\"frx\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests, failures, issues.unread.size(), skipped);
  const std::string totals = fmt::format("name=\"frx\" tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests, failures, issues.unread.size());
  sink(fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite {}>\n{}  </testsuite>\n</testsuites>\n",
                   totals, counts, cases));
}

}  // namespace

constinit const Renderer junit_renderer{"junit", "findings in files", can_write, write};

}  // namespace frx::render
