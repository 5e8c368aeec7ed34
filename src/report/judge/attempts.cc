#include "report/judge/attempts.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "derive/compare/two_samples.h"

namespace frx::report {
namespace {

using AttemptJson = nlohmann::ordered_json;

// Six decimals of a millisecond are a nanosecond, which no clock here resolves further.
double six_digits(double value) { return std::round(1e6 * value) / 1e6; }

constexpr std::size_t most_attempts = 1000;
constexpr double deviations = 2;      // of the noise, that a difference has to exceed
constexpr double of_normal = 1.4826;  // of a median absolute deviation, the standard deviation of a normal distribution

template <typename Kind>
std::optional<Kind> member(const AttemptJson& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) return std::nullopt;
  const bool is_whole = at->is_number_integer() && !(at->is_number_unsigned() && at->template get<std::uint64_t>() > INT64_MAX);
  const bool fits = std::is_same_v<Kind, std::string>    ? at->is_string()
                    : std::is_same_v<Kind, bool>         ? at->is_boolean()
                    : std::is_same_v<Kind, std::int64_t> ? is_whole
                                                         : at->is_number();
  return fits ? std::optional(at->get<Kind>()) : std::nullopt;
}

JudgeAttempt attempt_of(const AttemptJson& object) {
  JudgeAttempt attempt;
  attempt.round_num = member<std::int64_t>(object, "round_num");
  attempt.worker_id = member<std::int64_t>(object, "worker_id");
  attempt.bottleneck_category = member<std::string>(object, "bottleneck_category").value_or("");
  attempt.root_cause = member<std::string>(object, "root_cause").value_or("");
  attempt.recommended_fix = member<std::string>(object, "recommended_fix").value_or("");
  if (const auto changes = object.find("config_changes"); changes != object.end() && changes->is_object()) {
    for (const auto& [key, value] : changes->items()) {
      if (value.is_string()) attempt.config_changes.emplace_back(key, value.get<std::string>());
    }
  }
  attempt.time_before_ms = member<double>(object, "time_before_ms");
  attempt.time_after_ms = member<double>(object, "time_after_ms");
  attempt.noise_ms = member<double>(object, "noise_ms");
  attempt.improvement_pct = member<double>(object, "improvement_pct");
  attempt.is_improvement = member<bool>(object, "is_improvement");
  attempt.compute_sol_pct = member<double>(object, "compute_sol_pct");
  attempt.memory_sol_pct = member<double>(object, "memory_sol_pct");
  attempt.combined_sol_pct = member<double>(object, "combined_sol_pct");
  attempt.passed_verification = member<bool>(object, "passed_verification");
  attempt.error_message = member<std::string>(object, "error_message").value_or("");
  return attempt;
}

template <typename Kind>
AttemptJson or_null(const std::optional<Kind>& value) {
  return value ? AttemptJson(*value) : AttemptJson();
}

}  // namespace

void compare_times(std::vector<double> before, std::vector<double> after, JudgeAttempt& attempt) {
  if (before.empty() || after.empty()) return;
  using derive::compare::median_deviation;
  using derive::compare::median_of;
  const double median_before = median_of(before), median_after = median_of(after);
  attempt.time_before_ms = median_before;
  attempt.time_after_ms = median_after;
  if (median_before > 0) attempt.improvement_pct = six_digits(100 * (median_before - median_after) / median_before);
  if (before.size() < 2 || after.size() < 2) return;
  const double spread = of_normal * std::hypot(median_deviation(before, median_before), median_deviation(after, median_after));
  attempt.noise_ms = six_digits(deviations * spread);
  const double gain = median_before - median_after;
  if (std::abs(gain) >= *attempt.noise_ms && gain != 0) attempt.is_improvement = gain > 0;
}

Result<std::vector<JudgeAttempt>> read_attempts(std::string_view name, std::string_view text) {
  std::vector<JudgeAttempt> attempts;
  std::size_t line_number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++line_number;
    if (trim(line).empty()) continue;
    const AttemptJson object = AttemptJson::parse(line, nullptr, false);
    if (!object.is_object())
      return fail(ErrorKind::malformed, "expected an attempt, an object on one line").at(fmt::format("{}:{}", name, line_number));
    attempts.push_back(attempt_of(object));
    if (attempts.size() > 2 * most_attempts) attempts.erase(attempts.begin(), attempts.begin() + most_attempts);
  }
  if (attempts.size() > most_attempts) attempts.erase(attempts.begin(), attempts.end() - most_attempts);
  return attempts;
}

nlohmann::ordered_json json_of(const JudgeAttempt& attempt) {
  AttemptJson changes = AttemptJson::object();
  for (const auto& [key, change] : attempt.config_changes) changes[key] = change;
  const auto text = [](const std::string& value) { return value.empty() ? AttemptJson() : AttemptJson(value); };
  return {{"schema", "judge_attempt_v1"},
          {"round_num", or_null(attempt.round_num)},
          {"worker_id", or_null(attempt.worker_id)},
          {"bottleneck_category", text(attempt.bottleneck_category)},
          {"root_cause", text(attempt.root_cause)},
          {"recommended_fix", text(attempt.recommended_fix)},
          {"config_changes", std::move(changes)},
          {"time_before_ms", or_null(attempt.time_before_ms)},
          {"time_after_ms", or_null(attempt.time_after_ms)},
          {"noise_ms", or_null(attempt.noise_ms)},
          {"improvement_pct", or_null(attempt.improvement_pct)},
          {"is_improvement", or_null(attempt.is_improvement)},
          {"compute_sol_pct", or_null(attempt.compute_sol_pct)},
          {"memory_sol_pct", or_null(attempt.memory_sol_pct)},
          {"combined_sol_pct", or_null(attempt.combined_sol_pct)},
          {"passed_verification", or_null(attempt.passed_verification)},
          {"error_message", text(attempt.error_message)}};
}

std::vector<std::string> failed_fixes(const std::vector<JudgeAttempt>& attempts) {
  std::vector<std::string> fixes;
  for (const JudgeAttempt& attempt : attempts) {
    const bool failed =
        !attempt.is_improvement.value_or(false) || !attempt.passed_verification.value_or(true) || !attempt.error_message.empty();
    if (!failed || attempt.recommended_fix.empty()) continue;
    if (std::ranges::find(fixes, attempt.recommended_fix) == fixes.end()) fixes.push_back(attempt.recommended_fix);
  }
  return fixes;
}

}  // namespace frx::report
