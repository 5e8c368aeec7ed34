// --record of the commands that analyse.

#include "cli/command.h"

namespace frx::cli {

void describe_record(Syntax& syntax, bool& record) {
  syntax.flag("--record", record, "keep the answer in the history of this machine (frx history)");
}

// An option that nothing came of is an error: --why, for example, prints no answer.
Result<int> expect_recorded(Result<int> code, const Io& io) {
  if (!code || io.recording != Io::Recording::asked) return code;
  return fail(ErrorKind::usage, "--record: what was printed is no answer that a history keeps");
}

}  // namespace frx::cli
