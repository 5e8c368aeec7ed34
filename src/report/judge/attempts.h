// The attempts of a loop that optimises a kernel: what was tried, and whether it was faster by more than the noise. One JSON object a line.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::report {

struct JudgeAttempt {
  std::optional<std::int64_t> round_num, worker_id;
  std::string bottleneck_category, root_cause, recommended_fix;
  std::vector<std::pair<std::string, std::string>> config_changes;  // key, "old->new"
  std::optional<double> time_before_ms, time_after_ms;              // medians
  std::optional<double> noise_ms;         // 2 x the spread of both, by their median absolute deviations; absent where a side has one time
  std::optional<double> improvement_pct;  // of the time before; negative: slower
  std::optional<bool> is_improvement;     // absent: the difference is within the noise, or the noise is not known
  std::optional<double> compute_sol_pct, memory_sol_pct, combined_sol_pct;
  std::optional<bool> passed_verification;
  std::string error_message;
};

// Fills in the medians, the noise and what they say. Milliseconds.
void compare_times(std::vector<double> before, std::vector<double> after, JudgeAttempt& attempt);

// Malformed, with the line, where a line is no object. Lines beyond the last thousand are left out.
Result<std::vector<JudgeAttempt>> read_attempts(std::string_view name, std::string_view text);
nlohmann::ordered_json json_of(const JudgeAttempt& attempt);

// Of the attempts that were no improvement, failed, or did not verify; each once.
std::vector<std::string> failed_fixes(const std::vector<JudgeAttempt>& attempts);

}  // namespace frx::report
