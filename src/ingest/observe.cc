#include "ingest/observation.h"
#include "ingest/profile.h"

namespace frx::ingest {
namespace {

Failure not_read(const Source& source, const Format& format) {
  return fail(ErrorKind::malformed, "expected a profile, a trace, a run bundle or code, found {}", format.title)
      .at(source.name())
      .hint(std::string(format.hint));
}

}  // namespace

Result<Observation> observe(Source& source, const Format* format, const ReadOptions& options) {
  if (format && format->read) return format->read(source, options);
  if (format && !format->begins && !format->read_session) return not_read(source, *format);
  TRY_ASSIGN(const std::unique_ptr<ByteSource> bytes, source.bytes());
  TRY_ASSIGN(model::Session session, read_profile(source.name(), *bytes, options.metrics, options.progress));
  return Observation{std::move(session)};
}

Result<Observation> observe(Source& source, const ReadOptions& options) {
  TRY_ASSIGN(const Recognised recognised, recognise(source, options.metrics));
  return observe(source, recognised.format, options);
}

}  // namespace frx::ingest
