// frx history list: what was recorded.

#include "cli/command.h"
#include "cli/history_commands.h"
#include "compose/history.h"

namespace frx::cli {
namespace command_history_list {
namespace {

constexpr std::uint64_t usual_records = 20, most_records = 1'000'000;

struct Options {
  HistoryOptions common;
  std::string series, since, label, commit;
  Syntax::Number limit;
  bool by_series = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text("Lists records, newest first, or the series that there are.");
  syntax.option("--series", "NAME", options.series, "only records of this series");
  syntax.option("--since", "TIME", options.since, "only from this day or time on, 2026-11-26, UTC");
  syntax.option("--label", "ID", options.label, "only records with this label, whatever its place");
  syntax.option("--commit", "ID", options.commit, "only records of this commit, by its beginning");
  syntax.option("--limit", "N", options.limit, "records to list (default 20)");
  syntax.flag("--by-series", options.by_series, "list the series instead, each with how many records it has");
  describe_history(syntax, options.common);
  syntax.example("--by-series", "what is there?");
  syntax.example("--label memory_bandwidth_bound --since 2026-11-01", "when was memory the limit?");
  describe_history_codes(syntax, "the list is printed, with records or without any");
}

Result<int> act(const Options& options, Io& io) {
  history::Listing listing;
  listing.by_series = options.by_series;
  listing.filter = {options.series, options.label, options.commit, {}, static_cast<std::size_t>(options.limit.value_or(usual_records))};
  if (listing.filter.limit == 0 || listing.filter.limit > most_records)
    return fail(ErrorKind::usage, "history list: expected a number from 1 to {} as --limit", most_records);
  if (!options.since.empty()) {
    TRY_ASSIGN(listing.filter.from_ms, moment_given("--since", options.since));
  }
  if (options.by_series && (!options.series.empty() || !options.since.empty() || !options.label.empty() || !options.commit.empty()))
    return fail(ErrorKind::usage, "history list: --by-series goes with none of --series, --since, --label and --commit");
  TRY_ASSIGN(const std::unique_ptr<history::Store> store, open_history(options.common.store, history::Open::to_read, io));
  listing.store = store->name();
  if (options.by_series) {
    TRY_ASSIGN(listing.series, store->series(listing.filter.limit));
  } else {
    TRY_ASSIGN(listing.records, store->list(listing.filter));
  }
  return print_history(options.common, "history list", compose::answer_of(std::make_shared<const history::Listing>(std::move(listing))),
                       io);
}

}  // namespace
}  // namespace command_history_list

constinit const Command history_list_command =
    make_command<command_history_list::Options, command_history_list::describe, command_history_list::act>(
        "history list", "List what was recorded", "Keep");

}  // namespace frx::cli
