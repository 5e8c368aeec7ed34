// frx history import: what was exported comes back.

#include "base/files.h"
#include "cli/command.h"
#include "cli/history_commands.h"
#include "compose/history.h"
#include "history/transfer.h"
#include "ingest/source.h"

namespace frx::cli {
namespace command_history_import {
namespace {

struct Options {
  HistoryOptions common;
  std::string file;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Adds what frx history export wrote, of this machine or another, and ledgers of predictions (compare --ledger). What is there "
      "already "
      "stays once. With an error the lines before it are kept; the same file can be imported again.");
  syntax.required_argument("FILE", options.file, "lines of JSON or a table of frx history export, or a ledger; - is standard input");
  describe_history(syntax, options.common);
  syntax.example("history.ndjson", "records of another machine");
  syntax.example("predictions.jsonl", "a ledger of frx compare --ledger");
  describe_history_codes(syntax, "all of it is there");
}

Result<int> act(const Options& options, Io& io) {
  ingest::Source source = ingest::Source::at(options.file);
  TRY_ASSIGN(const std::unique_ptr<ByteSource> bytes, source.bytes());
  TRY_ASSIGN(const std::unique_ptr<history::Store> store, open_history(options.common.store, history::Open::to_write, io));
  TRY_ASSIGN(history::Moved moved, history::import_history(*store, *bytes, source.name(), moment_of_record(io)));
  return print_history(options.common, "history import",
                       compose::answer_of(std::make_shared<const history::Moved>(std::move(moved)), "history_import"), io);
}

}  // namespace
}  // namespace command_history_import

constinit const Command history_import_command =
    make_command<command_history_import::Options, command_history_import::describe, command_history_import::act>(
        "history import", "Add what was exported, or a ledger of predictions", "Keep");

}  // namespace frx::cli
