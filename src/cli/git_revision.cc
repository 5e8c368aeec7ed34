#include "cli/git_revision.h"

#include "base/text.h"

namespace frx::cli {

std::string git_revision(const capture::Host& host) {
  const std::optional<std::string> git = host.program("git");
  if (!git) return {};
  capture::ChildCommand command;
  command.argv = {*git, "rev-parse", "HEAD"};
  command.err = capture::Output::discard;
  command.time_limit = std::chrono::seconds(5);
  const Result<capture::Exit> exit = host.run(command);
  return exit && exit->ok() ? std::string(trim(exit->out)) : std::string();
}

}  // namespace frx::cli
