// One metric over time, with the changes of its level (history_trend_v1).

#include <algorithm>
#include <cmath>

#include "base/moment.h"
#include "base/text.h"
#include "base/units.h"
#include "compose/answer_with.h"
#include "compose/history.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

using answer::exact;
using answer::JsonObject;
using answer::unless_empty;
using history::ChangePoint;
using history::Trend;

constexpr std::size_t plot_columns = 60, plot_rows = 10;
constexpr double asked_change = 0.03;

std::string number_text(double value) { return fmt::format("{:.5g}", value); }
std::string change_text(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

// The values of one column of the plot.
struct Spread {
  double low = 0, middle = 0, high = 0;
};

Spread spread_in(const Trend& trend, std::size_t from, std::size_t to) {
  std::vector<double> values;
  for (std::size_t i = from; i < to; ++i) values.push_back(trend.points[i].value);
  std::ranges::sort(values);
  return {values.front(), values[values.size() / 2], values.back()};
}

// '*' the median of as many values as a column stands for, '|' from the smallest to the largest, '^' below the column of a change.
std::string plot_of(const Trend& trend) {
  const std::size_t count = trend.points.size(), columns = std::min(plot_columns, count);
  const auto begin_of = [&](std::size_t column) { return column * count / columns; };
  const auto [lowest, highest] = std::ranges::minmax_element(trend.points, {}, &history::TrendPoint::value);
  const double low = lowest->value, range = highest->value - low;
  const auto row_of = [&](double value) {
    const double share = range > 0 ? (highest->value - value) / range : 0.5;
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(plot_rows - 1)));
  };
  std::vector<std::string> rows(plot_rows + 1, std::string(columns, ' '));
  for (std::size_t column = 0; column < columns; ++column) {
    const Spread spread = spread_in(trend, begin_of(column), begin_of(column + 1));
    for (std::size_t row = row_of(spread.high); row <= row_of(spread.low); ++row) rows[row][column] = '|';
    rows[row_of(spread.middle)][column] = '*';
  }
  for (const ChangePoint& change : trend.changes.found)
    rows[plot_rows][std::min((change.at * columns + columns - 1) / count, columns - 1)] = '^';
  std::string text;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string label = row == 0 ? number_text(highest->value) : row + 1 == plot_rows ? number_text(low) : "";
    const std::string_view drawn(rows[row].data(), rows[row].find_last_not_of(' ') + 1);
    if (row == plot_rows && drawn.empty()) continue;
    text += fmt::format("  {} {}{}\n", pad_left(label, 10), row == plot_rows ? ' ' : '|', drawn);
  }
  return text + fmt::format("  {}  {} to {}", std::string(10, ' '), minute_text(trend.points.front().at_ms),
                            minute_text(trend.points.back().at_ms));
}

std::string headline_of(const Trend& trend) {
  if (trend.changes.found.empty()) {
    return trend.changes.is_tested() ? fmt::format("no change of level is found in {}", count_text(trend.points.size(), "value"))
                                     : fmt::format("{}: not enough to find a change", count_text(trend.points.size(), "value"));
  }
  const ChangePoint& last = trend.changes.found.back();
  return fmt::format("the level changed by {} on {}", change_text(last.ratio), minute_text(trend.points[last.at].at_ms));
}

// What a search for changes concluded, and what it would take to see one of 3 %.
std::vector<std::string> sentences_about(const Trend& trend) {
  const history::ChangePoints& changes = trend.changes;
  if (changes.has_other_values) return {"Changes are looked for in values above 0; this series has others."};
  if (!changes.is_tested()) {
    return {fmt::format(
        "{} recorded: changes of level are looked for from {} on. Where independent runs differ by 1 %, a change of 3 % is then "
        "found within about 15 runs.",
        changes.values == 1 ? "1 run is" : fmt::format("{} runs are", changes.values), history::fewest_for_changes)};
  }
  std::vector<std::string> sentences;
  const history::Detectable smallest = *changes.smallest();
  if (const std::optional<std::size_t> within = changes.found_within(asked_change)) {
    sentences.push_back(fmt::format("A change of 3 % or more is found about {} after it happens.", count_text(*within, "run")));
  } else {
    sentences.push_back("A change of 3 % cannot be found yet: the values differ too much for as many as there are.");
  }
  sentences.push_back(fmt::format("The smallest change that can be found now is {:.1f} %, about {} after it happens.", 100 * smallest.share,
                                  count_text(smallest.length, "run")));
  sentences.push_back(fmt::format("Without any change, at most {:g} alarms are expected in 10,000 runs.",
                                  history::expected_alarms_per_10000(changes.values)));
  return sentences;
}

