// Profiles written inside tests: bytes in, a session out, and short accessors for it.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "frx_generated/metric_ids.h"
#include "ingest/profile.h"
#include "knowledge/library.h"
#include "knowledge/metrics.h"
#include "model/session.h"

namespace frx::ingest::testing {

inline const knowledge::MetricCatalogue& catalogue() {
  static const knowledge::Library library = knowledge::Library::builtin();
  static const knowledge::MetricCatalogue metrics = knowledge::MetricCatalogue::load(library).value();
  return metrics;
}

inline Result<model::Session> load_bytes(std::string_view bytes) {
  const std::unique_ptr<ByteSource> source = open_bytes(bytes);
  return read_profile("profile", *source, catalogue());
}

// The session, or an empty one and a failed test.
inline model::Session session_of(std::string_view bytes) {
  Result<model::Session> session = load_bytes(bytes);
  if (session) return std::move(*session);
  ADD_FAILURE() << to_string(session.error());
  return {};
}

// "where: message hint", "" when the bytes were read without an error.
inline std::string refusal_of(std::string_view bytes) {
  const Result<model::Session> session = load_bytes(bytes);
  return session ? std::string() : to_string(session.error());
}

inline const model::Spread* spread(const model::Session& session, std::string_view kernel, model::Metric metric, std::size_t group = 0) {
  const std::optional<std::size_t> column = session.column_of(metric);
  for (const model::Kernel& k : session.kernels) {
    if (k.name != kernel || !column || group >= k.groups.size()) continue;
    const model::Spread& found = k.groups[group].spreads[*column];
    return found.count > 0 ? &found : nullptr;
  }
  return nullptr;
}

// The mean of a metric over the launches of a group; nullopt when it was not read.
inline std::optional<double> mean(const model::Session& session, std::string_view kernel, model::Metric metric, std::size_t group = 0) {
  const model::Spread* found = spread(session, kernel, metric, group);
  return found ? std::optional(found->mean()) : std::nullopt;
}

inline std::optional<double> sum(const model::Session& session, std::string_view kernel, model::Metric metric) {
  const model::Spread* found = spread(session, kernel, metric);
  return found ? std::optional(found->sum) : std::nullopt;
}

inline bool has_note(const model::Session& session, std::string_view part) {
  for (const model::Note& note : session.notes) {
    if (note.text.find(part) != note.text.npos) return true;
  }
  return false;
}

}  // namespace frx::ingest::testing
