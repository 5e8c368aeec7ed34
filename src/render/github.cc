// Annotations of GitHub Actions: "::error file=a.cu,line=3,col=5,title=...::..." for each finding and each unread file.

#include "base/text.h"
#include "render/render.h"

namespace frx::render {
namespace {

std::string_view command_of(std::string_view severity) {
  return severity == "high" ? "error" : severity == "medium" ? "warning" : "notice";
}

// Values of an annotation's properties, and its message: the escapes of the runner.
std::string escaped(std::string_view text, bool is_property) {
  std::string result;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','))) {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result;
}

bool can_write(const answer::Answer& answer) { return static_cast<bool>(answer.issues); }

void write(const answer::Answer& answer, const Style&, const answer::TextSink& sink) {
  const answer::Issues issues = answer.issues();
  for (const answer::Issue& issue : issues.found) {
    if (issue.state == "unchanged") continue;  // said before
    std::string text = fmt::format("::{} file={}", command_of(issue.severity), escaped(issue.place.file, true));
    if (issue.place.line > 0) text += fmt::format(",line={}", issue.place.line);
    if (issue.place.line > 0 && issue.place.column > 0) text += fmt::format(",col={}", issue.place.column);
    std::string message(issue.message);
    if (!issue.kernel.empty()) message += fmt::format(" (kernel {})", printable(issue.kernel));
    if (!issue.advice.empty()) message += fmt::format("\n{}", issue.advice);
    sink(text + fmt::format(",title={}::{}\n", escaped(issue.rule, true), escaped(message, false)));
  }
  for (const answer::Unread& file : issues.unread)
    sink(fmt::format("::error file={}::{}\n", escaped(file.path, true), escaped(file.message, false)));
}

}  // namespace

constinit const Renderer github_renderer{"github", "findings in files", can_write, write};

}  // namespace frx::render
