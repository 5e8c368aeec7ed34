// How a trace of the PyTorch profiler is recognised: JSON that names its events early on.

#include <algorithm>

#include "ingest/chrome_trace/read_trace.h"
#include "ingest/observation.h"

namespace frx::ingest {
namespace {

constexpr std::string_view trace_endings[] = {".json", ".json.gz", ".json.zst"};
// A trace of the profiler names its events early on; other JSON begins with the same bracket.
constexpr std::string_view early_words[] = {"\"traceEvents\"", "\"ph\"", "\"deviceProperties\"", "\"distributedInfo\""};

Match recognises_trace(const Look& look) {
  if (!trace::may_be_trace(look.head)) return Match::no;
  const bool is_named = std::ranges::any_of(early_words, [&](std::string_view word) { return look.head.find(word) != look.head.npos; });
  return is_named ? Match::certain : Match::likely;
}

Result<Observation> read_trace(Source& source, const ReadOptions& options) {
  TRY_ASSIGN(const std::string_view head, source.head());
  if (!head.empty() && !trace::may_be_trace(head)) return fail(ErrorKind::malformed, "expected a trace in JSON").at(source.name());
  TRY_ASSIGN(const std::unique_ptr<ByteSource> bytes, source.bytes());
  const trace::TraceOptions kept{
      .progress = options.progress, .all_arguments = options.all_arguments, .kernel_shapes = options.kernel_shapes};
  TRY_ASSIGN(model::Timeline timeline, trace::read_trace(source.name(), *bytes, kept));
  return Observation{std::move(timeline)};
}

}  // namespace

constinit const Format trace_format = {
    .id = "pytorch-trace",
    .title = "a trace of the PyTorch profiler",
    .kind = Kind::trace,
    .endings = trace_endings,
    .recognises = recognises_trace,
    .read = read_trace,
};

}  // namespace frx::ingest
