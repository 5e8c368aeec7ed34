#include "cli/trace_analysis.h"

#include "base/text.h"
#include "cli/print_answer.h"
#include "compose/answers.h"

namespace frx::cli {
Result<> check_scope(const std::string& scope) {
  if (scope == "auto" || scope == "run" || scope == "steady_state") return {};
  return fail(ErrorKind::usage, "analyze: expected run, steady_state or auto as --scope, found '{}'", printable(scope));
}

Result<> write_run_brief(const report::RunReport& report, const std::string& folder) {
  return write_brief(compose::answer_of(borrowed(report), "auto"), folder);
}

}  // namespace frx::cli
