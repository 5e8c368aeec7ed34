// frx history trend: one number over time, and when its level changed.

#include "base/files.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/history_commands.h"
#include "cli/print_answer.h"
#include "compose/history.h"

namespace frx::cli {
namespace command_history_trend {
namespace {

constexpr std::uint64_t usual_runs = 10'000, most_runs = 1'000'000;

struct Options {
  HistoryOptions common;
  std::string series, metric, html;
  Syntax::Number last;
  bool fail_on_change = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Shows one number of a series over time and finds when its level changed. The noise is learned from the series itself, so that "
      "runs may depend on each other and drift; without a change at most 2 alarms are expected in 10,000 runs (6 while there are fewer "
      "than 2,000).");
  syntax.required_argument("SERIES", options.series, "as frx history list --by-series names it");
  syntax.option("--metric", "NAME", options.metric, "the number (default: the first of its answers, such as the time of a step)");
  syntax.option("--last", "N", options.last, "only the newest N records (default 10000)");
  syntax.option("--html", "FILE", options.html, "also write a page with the plot");
  syntax.flag("--fail-on-change", options.fail_on_change, "exit with 1 when the newest records have another level than those before");
  describe_history(syntax, options.common);
  syntax.example("trace/resnet/nvidia-a100-sxm4-80gb", "did steps become slower, and when?");
  syntax.example("trace/resnet --metric gpu_busy_fraction --html trend.html", "another number, with a page");
  describe_history_codes(syntax, "the trend is shown; with --fail-on-change, the last change is older than the 100 newest records");
  syntax.exit_code(3, "no record has this series, or this number");
}

Result<int> act(const Options& options, Io& io) {
  constexpr std::size_t newest = 100;
  const std::uint64_t last = options.last.value_or(usual_runs);
  if (last == 0 || last > most_runs) return fail(ErrorKind::usage, "history trend: expected a number from 1 to {} as --last", most_runs);
  TRY_ASSIGN(const std::unique_ptr<history::Store> store, open_history(options.common.store, history::Open::to_read, io));
  TRY_ASSIGN(history::Trend made, history::trend_of(*store, options.series, options.metric, static_cast<std::size_t>(last)));
  const auto trend = std::make_shared<const history::Trend>(std::move(made));
  const answer::Answer answer = compose::answer_of(trend);
  if (!options.html.empty()) {
    TRY_ASSIGN(const std::string page, rendered_for_file(io, answer, "html", answer::Detail::full));
    TRY(write_file(options.html, page));
  }
  const std::vector<history::ChangePoint>& found = trend->changes.found;
  const bool is_new = !found.empty() && found.back().detected_at + newest >= trend->points.size();
  return print_history(options.common, "history trend", answer, io, options.fail_on_change && is_new ? 1 : 0);
}

}  // namespace
}  // namespace command_history_trend

constinit const Command history_trend_command =
    make_command<command_history_trend::Options, command_history_trend::describe, command_history_trend::act>(
        "history trend", "Show a number over time, and when it changed", "Keep");

}  // namespace frx::cli
