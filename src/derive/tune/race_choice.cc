#include "derive/tune/race_choice.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "derive/tune/memory_limits.h"
#include "derive/tune/usability.h"

namespace frx::derive::tune {
namespace {

// Less expected improvement of throughput than this is not worth a run.
constexpr double worthwhile_improvement = 0.002;
// A part of a combination is harmless unless it costs more than this with at least that probability. What does not pay alone may pay beside
// another: half precision does nothing for a program that waits for launches.
constexpr double harmless_loss = 0.03, certainly_harmful = 0.95;
// How many configurations of one family stand for one of those that are tried first.
constexpr std::size_t family_members_per_start = 4;

bool contains(const Settings& whole, const Settings& part) {
  return std::ranges::all_of(part, [&](const auto& setting) { return std::ranges::find(whole, setting) != whole.end(); });
}

// Documented ones that set the same variables are of one family. Of each the one in the middle, or several spread over it.
std::vector<std::size_t> starting_spread(const History& history, const std::vector<bool>& is_open) {
  std::map<std::vector<std::string>, std::vector<std::size_t>> families;
  std::vector<std::vector<std::string>> order;
  for (std::size_t i = 0; i < history.pool.size(); ++i) {
    if (!history.pool[i].is_documented || (!is_open[i] && !history.was_tried(i))) continue;
    std::vector<std::string> names;
    for (const auto& [name, value] : history.pool[i].settings) names.push_back(name);
    std::vector<std::size_t>& family = families[names];
    if (family.empty()) order.push_back(names);
    family.push_back(i);
  }
  std::vector<std::size_t> spread;
  for (const std::vector<std::string>& names : order) {
    const std::vector<std::size_t>& family = families[names];
    const std::size_t parts = (family.size() + family_members_per_start - 1) / family_members_per_start;
    for (std::size_t part = 0; part < parts; ++part) spread.push_back(family[((2 * part + 1) * family.size() / parts - 1) / 2]);
  }
  return spread;
}

bool has_harmless_parts(const History& history, const HistoryModel& model, std::size_t combination) {
  const Settings& settings = history.pool[combination].settings;
  for (std::size_t i = 0; i < history.pool.size(); ++i) {
    if (i == combination || !history.pool[i].is_documented || !contains(settings, history.pool[i].settings)) continue;
    if (history.is_unusable(i) || (history.was_tried(i) && model.probability_of(i, -harmless_loss) < 1 - certainly_harmful)) return false;
  }
  return true;
}

// Whether each of its settings is in a documented configuration, so that trying those tells what it does by itself.
bool has_documented_parts(const History& history, std::size_t combination) {
  return std::ranges::all_of(history.pool[combination].settings, [&](const auto& setting) {
    return std::ranges::any_of(history.pool,
                               [&](const Configuration& one) { return one.is_documented && contains(one.settings, {setting}); });
  });
}

// Other combinations grow by one part at a time: the largest configurations within one are those that lack a part, and one of them has
// worked.
bool extends_what_worked(const History& history, std::size_t combination) {
  if (has_documented_parts(history, combination)) return true;
  const Settings& whole = history.pool[combination].settings;
  std::vector<std::size_t> within;
  for (std::size_t i = 0; i < history.pool.size(); ++i) {
    if (i != combination && contains(whole, history.pool[i].settings)) within.push_back(i);
  }
  const auto is_largest = [&](std::size_t one) {
    return std::ranges::none_of(within, [&](std::size_t other) {
      return other != one && history.pool[other].settings.size() > history.pool[one].settings.size() &&
             contains(history.pool[other].settings, history.pool[one].settings);
    });
  };
  return std::ranges::any_of(within,
                             [&](std::size_t one) { return history.was_tried(one) && !history.is_unusable(one) && is_largest(one); });
}

// A value that is neither a number nor a truth: nothing that was tried of other values of the variable tells what it does.
bool is_name(const std::string& value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool is_number = error == std::errc() && end == value.data() + value.size();
  return !is_number && value != "true" && value != "false";
}

// A documented configuration with such a value that none has had which was tried.
std::optional<std::size_t> untried_name(const History& history, const std::vector<bool>& is_open) {
  for (std::size_t i = 0; i < history.pool.size(); ++i) {
    if (!is_open[i] || !history.pool[i].is_documented) continue;
    for (const auto& setting : history.pool[i].settings) {
      if (!is_name(setting.second)) continue;
      const auto has_it = [&](std::size_t one) { return contains(history.pool[one].settings, {setting}); };
      if (std::ranges::none_of(history.tried(), has_it)) return i;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Proposal> next_to_try(const History& history) {
  const std::vector<std::size_t> tried = history.tried();
  if (tried.size() >= history.rules.max_trials) return std::nullopt;
  std::vector<bool> is_open(history.pool.size(), true);
  for (const std::size_t one : tried) is_open[one] = false;
  for (const BarredConfiguration& barred : barred_by_memory(history)) is_open[barred.configuration] = false;
  for (const std::size_t one : starting_spread(history, is_open)) {
    if (is_open[one]) return Proposal{one, std::numeric_limits<double>::infinity(), 0};
  }
  const HistoryModel model(history);
  std::optional<std::size_t> best;
  for (const std::size_t one : tried) {
    if (history.is_unusable(one)) continue;
    if (model.gain(one).mean > (best ? model.gain(*best).mean : 0)) best = one;
  }
  const std::vector<double> usability = usability_of(history);
  std::optional<Proposal> next;
  for (std::size_t i = 0; i < history.pool.size(); ++i) {
    if (!is_open[i]) continue;
    const double improvement = usability[i] * model.expected_improvement(i, best);
    if (improvement <= (next ? next->improvement : worthwhile_improvement)) continue;
    if (!history.pool[i].is_documented && (!extends_what_worked(history, i) || !has_harmless_parts(history, model, i))) continue;
    next = {i, improvement, usability[i] * (best ? model.probability_between(i, *best, 0) : model.probability_of(i, 0))};
  }
  if (!next) {
    if (const std::optional<std::size_t> one = untried_name(history, is_open)) return Proposal{*one, worthwhile_improvement, 0};
  }
  return next;
}

}  // namespace frx::derive::tune
