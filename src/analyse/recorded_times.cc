#include "analyse/recorded_times.h"

#include "base/text.h"
#include "ingest/observation.h"

namespace frx::analyse {
namespace {

Failure other_recording(const std::string& name, std::string_view found) {
  return fail(ErrorKind::malformed, "expected a recording of Nsight Systems, found {}", found)
      .at(name)
      .hint(fmt::format("frx analyze {} says what it shows", shell_quote(name)));
}

}  // namespace

Result<NsysRecording> read_nsys_recording(Input input, Context& context) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  const std::string name = input.source.name();
  if (ingest::is_code(input.kind()) || input.kind() == ingest::Kind::run_bundle)
    return other_recording(name, ingest::name_of(input.kind()));
  ingest::ReadOptions options{known->metrics};
  options.may_be_idle = true;
  if (context.options().progress) options.progress = context.options().progress(name, input.source.size_hint());
  Result<ingest::Observation> read = ingest::observe(input.source, input.format, options);
  if (!read && !input.format && read.error().message.find("no metric table") != std::string::npos) {
    return fail(ErrorKind::malformed, "expected a recording of Nsight Systems, found no table of nsys stats")
        .at(name)
        .hint("give the report (.nsys-rep), its export (.sqlite), or what nsys stats -r cuda_gpu_kern_sum printed");
  }
  TRY_ASSIGN(ingest::Observation observation, std::move(read));
  if (auto* const timeline = std::get_if<model::Timeline>(&observation.model)) {
    if (timeline->facts.recorder != model::Recorder::nsight_systems) return other_recording(name, "a trace of the PyTorch profiler");
    return NsysRecording(std::move(*timeline));
  }
  if (auto* const session = std::get_if<model::Session>(&observation.model)) {
    if (session->tool != "Nsight Systems") return other_recording(name, fmt::format("a profile of {}", session->tool));
    session->source = name;
    return NsysRecording(std::move(*session));
  }
  return other_recording(name, ingest::name_of(input.kind()));
}

}  // namespace frx::analyse
