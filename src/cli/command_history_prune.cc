// frx history prune: removes old records.

#include "cli/command.h"
#include "cli/history_commands.h"
#include "compose/history.h"

namespace frx::cli {
namespace command_history_prune {
namespace {

struct Options {
  HistoryOptions common;
  Syntax::Number keep;
  std::string before;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Removes records. Those that a baseline names stay, and so do scored predictions. The file does not shrink; new records take the "
      "place.");
  syntax.option("--keep", "N", options.keep, "keep the newest N of each series");
  syntax.option("--before", "TIME", options.before, "remove what is older than this day or time, 2026-01-01, UTC");
  describe_history(syntax, options.common);
  syntax.example("--keep 1000", "the newest thousand of each series stay");
  describe_history_codes(syntax, "done, whatever there was to remove");
}

Result<int> act(const Options& options, Io& io) {
  if (options.keep.has_value() == !options.before.empty())
    return fail(ErrorKind::usage, "history prune: expected one of --keep and --before").hint("frx history prune --keep 1000");
  std::int64_t before = 0;
  if (!options.before.empty()) {
    TRY_ASSIGN(before, moment_given("--before", options.before));
  }
  TRY_ASSIGN(const std::unique_ptr<history::Store> store, open_history(options.common.store, history::Open::to_write, io));
  history::Moved moved;
  moved.store = store->name();
  TRY_ASSIGN(moved.records, options.keep ? store->keep_newest(*options.keep) : store->remove_before(before));
  return print_history(options.common, "history prune",
                       compose::answer_of(std::make_shared<const history::Moved>(std::move(moved)), "history_pruned"), io);
}

}  // namespace
}  // namespace command_history_prune

constinit const Command history_prune_command =
    make_command<command_history_prune::Options, command_history_prune::describe, command_history_prune::act>("history prune",
                                                                                                              "Remove old records", "Keep");

}  // namespace frx::cli
