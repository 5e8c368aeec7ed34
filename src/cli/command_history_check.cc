// frx history check: is the history whole?

#include "cli/command.h"
#include "cli/history_commands.h"
#include "compose/history.h"

namespace frx::cli {
namespace command_history_check {
namespace {

void describe(Syntax& syntax, HistoryOptions& options) {
  syntax.text("Reads the whole history: the structure of its database, and that every document is the one that was recorded.");
  describe_history(syntax, options);
  syntax.exit_code(0, "it is whole");
  syntax.exit_code(1, "it is damaged, or cannot be read");
}

Result<int> act(const HistoryOptions& options, Io& io) {
  TRY_ASSIGN(const std::unique_ptr<history::Store> store, open_history(options.store, history::Open::to_read, io));
  history::Health health;
  health.store = store->name();
  TRY_ASSIGN(health.checked, store->check());
  const int code = health.checked.faults.empty() ? 0 : 1;
  return print_history(options, "history check", compose::answer_of(std::make_shared<const history::Health>(std::move(health))), io, code);
}

}  // namespace
}  // namespace command_history_check

constinit const Command history_check_command = make_command<HistoryOptions, command_history_check::describe, command_history_check::act>(
    "history check", "Say whether the history is whole", "Keep");

}  // namespace frx::cli
