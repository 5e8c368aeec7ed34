// Contracts of performance: YAML that says how fast a kernel has to be on which hardware, and whether a profile keeps it.
//
//   kind: KernelContract
//   name: cgp-gemm-512
//   version: 1.0.0
//   kernel: gemm
//   hardware: {gpu: NVIDIA H100 80GB HBM3, compute_capability: "9.0"}
//   bounds:
//     - size: [512, 512, 512]
//       max_time_us: 25.5
//       min_tflops: 10.5
//       min_bandwidth_gbps: 40
//       max_regression_pct: 10
//   metrics:
//     achieved_occupancy: {min: 40}
//   falsification:
//     - {name: F1, description: it is not slower than, check: "wall_clock_time_us < 30"}
//
// Each check passes, fails, or is skipped because what it needs was not measured. A contract with a failed check is broken, one with a
// skipped check is inconclusive, and only what was checked in full is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/full_profile.h"

namespace frx::report {

struct ContractBound {
  std::vector<std::uint32_t> size;  // empty: of any problem
  std::optional<double> max_time_us, min_tflops, min_bandwidth_gbps, max_regression_pct;
};

struct ContractRange {
  std::string metric;
  std::optional<double> min, max;
};

struct FalsificationCheck {
  std::string name, description, check;
  std::string field, op;  // of the check, taken apart
  double number = 0;
};

struct ProfileContract {
  std::string file;  // it was read from
  std::string kind, name, version, kernel;
  std::optional<std::string> gpu, cpu, compute_capability;
  std::vector<ContractBound> bounds;
  std::vector<ContractRange> metrics;
  std::vector<FalsificationCheck> falsification;
};

// Malformed, with file and line: an unknown field, a number that is none, a metric that contracts do not know, a check that is not
// "field op number".
Result<ProfileContract> read_contract(const std::string& file, const std::string& yaml);

enum class CheckOutcome : std::uint8_t { passed, failed, skipped };
std::string_view name_of(CheckOutcome outcome);

struct ContractCheck {
  std::string name;    // "max_time_us", "metrics.achieved_occupancy", "F1"
  std::string detail;  // "23.2 (asked for: <= 25.5)", or why it was skipped
  CheckOutcome outcome = CheckOutcome::skipped;
  bool is_regression = false;  // of max_regression_pct
};

struct ContractVerdict {
  std::string file, name, kernel;
  std::vector<ContractCheck> checks;
  CheckOutcome outcome = CheckOutcome::skipped;  // skipped: inconclusive
};

// With `fail_on_regression` a profile that is slower than max_regression_pct allows breaks the contract; without, the check fails and the
// others decide. `profile` null: nothing was measured, so every check is skipped. `baseline`: of the same kernel and problem, or null. An
// estimated profile, and one of another kernel or other hardware, count as none.
ContractVerdict verify_contract(const ProfileContract& contract, const model::FullProfile* profile, const model::FullProfile* baseline,
                                bool fail_on_regression);

// A contract that the profile keeps with this much to spare, in percent. Not enough evidence where it has neither a kernel's name nor a
// time, or is an estimate.
Result<std::string> contract_for(const model::FullProfile& profile, double tolerance_pct);

}  // namespace frx::report
