// Holds an answer against its contract and against the profile that it is about: shape, categories, names of counters, quoted values, and
// whether the GPU can do what is proposed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/judge/reply.h"

namespace frx::report {

struct JudgeProblem {
  // missing, wrong_type, too_short, too_long, count, category_unknown, category_repeated, category_spelling, against_evidence,
  // metric_unknown, metric_not_measured, wrong_value, wrong_unit, unchecked, impossible_launch, unlikely_launch, fix_tried_before, schema
  std::string_view code;
  std::string where;    // "bottleneck_1.root_cause"
  std::string message;  // with the numbers
  std::string said;     // what the answer has, "" where that is nothing
  std::string actual;   // what is right: a value of the profile, the name of a counter; "" where nothing can be named
};

struct JudgeVerdict {
  JudgeContract contract = JudgeContract::dual;
  std::vector<JudgedBottleneck> bottlenecks;  // as the answer has them, as far as they can be read
  std::vector<JudgeProblem> errors, warnings;
  std::size_t checks = 0, held = 0;  // how much was looked at, and how much of it is right
  std::size_t citations = 0;         // of the checks: numbers that are quoted beside a counter
  std::string ask_again;             // for the author of the answer: what is wrong, with the right numbers; "" where nothing is

  bool is_valid() const { return errors.empty(); }
  double score() const { return checks == 0 ? 0 : static_cast<double>(held) / static_cast<double>(checks); }
};

struct CheckRequest {
  JudgeDemands demands;
  bool counts_bottlenecks = true;         // of the list contract: exactly as many as demanded
  bool allow_partial = false;             // one bottleneck instead of two is an answer
  std::vector<std::string> failed_fixes;  // of earlier attempts that brought nothing
};

JudgeVerdict check_reply(const nlohmann::ordered_json& reply, const JudgeSubject& subject, const knowledge::Knowledge& knowledge,
                         const knowledge::JudgeKnowledge& judge, const CheckRequest& request);

// Of a reply that has no answer in it; `why` says what it has instead.
JudgeVerdict verdict_without_answer(const std::string& why, JudgeContract contract);

}  // namespace frx::report
