// frx doctor: what this machine offers for measuring GPU work, and what would help.

#include <algorithm>

#include "base/text.h"
#include "cli/command.h"
#include "cli/doctor_checks.h"
#include "cli/json_output.h"

namespace frx::cli {
namespace command_doctor {
namespace {

using Status = Check::Status;

struct Options {
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "WARN names something that limits what can be collected, and the step that helps. FAIL means that this program "
      "itself is broken. Reading profiles, PTX and source needs nothing of the machine.");
  syntax.flag("--json", options.json, "print JSON");
  syntax.exit_code(0, "no check failed");
  syntax.exit_code(1, "at least one FAIL");
}

std::string tag(Status status, const Io& io) {
  const std::string text = fmt::format("[{}]", word(status));
  const std::string blanks(6 - text.size(), ' ');
  switch (status) {
    case Status::ok: return io.paint(Colour::green, text) + blanks;
    case Status::warn: return io.paint(Colour::yellow, text) + blanks;
    case Status::fail: return io.paint(Colour::red, text) + blanks;
    case Status::skip: return io.paint(Colour::dim, text) + blanks;
  }
  return text;
}

// "[WARN] ncu                 not found; ..." with continuation lines and the remedy below the detail.
std::string line(const Check& check, const Io& io) {
  constexpr std::size_t label_width = 20;
  constexpr std::size_t column = 7 + label_width;
  const std::size_t width = io.width > static_cast<int>(column) + 20 ? static_cast<std::size_t>(io.width) - column : 20;
  const std::string indent(column, ' ');
  std::string text = fmt::format("{} {:<{}}", tag(check.status, io), check.label, label_width);
  bool first = true;
  for (const std::string& words : wrap(printable(check.detail), width)) {
    text += (first ? "" : indent) + words + "\n";
    first = false;
  }
  if (first) text += "\n";
  for (const std::string& step : check.remedy) {
    const bool is_first = &step == check.remedy.data();
    // A step that fits keeps its own spacing: it may be something to copy.
    const std::vector<std::string> lines = display_width(step) + 3 <= width ? std::vector{step} : wrap(step, width - 3);
    for (const std::string& words : lines) {
      text += indent + (is_first && &words == lines.data() ? "-> " : "   ") + words + "\n";
    }
  }
  return text;
}

std::string summary(const std::vector<Check>& checks, const Io& io) {
  const auto count = [&](Status status) {
    return std::count_if(checks.begin(), checks.end(), [&](const Check& check) { return check.status == status; });
  };
  const auto warnings = count(Status::warn);
  const std::string tail = warnings == 0 ? "" : fmt::format(" ({} warning{})", warnings, warnings == 1 ? "" : "s");
  if (const auto failed = count(Status::fail); failed > 0) {
    return io.paint(Colour::red, fmt::format("Some checks failed: {}", failed)) + tail + "\n";
  }
  return "All checks passed" + tail + ".\n";
}

Json json(const std::vector<Check>& checks, bool ok) {
  Json list = Json::array();
  for (const Check& check : checks) {
    list.push_back({{"label", check.label},
                    {"status", word(check.status)},
                    {"detail", check.detail},
                    {"remedy", check.remedy.empty() ? Json() : Json(join(check.remedy, "\n"))}});
  }
  return {{"checks", std::move(list)}, {"ok", ok}};
}

Result<int> act(const Options& options, Io& io) {
  io.log(LogLevel::info, "doctor", "asking the tools of this machine; importing torch may take some seconds");
  const capture::Environment environment = capture::inspect(*io.host);
  std::vector<Check> checks = machine_checks(environment);
  checks.push_back(sampling_check(*io.host, environment));
  checks.push_back(collector_check(*io.host));
  checks.push_back(engine_check());
  const bool ok = std::none_of(checks.begin(), checks.end(), [](const Check& check) { return check.status == Status::fail; });
  if (options.json) {
    write_json(io, "doctor", json(checks, ok));
    return ok ? 0 : 1;
  }
  for (const Check& check : checks) io.out.write(line(check, io));
  io.out.write("\n" + summary(checks, io));
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace command_doctor

constinit const Command doctor_command = make_command<command_doctor::Options, command_doctor::describe, command_doctor::act>(
    "doctor", "Check what this machine offers for profiling", "Set up");

}  // namespace frx::cli
