// What torch.compile logged, among other output. Whatever stands in the text, there are no more messages than lines, each stands at a line
// of its own, and numbers are only those of messages that have them.
#include "ingest/dynamo_log.h"

#include <algorithm>

#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using frx::fuzz::require;
  using Kind = frx::model::GuardFailure::Kind;
  const frx::fuzz::ExactInput input(data, size);
  const std::unique_ptr<frx::ByteSource> source = frx::open_bytes(input.text());
  const frx::Result<frx::model::DynamoLog> log = frx::ingest::read_dynamo_log("run.log", *source);
  if (!log) {
    require(!log.error().message.empty() && !log.error().where.empty());
    return 0;
  }
  std::uint64_t skips = 0, before = 0;
  for (const frx::model::Recompilation& one : log->recompilations) {
    require(one.log_line > before && one.log_line <= log->lines);
    before = one.log_line;
    for (const frx::model::GuardFailure& failure : one.failures) {
      const bool is_of_dimension = failure.kind == Kind::stride || failure.kind == Kind::size;
      require(is_of_dimension || (!failure.index && !failure.expected && !failure.actual));
      require(failure.kind == Kind::other || failure.text.size() >= 6);
    }
  }
  for (const frx::model::GraphSkip& skip : log->skips) {
    require(!skip.reason.empty() && skip.times > 0 && skip.log_line <= log->lines);
    skips += skip.times;
  }
  require(log->recompilations.size() + log->limits.size() + skips <= log->lines);
  return 0;
}
