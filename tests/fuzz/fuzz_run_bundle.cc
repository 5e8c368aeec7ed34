// Zip archives that claim to be run bundles: no name leads out, nothing is larger than the limits, whatever is read;
// whatever the members say, times of steps are times.
#include "fuzz/input.h"
#include "ingest/run_bundle/open_bundle.h"
#include "ingest/run_events/read_events.h"
#include "ingest/run_events/read_summary.h"

static void check_times(const frx::model::StepTable& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) frx::fuzz::require(steps.total_ns(i) >= 0 && steps.loader_wait_ns(i).value_or(0) >= 0);
}

// Whatever a member is called: its bytes may be a stream of events, samples or a summary.
static void read_as_stream_and_summary(const std::string& text) {
  frx::model::RunRecord record;
  (void)frx::ingest::read_run_events(*frx::open_bytes(text), record);
  (void)frx::ingest::read_gpu_samples(*frx::open_bytes(text), record);
  check_times(record.steps);
  if (const auto summary = frx::ingest::read_run_summary(text)) {
    check_times(summary->record.steps);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frx::fuzz::require;
  constexpr frx::ingest::ZipLimits limits{.members = 100, .directory_bytes = 1 << 16, .member_bytes = 1 << 20, .total_bytes = 1 << 21};
  const frx::fuzz::ExactInput input(data, size);
  const auto run = frx::ingest::RunBundle::open_zip("input.zip", frx::ingest::random_access_to(input.text()), limits);
  if (!run) {
    require(!run.error().message.empty() && run.error().where.starts_with("input.zip"));
    return 0;
  }
  require(frx::ingest::looks_like_run(run->members()) && run->members().size() <= limits.members);
  for (const auto& member : run->members()) {
    require(!member.path.empty() && member.path[0] != '/' && member.path.find('\0') == std::string::npos);
    require(member.path != ".." && !member.path.starts_with("../") && !member.path.ends_with("/..") &&
            member.path.find("/../") == std::string::npos);
    const auto text = run->read(member.path, limits.member_bytes);
    require(text ? text->size() == member.bytes : text.error().where.starts_with("input.zip"));
    if (text) read_as_stream_and_summary(*text);
  }
  return 0;
}