void add_figure(Document& page, const Trend& trend) {
  page.add(answer::Figure{"trend", trend.metric + " over time",
                          "Each value as it was recorded, in the order of time, and the places at which its level changed.",
                          [&trend](JsonObject& out) {
                            std::vector<double> values;
                            std::vector<std::int64_t> times;
                            for (const auto& point : trend.points) {
                              values.push_back(point.value);
                              times.push_back(point.at_ms);
                            }
                            out.add("metric", trend.metric, "times_ms", times);
                            out.list("points", trend.points, [](JsonObject& one, const history::TrendPoint& point) {
                              one.add("value", exact(point.value), "id", short_id(point.id), "commit", point.commit);
                            });
                            out.list("changes", trend.changes.found, [](JsonObject& one, const ChangePoint& change) {
                              one.add("at", change.at, "detected_at", change.detected_at, "ratio", exact(change.ratio));
                            });
                          }});
}

Document trend_page(const Trend& trend) {
  Document page;
  page.headline = headline_of(trend);
  page.title("FRX history trend", trend.series);
  page.section("Verdict", answer::Part::verdict);
  page.fact("Answer", page.headline, 8);
  page.fact("Metric", as_name(trend.metric), 8);
  if (const std::optional<double> level = trend.level())
    page.fact(
        "Level",
        fmt::format("{}, the median {}", number_text(*level), trend.changes.found.empty() ? "of all values" : "since the last change"), 8);
  answer::Section over_time{"Over time", fmt::format("({})", count_text(trend.points.size(), "value"))};
  over_time.drawn_as = "trend";
  page.add(std::move(over_time));
  page.add(answer::Verbatim{plot_of(trend)});
  add_figure(page, trend);
  if (!trend.changes.found.empty()) {
    page.section("Changes");
    Table table{.columns = {{"CHANGE", 9, true}, {"SINCE (UTC)", 16}, {"FOUND AFTER", 11, true}, {"RECORD", 12}, names_column("COMMIT")}};
    for (const ChangePoint& one : trend.changes.found) {
      const auto& point = trend.points[one.at];
      table.add({change_text(one.ratio), minute_text(point.at_ms), count_text(one.detected_at - one.at + 1, "run"), short_id(point.id),
                 point.commit.empty() ? "-" : point.commit});
    }
    page.add(std::move(table));
  }
  add_list(page, "What can be found", sentences_about(trend));
  std::vector<std::string> others = trend.metrics;
  std::erase(others, trend.metric);
  if (!others.empty()) page.paragraph(Text("Other numbers of this series (--metric): ") + as_name(join(others, ", ")));
  return page;
}

void put_trend(JsonObject& out, const Trend& trend) {
  out.add("schema", "history_trend_v1", "store", trend.store, "series", trend.series, "metric", trend.metric, "metrics", trend.metrics,
          "level", exact(trend.level()), "answer", headline_of(trend));
  out.list("points", trend.points, [](JsonObject& one, const history::TrendPoint& point) {
    one.add("at", moment_text(point.at_ms), "value", exact(point.value), "id", point.id, "commit", unless_empty(point.commit));
  });
  out.object("changes", [&](JsonObject& inner) {
    const auto& changes = trend.changes;
    inner.add("is_tested", changes.is_tested(), "values", changes.values, "fewest_values", history::fewest_for_changes,
              "false_alarms_per_10000", history::expected_alarms_per_10000(changes.values), "three_percent_found_within",
              changes.found_within(asked_change));
    inner.list("found", changes.found, [&](JsonObject& one, const ChangePoint& change) {
      const auto& point = trend.points[change.at];
      one.add("at", moment_text(point.at_ms), "id", point.id, "commit", unless_empty(point.commit), "index", change.at, "found_at_index",
              change.detected_at, "ratio", exact(change.ratio), "length", change.length);
    });
    inner.list("detectable", changes.detectable,
               [](JsonObject& one, const history::Detectable& able) { one.add("within", able.length, "share", exact(able.share)); });
    inner.add("sentences", sentences_about(trend));
  });
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const Trend> trend) {
  return answer_with("a trend", "history_trend", std::move(trend), trend_page, put_trend);
}

}  // namespace frx::compose
