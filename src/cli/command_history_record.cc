// frx history record: keeps answers of frx.

#include "base/text.h"
#include "cli/command.h"
#include "cli/history_commands.h"
#include "compose/history.h"
#include "history/json_in.h"
#include "ingest/source.h"

namespace frx::cli {
namespace command_history_record {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{256} << 20;

struct Options {
  HistoryOptions common;
  std::vector<std::string> files;
  std::string series, commit, at;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Keeps answers that frx wrote with --json: verdict, labels with scores, numbers, kernels, operators, this machine, versions, the "
      "commit of the working copy, the time, and the document itself. The same answer of one series and commit is kept once. Several "
      "answers are all recorded or, with an error, none; on ClickHouse, recording them again completes what an error cut.");
  syntax.arguments("ANSWER", options.files, "documents of frx --json, or files with one a line (NDJSON); - is standard input");
  syntax.option("--series", "NAME", options.series, "the series that they belong to (default: by kind, what was measured, and GPU)");
  syntax.option("--commit", "ID", options.commit, "the commit that was measured (default: that of the working copy here)");
  syntax.option("--at", "TIME", options.at, "when it was measured, 2026-11-26 or 2026-11-26T12:00:00Z, UTC (default: now)");
  describe_history(syntax, options.common);
  syntax.example("answer.json", "what frx analyze --json wrote");
  syntax.example("- --series nightly/resnet < answer.json", "from a pipe, in a series of your own");
  describe_history_codes(syntax, "all answers are kept, or were before");
}

struct Read {
  std::vector<history::Record> records;
  std::vector<std::string> from;
};

Result<> take(const answer::Json& document, const history::Recording& recording, const std::string& name, Read& read) {
  TRY_ASSIGN(history::Record record, history::record_of(document, recording, name));
  read.records.push_back(std::move(record));
  read.from.push_back(name);
  return {};
}

// One document, or one on each line.
Result<> read_answers(const std::string& path, const history::Recording& recording, Read& read) {
  ingest::Source source = ingest::Source::at(path);
  TRY_ASSIGN(const std::string text, source.text(largest_file));
  if (const std::optional<answer::Json> whole = history::json_in(text)) return take(*whole, recording, source.name(), read);
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const std::optional<answer::Json> one = history::json_in(line);
    const std::string place = fmt::format("{}:{}", source.name(), number);
    if (!one) {
      return fail(ErrorKind::malformed, "expected an answer of frx as JSON, found something else or a document cut short")
          .at(place)
          .hint("frx analyze FILE --json > answer.json writes one");
    }
    TRY(take(*one, recording, place, read));
  }
  return {};
}

Result<int> act(const Options& options, Io& io) {
  if (options.files.empty()) return fail(ErrorKind::usage, "history record: expected a file with an answer, found none");
  history::Recording recording = recording_here(io);
  recording.series = options.series;
  if (!options.commit.empty()) recording.commit = options.commit;
  if (!options.at.empty()) {
    TRY_ASSIGN(recording.at_ms, moment_given("--at", options.at));
  }
  Read read;
  for (const std::string& file : options.files) TRY(read_answers(file, recording, read));
  if (read.records.empty()) return fail(ErrorKind::malformed, "expected an answer of frx, found an empty file").at(options.files.front());
  TRY_ASSIGN(const std::unique_ptr<history::Store> store, open_history(options.common.store, history::Open::to_write, io));
  TRY_ASSIGN(history::Recorded recorded, record_all(*store, read.records, read.from));
  return print_history(options.common, "history record", compose::answer_of(std::make_shared<const history::Recorded>(std::move(recorded))),
                       io);
}

}  // namespace
}  // namespace command_history_record

constinit const Command history_record_command =
    make_command<command_history_record::Options, command_history_record::describe, command_history_record::act>(
        "history record", "Keep answers of frx in the history of this machine", "Keep");

}  // namespace frx::cli
