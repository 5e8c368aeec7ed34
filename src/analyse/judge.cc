#include "analyse/judge.h"

#include "ingest/observation.h"
#include "ingest/profile.h"

namespace frx::analyse {

Result<JudgedProfile> judged_profile(Input input, const report::KernelChoice& choice, Context& context) {
  TRY_ASSIGN(report::Analyst* const analyst, context.profiles());
  JudgedProfile judged;
  judged.knowledge = &analyst->knowledge();
  if (input.format && input.kind() != ingest::Kind::profile) {
    return fail(ErrorKind::malformed, "expected an Nsight Compute profile, found {}", input.format->title)
        .at(input.source.name())
        .hint("make one with: frx profile --preset full --out report.csv -- ./your_app");
  }
  const std::string name = input.source.name();
  TRY_ASSIGN(const std::unique_ptr<ByteSource> bytes, input.source.bytes());
  const auto& progress = context.options().progress;
  const auto callback = progress ? progress(name, bytes->size_hint()) : nullptr;
  TRY_ASSIGN(model::Session session, ingest::read_profile(name, *bytes, judged.knowledge->metrics, callback, ingest::Keep::every_counter));
  std::vector<std::string> in_order;
  for (const model::Kernel& kernel : session.kernels) in_order.push_back(kernel.name);
  const std::shared_ptr<model::OtherCounters> others = session.others;
  TRY_ASSIGN(const report::NcuReport* report, analyst->analyse(std::move(session)));
  TRY_ASSIGN(knowledge::JudgeKnowledge judge, knowledge::JudgeKnowledge::load(judged.knowledge->library, judged.knowledge->metrics));
  judged.judge = std::make_shared<const knowledge::JudgeKnowledge>(std::move(judge));
  TRY_ASSIGN(judged.subject, report::judge_subject(*report, in_order, others.get(), choice, *judged.knowledge, *judged.judge));
  return judged;
}

}  // namespace frx::analyse
