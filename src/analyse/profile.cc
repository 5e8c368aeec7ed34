// One profile of Nsight Compute or nvprof.

#include "analyse/analyzer.h"
#include "ingest/observation.h"

namespace frx::analyse {
namespace {

bool profile_takes(std::span<const Input> inputs) {
  return inputs.size() == 1 && (inputs[0].kind() == ingest::Kind::profile || inputs[0].kind() == ingest::Kind::other);
}

Result<AnyReport> analyse_one(std::vector<Input>& inputs, Context& context) {
  Input& input = inputs.front();
  TRY_ASSIGN(report::Analyst * analyst, context.profiles());
  if (input.kind() == ingest::Kind::other) {
    TRY(ingest::observe(input.source, input.format, {analyst->knowledge().metrics}));  // says what to do instead
  }
  TRY_ASSIGN(const std::unique_ptr<ByteSource> bytes, input.source.bytes());
  const auto& progress = context.options().progress;
  const auto callback = progress ? progress(input.source.name(), bytes->size_hint()) : nullptr;
  TRY_ASSIGN(const report::NcuReport* report, analyst->analyse(input.source.name(), *bytes, callback));
  return AnyReport(report);
}

}  // namespace

constinit const Analyzer profile_analyzer = {
    .id = "profile",
    .needs = "one profile",
    .gives = "why its kernels are slow, and what to change first",
    .takes = profile_takes,
    .analyse = analyse_one,
};

}  // namespace frx::analyse
