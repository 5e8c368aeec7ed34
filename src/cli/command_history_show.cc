// frx history show: one record.

#include "cli/command.h"
#include "cli/history_commands.h"
#include "compose/history.h"
#include "history/json_in.h"

namespace frx::cli {
namespace command_history_show {
namespace {

struct Options {
  HistoryOptions common;
  std::string id;
  bool document = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text("Shows what is kept of one answer, or the answer itself.");
  syntax.required_argument("ID", options.id, "its id, or the beginning of it, or the name of a baseline");
  syntax.flag("--document", options.document, "print the answer that was recorded, as JSON, and nothing else");
  describe_history(syntax, options.common);
  syntax.example("3f9a1c", "labels, numbers, kernels, and where it was recorded");
  syntax.example("3f9a1c --document > before.json", "the result of the answer, for other programs");
  describe_history_codes(syntax, "it is shown");
  syntax.exit_code(2, "no record, or several, have an id that begins so");
}

Result<int> act(const Options& options, Io& io) {
  TRY_ASSIGN(const std::unique_ptr<history::Store> store, open_history(options.common.store, history::Open::to_read, io));
  history::Shown shown;
  shown.store = store->name();
  TRY_ASSIGN(shown.record, record_called(*store, options.id));
  if (options.document) {
    const std::optional<answer::Json> document = history::json_in(shown.record.document);
    io.out.write(document ? answer::json_text(*document) : shown.record.document);
    return 0;
  }
  TRY_ASSIGN(const std::vector<history::Baseline> baselines, store->baselines());
  for (const history::Baseline& one : baselines) {
    if (one.id == shown.record.id) shown.baselines.push_back(one.name);
  }
  return print_history(options.common, "history show", compose::answer_of(std::make_shared<const history::Shown>(std::move(shown))), io);
}

}  // namespace
}  // namespace command_history_show

constinit const Command history_show_command =
    make_command<command_history_show::Options, command_history_show::describe, command_history_show::act>(
        "history show", "Show what is kept of one answer", "Keep");

}  // namespace frx::cli
