// frx history ranks: which ranks, nodes and links of a run the others waited for, by queries of the store.

#include "base/text.h"
#include "cli/command.h"
#include "cli/history_commands.h"
#include "compose/history.h"
#include "knowledge/library.h"

namespace frx::cli {
namespace command_history_ranks {
namespace {

struct Options {
  HistoryOptions common;
  std::string run;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Names the ranks and nodes of a run that come late to its collectives by work of their own, step by step, and slow links, as frx "
      "analyze of their summaries does. The collectives of all ranks are compared where they are kept; frx summarise --store puts them "
      "there.");
  syntax.required_argument("RUN", options.run, "as frx summarise --run named it");
  describe_history(syntax, options.common);
  syntax.example("job-4711 --store clickhouse://db/frx", "which of ten thousand ranks slows the others down?");
  describe_history_codes(syntax, "the ranks were compared, whatever comes of it");
  syntax.exit_code(3, "no rank of this run is there");
}

Result<int> act(const Options& options, Io& io) {
  TRY_ASSIGN(const std::unique_ptr<history::Store> store, open_history(options.common.store, history::Open::to_read, io));
  TRY_ASSIGN(const knowledge::FleetRules rules, knowledge::FleetRules::load(knowledge::Library::builtin()));
  TRY_ASSIGN(history::RankReduction reduction, store->reduce_ranks(options.run, rules));
  if (reduction.ranks.empty()) {
    return fail(ErrorKind::not_enough, "no rank of a run '{}' is there", shorten(printable(options.run), 80))
        .at(store->name())
        .hint("frx summarise --store STORE --run NAME puts ranks there");
  }
  history::ComparedRanks ranks = history::compare_ranks(std::move(reduction), rules);
  ranks.store = store->name();
  ranks.run = options.run;
  return print_history(options.common, "history ranks",
                       compose::answer_of(std::make_shared<const history::ComparedRanks>(std::move(ranks))), io);
}

}  // namespace
}  // namespace command_history_ranks

constinit const Command history_ranks_command =
    make_command<command_history_ranks::Options, command_history_ranks::describe, command_history_ranks::act>(
        "history ranks", "Name late ranks, nodes and links", "Keep");

}  // namespace frx::cli
