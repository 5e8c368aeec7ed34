// frx history export: the whole history as a file.

#include "base/output_file.h"
#include "cli/command.h"
#include "cli/history_commands.h"
#include "compose/history.h"
#include "history/transfer.h"

namespace frx::cli {
namespace command_history_export {
namespace {

struct Options {
  std::string store, file, as = "ndjson";
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Writes every record with its document, every baseline and every scored prediction, oldest first: one JSON document a line, or a "
      "table "
      "for spreadsheets. frx history import brings either back as it was.");
  syntax.required_argument("FILE", options.file, "what to write; - is standard output");
  syntax.choice("--format", "FORMAT", options.as, {"ndjson", "csv"}, "lines of JSON (history_line_v1), or a table");
  describe_store(syntax, options.store);
  syntax.flag("--json", options.json, "say what was written as JSON");
  syntax.example("history.ndjson", "a copy that any program reads");
  syntax.example("history.csv --format csv", "for a spreadsheet");
  describe_history_codes(syntax, "the file is written");
}

Result<int> act(const Options& options, Io& io) {
  const bool to_output = options.file == "-";
  if (to_output && options.json)
    return fail(ErrorKind::usage, "history export: --json and a history on standard output exclude each other");
  const history::TransferFormat format = options.as == "csv" ? history::TransferFormat::csv : history::TransferFormat::ndjson;
  TRY_ASSIGN(const std::unique_ptr<history::Store> store, open_history(options.store, history::Open::to_read, io));
  if (to_output) {
    TRY(history::export_history(*store, format, [&io](std::string_view text) -> Result<> {
      io.out.write(text);
      return {};
    }));
    return 0;
  }
  TRY_ASSIGN(OutputFile file, OutputFile::create(options.file));
  TRY_ASSIGN(history::Moved moved, history::export_history(*store, format, [&file](std::string_view text) { return file.write(text); }));
  TRY(file.commit());
  moved.file = options.file;
  const HistoryOptions common{.store = {}, .format = "text", .json = options.json, .open = false};
  return print_history(common, "history export",
                       compose::answer_of(std::make_shared<const history::Moved>(std::move(moved)), "history_export"), io);
}

}  // namespace
}  // namespace command_history_export

constinit const Command history_export_command =
    make_command<command_history_export::Options, command_history_export::describe, command_history_export::act>(
        "history export", "Write the whole history as lines of JSON or a table", "Keep");

}  // namespace frx::cli
