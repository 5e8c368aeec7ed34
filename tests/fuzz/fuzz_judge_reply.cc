// Replies of a language model: JSON is found or not, and what is found is checked against a kernel. Whatever the bytes, no check is counted
// as held that was not made, and an answer with errors says what to ask again.
#include "fuzz/input.h"
#include "ingest/profile.h"
#include "report/analyse.h"
#include "report/judge/check.h"

namespace {

using namespace frx;

constexpr std::string_view profile_text =
    R"({"k": {"dram__throughput.avg.pct_of_peak_sustained_elapsed": 71.25, "sm__throughput.avg.pct_of_peak_sustained_elapsed": 14.9,
  "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": 71.25, "sm__warps_active.avg.pct_of_peak_sustained_active": 48.5,
  "launch__registers_per_thread": 64, "dram__bytes.sum.per_second": 1452185137204.1}})";

struct Judged {
  std::unique_ptr<report::Analyst> analyst = report::Analyst::create({}).value();
  knowledge::JudgeKnowledge judge = knowledge::JudgeKnowledge::load(analyst->knowledge().library, analyst->knowledge().metrics).value();
  report::JudgeSubject subject;

  Judged() {
    const std::unique_ptr<ByteSource> bytes = open_bytes(profile_text);
    const report::NcuReport* const report = analyst->analyse("fuzz", *bytes).value();
    subject = report::judge_subject(*report, {"k"}, nullptr, {}, analyst->knowledge(), judge).value();
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Judged judged;
  const frx::fuzz::ExactInput input(data, size);
  for (const report::JudgeContract contract : {report::JudgeContract::dual, report::JudgeContract::list}) {
    const auto reply = report::extract_reply(input.text(), contract);
    if (!reply) continue;
    frx::fuzz::require(reply->begin < reply->end && reply->end <= input.text().size());
    report::CheckRequest request;
    request.demands.contract = contract;
    const report::JudgeVerdict verdict =
        report::check_reply(reply->value, judged.subject, judged.analyst->knowledge(), judged.judge, request);
    frx::fuzz::require(verdict.held + verdict.errors.size() == verdict.checks);
    frx::fuzz::require(verdict.is_valid() == verdict.ask_again.empty());
    frx::fuzz::require(verdict.score() >= 0 && verdict.score() <= 1);
  }
  return 0;
}
