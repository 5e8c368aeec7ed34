// frx history baseline: names for records that later ones are compared with.

#include "base/text.h"
#include "cli/command.h"
#include "cli/history_commands.h"
#include "compose/history.h"

namespace frx::cli {
namespace command_history_baseline {
namespace {

struct Options {
  HistoryOptions common;
  std::string action, name, id, series;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text("Gives a record a name that frx history compare --against takes. A record with a name is not removed by frx history prune.");
  syntax.required_argument("ACTION", options.action, "what to do", {"set", "list", "remove"});
  syntax.argument("NAME", options.name, "the name; set and remove need it");
  syntax.argument("ID", options.id, "set: the record, by the beginning of its id (default: the newest)");
  syntax.option("--series", "NAME", options.series, "set without ID: the newest of this series");
  describe_history(syntax, options.common);
  syntax.example("set release-1.4 --series trace/resnet", "the newest record of the series is what to compare with");
  syntax.example("list", "the names that there are");
  describe_history_codes(syntax, "done");
  syntax.exit_code(2, "no record, or several, have an id that begins so; no baseline has that name");
}

Result<std::string> record_to_name(history::Store& store, const Options& options) {
  if (!options.id.empty()) return options.id;
  history::Filter newest;
  newest.series = options.series;
  newest.limit = 1;
  TRY_ASSIGN(const std::vector<history::Summary> found, store.list(newest));
  if (found.empty()) {
    return fail(ErrorKind::usage, "history baseline: there is no record{} that could be named",
                options.series.empty() ? "" : " of this series")
        .at(store.name())
        .hint("frx history list --by-series shows what is there");
  }
  return found.front().id;
}

Result<> change(history::Store& store, const Options& options, Io& io, history::Baselines& shown) {
  if (options.action == "set") {
    TRY_ASSIGN(const std::string id, record_to_name(store, options));
    TRY(store.set_baseline(options.name, id, moment_of_record(io)));
    shown.changed = options.name;
    return {};
  }
  TRY_ASSIGN(const bool was_there, store.remove_baseline(options.name));
  if (!was_there) {
    return fail(ErrorKind::usage, "history baseline: no baseline is called '{}'", shorten(printable(options.name), 60))
        .hint("frx history baseline list shows them");
  }
  shown.removed = options.name;
  return {};
}

Result<> check(const Options& options) {
  const bool lists = options.action == "list", sets = options.action == "set";
  if (lists != options.name.empty())
    return fail(ErrorKind::usage, "history baseline {}: expected {}", options.action, lists ? "no name" : "a name");
  if (!sets && (!options.id.empty() || !options.series.empty()))
    return fail(ErrorKind::usage, "history baseline {}: expected neither ID nor --series", options.action);
  if (!options.id.empty() && !options.series.empty())
    return fail(ErrorKind::usage, "history baseline set: ID and --series exclude each other");
  if (options.name == "best" || options.name == "last")
    return fail(ErrorKind::usage, "history baseline: '{}' is what frx history compare finds itself", options.name);
  return {};
}

Result<int> act(const Options& options, Io& io) {
  TRY(check(options));
  const history::Open how = options.action == "list" ? history::Open::to_read : history::Open::to_write;
  TRY_ASSIGN(const std::unique_ptr<history::Store> store, open_history(options.common.store, how, io));
  history::Baselines shown;
  shown.store = store->name();
  if (options.action != "list") TRY(change(*store, options, io, shown));
  TRY_ASSIGN(shown.all, store->baselines());
  return print_history(options.common, "history baseline", compose::answer_of(std::make_shared<const history::Baselines>(std::move(shown))),
                       io);
}

}  // namespace
}  // namespace command_history_baseline

constinit const Command history_baseline_command =
    make_command<command_history_baseline::Options, command_history_baseline::describe, command_history_baseline::act>(
        "history baseline", "Name records that later ones are compared with", "Keep");

}  // namespace frx::cli
