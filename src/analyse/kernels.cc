#include "analyse/kernels.h"

#include "ingest/profile.h"

namespace frx::analyse {

Result<model::Session> read_launches(Input input, Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  const std::string name = input.source.name();
  std::function<void(std::uint64_t)> progress;
  if (context.options().progress) progress = context.options().progress(name, input.source.size_hint());
  TRY_ASSIGN(const std::unique_ptr<ByteSource> bytes, input.source.bytes());
  return ingest::read_profile(name, *bytes, known->metrics, progress, ingest::Keep::every_launch);
}

Result<report::KernelProfile> analyse_kernel(Input input, const report::KernelProfileRequest& request, Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  TRY_ASSIGN(model::Session session, read_launches(std::move(input), context));
  return report::kernel_profile_of(std::move(session), request, *known);
}

}  // namespace frx::analyse
