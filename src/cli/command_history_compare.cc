// frx history compare: an answer beside one that was recorded.

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/command.h"
#include "cli/history_commands.h"
#include "cli/history_comparison.h"
#include "history/json_in.h"
#include "ingest/source.h"

namespace frx::cli {
namespace command_history_compare {
namespace {

constexpr std::size_t most_further = 9, most_looked_at = 10'000;

struct Options {
  HistoryOptions common;
  std::string answer, against, series;
  bool fail_on_regression = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Compares an answer with a recorded one as frx compare, frx layout diff and frx kernel diff do, from what the two documents have: "
      "the "
      "times of steps or kernels decide. Further records of the series with the commit of the recorded one show how much it differs from "
      "itself; differences up to that count as nothing.");
  syntax.required_argument("ANSWER", options.answer, "a document of frx --json, or a record by id or baseline; - is standard input");
  syntax.option("--against", "WHAT", options.against, "a baseline by its name, last or best of the series (default: last)");
  syntax.option("--series", "NAME", options.series, "the series (default: by kind, what was measured, and GPU)");
  syntax.flag("--fail-on-regression", options.fail_on_regression, "exit 1 when the answer is worse than the recorded one");
  describe_history(syntax, options.common);
  syntax.example("answer.json --against release-1.4", "is this branch slower than the release?");
  syntax.example("answer.json --against best --fail-on-regression", "for CI");
  syntax.exit_code(0, "the comparison was made, whatever it says");
  syntax.exit_code(1, "a file or the history cannot be read; with --fail-on-regression, the answer is worse");
  syntax.exit_code(3, "there is nothing to compare with, or the two cannot be compared");
}

// A file, or a record by its id.
Result<history::Record> answer_given(const Options& options, history::Store& store, const Io& io) {
  std::error_code ignored;
  if (options.answer != "-" && !std::filesystem::exists(options.answer, ignored)) {
    TRY_ASSIGN(const std::string id, id_called(store, options.answer));
    TRY_ASSIGN(std::optional<history::Record> named, store.find(id));
    if (named) return *std::move(named);
    return fail(ErrorKind::unreadable, "there is no such file, and no such record")
        .at(options.answer)
        .hint("frx history list shows records");
  }
  ingest::Source source = ingest::Source::at(options.answer);
  TRY_ASSIGN(const std::string text, source.text(history::largest_document));
  const std::optional<answer::Json> document = history::json_in(text);
  if (!document) {
    return fail(ErrorKind::malformed, "expected an answer of frx as JSON, found something else or a document cut short")
        .at(source.name())
        .hint("frx analyze FILE --json > answer.json writes one");
  }
  history::Recording recording = recording_here(io);
  recording.series = options.series;
  return history::record_of(*document, recording, source.name());
}

Failure nothing_there(const history::Record& answer, const history::Store& store) {
  return fail(ErrorKind::not_enough, "no other answer is recorded in the series '{}'", printable(answer.series))
      .at(store.name())
      .hint("frx history record ANSWER keeps one; --series names another series");
}

Result<std::string> id_of_baseline(history::Store& store, const std::string& name) {
  TRY_ASSIGN(const std::vector<history::Baseline> baselines, store.baselines());
  for (const history::Baseline& one : baselines) {
    if (one.name == name) return one.id;
  }
  return fail(ErrorKind::not_enough, "no baseline is called '{}'", shorten(printable(name), 60))
      .at(store.name())
      .hint("frx history baseline list shows them; --against also takes last and best");
}

struct Others {
  std::string id;                    // of what to compare with
  std::vector<std::string> further;  // of its series and commit
};

// Smaller is better: the first number of the answers that can be compared is a time.
Result<Others> others_for(const Options& options, const history::Record& answer, history::Store& store) {
  Others others;
  history::Filter of_series;
  of_series.series = answer.series;
  of_series.limit = most_looked_at;
  TRY_ASSIGN(std::vector<history::Summary> records, store.list(of_series));
  std::erase_if(records, [&](const history::Summary& one) { return one.id == answer.id || one.schema != answer.schema; });
  const history::Summary* chosen = nullptr;
  for (const history::Summary& one : records) {
    const bool is_better = options.against == "best" && one.value && (!chosen || !chosen->value || *one.value < *chosen->value);
    if (!chosen || is_better) chosen = &one;
  }
  if (!options.against.empty() && options.against != "best" && options.against != "last") {
    TRY_ASSIGN(others.id, id_of_baseline(store, options.against));
  } else {
    if (!chosen) return nothing_there(answer, store);
    others.id = chosen->id;
  }
  const auto reference = std::ranges::find(records, others.id, &history::Summary::id);
  if (reference == records.end() || reference->commit.empty()) return others;
  for (const history::Summary& one : records) {
    if (one.id != others.id && one.commit == reference->commit && others.further.size() < most_further) others.further.push_back(one.id);
  }
  return others;
}

Result<int> act(const Options& options, Io& io) {
  TRY_ASSIGN(const std::unique_ptr<history::Store> store, open_history(options.common.store, history::Open::to_read, io));
  TRY_ASSIGN(history::Record answer, answer_given(options, *store, io));
  if (!options.series.empty()) answer.series = options.series;
  TRY_ASSIGN(const Others others, others_for(options, answer, *store));
  TRY_ASSIGN(history::Record recorded, store->record(others.id));
  std::vector<history::Record> further;
  for (const std::string& id : others.further) {
    TRY_ASSIGN(history::Record one, store->record(id));
    further.push_back(std::move(one));
  }
  const std::string name = options.against.empty() ? "last" : options.against;
  const ComparedRecord first{std::move(recorded), fmt::format("{} ({})", name, others.id.substr(0, 8))};
  const ComparedRecord second{std::move(answer), std::string(file_name_in(options.answer == "-" ? "stdin" : options.answer))};
  TRY_ASSIGN(const HistoryComparison comparison, compare_records(first, second, further));
  return print_history(options.common, "history compare", comparison.answer, io, options.fail_on_regression && comparison.is_worse ? 1 : 0);
}

}  // namespace
}  // namespace command_history_compare

constinit const Command history_compare_command =
    make_command<command_history_compare::Options, command_history_compare::describe, command_history_compare::act>(
        "history compare", "Compare an answer with a recorded one", "Keep");

}  // namespace frx::cli
