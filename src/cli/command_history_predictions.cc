// frx history predictions: what became of the predictions of the advice.

#include "cli/command.h"
#include "cli/history_commands.h"
#include "cli/json_output.h"
#include "cli/prediction_ledger.h"
#include "history/json_in.h"

namespace frx::cli {
namespace command_history_predictions {
namespace {

struct Options {
  std::string store;
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Says how often the predictions of each recommendation came true, as frx compare --ledger does of a file. They come from recorded "
      "comparisons of profiles (frx compare A B --record) and from ledgers (frx history import).");
  describe_store(syntax, options.store);
  syntax.flag("--json", options.json, "as JSON (prediction_ledger_v1)");
  describe_history_codes(syntax, "the score is shown");
}

Result<int> act(const Options& options, Io& io) {
  TRY_ASSIGN(const std::unique_ptr<history::Store> store, open_history(options.store, history::Open::to_read, io));
  TRY_ASSIGN(const std::vector<history::RecordedPrediction> kept, store->predictions());
  Ledger ledger;
  ledger.path = store->name();
  for (const history::RecordedPrediction& one : kept) {
    std::optional<answer::Json> entry = history::json_in(one.entry);
    if (entry) add_entry(ledger, std::move(*entry));  // a history that an earlier frx wrote may hold others
  }
  if (options.json) {
    write_json(io, "ledger", ledger_json(ledger));
  } else {
    io.out.write(ledger_text(ledger));
  }
  return 0;
}

}  // namespace
}  // namespace command_history_predictions

constinit const Command history_predictions_command =
    make_command<command_history_predictions::Options, command_history_predictions::describe, command_history_predictions::act>(
        "history predictions", "Say how often the predictions of the advice came true", "Keep");

}  // namespace frx::cli
