// An answer about a kernel: its bottlenecks, each with its cause, what to change, and the counters that say so. It comes from our diagnosis
// or from a reply, and can be written in the shape of either documented contract.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/advice.h"
#include "report/judge/subject.h"

namespace frx::report {

struct JudgedEvidence {
  std::string metric;           // the name of a counter
  std::optional<double> value;  // in base units
  std::string unit;             // "%", "bytes", ""
  std::string interpretation;
};

struct JudgedFix {
  std::string fix, rationale;
};

struct JudgedCause {
  std::string cause;
  std::vector<JudgedEvidence> evidence;
  std::vector<JudgedFix> fixes;
};

struct JudgedBottleneck {
  std::string category;  // "memory-bound" of the dual contract, "memory" of the list contract
  std::string summary, root_cause, suggestion, expected_improvement;
  std::vector<std::string> priority_metrics;
  std::vector<JudgedCause> causes;
  std::optional<double> confidence;  // 0 to 1
  std::string origin;                // "rules", "llm"
};

// dual: exactly two bottlenecks of different categories, of four (memory-bound, compute-bound, occupancy-limited, latency-bound).
// list: any number of them, of three categories (memory, compute, underutilized).
enum class JudgeContract : std::uint8_t { dual, list };

struct JudgeDemands {
  JudgeContract contract = JudgeContract::dual;
  std::size_t bottlenecks = 2;  // of the list contract 1 by default
  std::size_t causes = 2;       // of each, of the list contract
  std::size_t fixes = 1;        // of each cause, of the list contract
};

struct Judgement {
  std::vector<JudgedBottleneck> bottlenecks;  // most important first
  std::vector<std::string> notes;             // what could not be told
  // How far the counters support each category, 0 to 1; absent: none that could was measured.
  std::vector<std::pair<std::string_view, std::optional<double>>> support;
};

// The answer that our diagnosis gives: what leads, then the strongest of what is left in another category. Fewer than demanded where the
// counters do not support more; `notes` says so. Insufficient: nothing that supports any category was measured.
Judgement judge_by_rules(const JudgeSubject& subject, const knowledge::Knowledge& knowledge, const knowledge::JudgeKnowledge& judge,
                         const JudgeDemands& demands);

// 0 to 1: how far the counters support a category, by its own measure or by a rule that fires; absent when none that could was measured.
std::optional<double> support_of(const knowledge::JudgeCategory& category, const JudgeSubject& subject);
// The category of the list contract that the speed of light of both sides gives: memory, compute, underutilized; "" where it is not known.
std::string_view coarse_category(const SpeedOfLight& light);

}  // namespace frx::report
