// A kernel that is judged: the prompt for a language model, an answer in each of the documented shapes, and what a check of one found.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "answer/answer.h"
#include "report/judge/check.h"

namespace frx::compose {

struct JudgePromptRequest {
  report::JudgeDemands demands;
  std::string code_name, code;   // "": none is given
  std::string problem;           // "": none is given
  bool variant_b = false;        // the indicators of the later revision of the reference
  std::size_t token_budget = 0;  // 0: none. About four bytes are one token; the source is cut to what is left
};

struct JudgePrompt {
  std::string system;  // "" of the list contract, which is one message
  std::string user;
  std::vector<std::string> notes;  // what was cut
};

JudgePrompt judge_prompt(const report::JudgeSubject& subject, const knowledge::JudgeKnowledge& judge, const JudgePromptRequest& request);

// JSON Schema of an answer, for endpoints that hold a model to one.
nlohmann::ordered_json judge_reply_schema(const report::JudgeDemands& demands, const knowledge::JudgeKnowledge& judge);

// The answer as a model would give it: an object with bottleneck_1 and bottleneck_2, or a list.
nlohmann::ordered_json reply_of(const report::Judgement& judgement, report::JudgeContract contract);

// kdiag.v1: what was judged, and the bottlenecks. `verdict`: of a reply that was checked; null for an answer of ours.
struct JudgedAnswer {
  report::JudgeSubject subject;
  report::JudgeDemands demands;
  report::Judgement judgement;
  std::shared_ptr<const report::JudgeVerdict> verdict;
  std::vector<std::string> notes;
};

answer::Answer answer_of(std::shared_ptr<const JudgedAnswer> judged);
// What a check found; kdiag_check.v1.
struct CheckedReply {
  report::JudgeSubject subject;
  report::JudgeVerdict verdict;
  std::string reply_name;
  std::string_view path;  // how the JSON was found
  std::vector<std::string> repairs;
};
answer::Answer answer_of(std::shared_ptr<const CheckedReply> checked);

}  // namespace frx::compose
