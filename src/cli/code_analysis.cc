#include "cli/code_analysis.h"

#include <algorithm>
#include <array>

#include "analyse/answer.h"
#include "base/units.h"
#include "cli/print_answer.h"

namespace frx::cli {
namespace {

using analyse::CodeReport;
using analyse::CodeUnit;
using model::Severity;

// Formats for programs say in their own words which files could not be read.
void name_unread(const CodeReport& report, const CodeOptions& options, Io& io) {
  if (options.format != "text" && options.format != "markdown") return;
  for (const CodeUnit& unit : report.units) {
    if (unit.error) io.err.write(fmt::format("{}: {}\n", io.program, to_string(*unit.error)));
  }
}

Result<int> judged(const CodeReport& report, const CodeOptions& options) {
  if (!options.fail_on.empty()) {
    const std::array<std::size_t, 3> by_severity = report.by_severity();
    std::size_t reached = 0;
    for (auto i = static_cast<std::size_t>(severity_named(options.fail_on)); i < by_severity.size(); ++i) reached += by_severity[i];
    if (reached > 0) return fail(ErrorKind::negative, "{} of severity {} or above", count_text(reached, "finding"), options.fail_on);
  }
  const auto failed = std::ranges::count_if(report.units, [](const CodeUnit& unit) { return unit.error.has_value(); });
  if (failed == 0) return 0;
  return fail(ErrorKind::unreadable, "{} of {} could not be analysed", failed, count_text(report.units.size(), "file"));
}

}  // namespace

Severity severity_named(std::string_view name) {
  return name == "high" ? Severity::high : name == "medium" ? Severity::medium : Severity::low;
}

void describe_code(Syntax& syntax, CodeOptions& options) {
  syntax.choice("--format", "FORMAT", options.format, answer_formats(), "how to print the answer; sarif and github: findings in code");
  syntax.flag("--with-ptx", options.compilers.with_ptx,
              "CUDA source: compile it (nvcc, or else clang) and confirm or withdraw what was found");
  syntax.words("--build-flags", "FLAGS", options.compilers.build_flags, "CUDA source: options for the compiler, such as '-Iinclude -DN=4'");
  syntax.flag("--with-ptxas", options.compilers.with_ptxas, "PTX: run ptxas and use its registers and spills");
  syntax.option("--ptxas-log", "FILE", options.compilers.ptxas_log, "PTX: the same from what 'nvcc -Xptxas -v' printed");
  syntax.choice("--fail-on", "SEVERITY", options.fail_on, {"low", "medium", "high"},
                "code: exit with 1 when a finding is as grave as this");
}

Result<int> print_code(const analyse::Analysis& analysis, const CodeOptions& options, Io& io) {
  const CodeReport& report = *analysis.as<CodeReport>();
  if (report.units.size() == 1 && report.units.front().error) return Failure{*report.units.front().error};
  name_unread(report, options, io);
  TRY(print_answer(io, analyse::answer_of(analysis), options.format));
  return judged(report, options);
}

}  // namespace frx::cli
