#include "cli/analyze_options.h"

#include <algorithm>
#include <filesystem>

#include "cli/code_analysis.h"

namespace frx::cli {
namespace {

constexpr std::string_view command = "analyze";

// A folder may hold any.
bool has_code_of(CodeKind kind, const std::vector<std::string>& code) {
  return std::ranges::any_of(code, [&](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored) || code_kind_of(path) == kind;
  });
}

Result<> expect_for_code(const Given& given, Analysed what, const std::vector<std::string>& code) {
  if (!has_code_of(CodeKind::cuda, code)) TRY(given.refuse(command, {"--with-ptx"}, "CUDA source"));
  if (!given.has("--with-ptx")) TRY(given.refuse(command, {"--build-flags"}, "--with-ptx"));
  // What --with-ptx compiles is PTX, too.
  if (!has_code_of(CodeKind::ptx, code) && !(what == Analysed::code_change && given.has("--with-ptx")))
    TRY(given.refuse(command, {"--with-ptxas"}, "PTX"));
  if (!has_code_of(CodeKind::ptx, code) || what == Analysed::code_change) TRY(given.refuse(command, {"--ptxas-log"}, "one version of PTX"));
  return {};
}

}  // namespace

Result<> expect_applicable(const Given& given, Analysed what, const std::vector<std::string>& code, const std::string& format) {
  if (what != Analysed::profile) TRY(given.refuse(command, {"--why"}, "one profile"));
  if (what != Analysed::run && what != Analysed::trace) TRY(given.refuse(command, {"--scope"}, "one run or trace"));
  const bool is_change = what == Analysed::code_change || what == Analysed::measured_change;
  if (!is_change) TRY(given.refuse(command, {"--before-label", "--after-label"}, "--before and --after"));
  const bool lists_findings = what == Analysed::code || what == Analysed::code_change;
  if (!lists_findings) TRY(given.refuse(command, {"--fail-on"}, "code"));
  if (!lists_findings && (format == "sarif" || format == "github"))
    return fail(ErrorKind::usage, "{}: --format {} goes with code", command, format);
  return expect_for_code(given, what, code);
}

}  // namespace frx::cli
