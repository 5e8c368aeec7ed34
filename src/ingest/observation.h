// The content of one source after reading: one of the models, in the order of Kind.
#pragma once

#include <variant>

#include "ingest/format.h"
#include "ingest/run_bundle/open_bundle.h"
#include "model/compiler_log.h"
#include "model/cuda_source.h"
#include "model/device_code.h"
#include "model/ptx_module.h"
#include "model/rank_summary.h"
#include "model/session.h"
#include "model/timeline.h"

namespace frx::ingest {

struct Observation {
  std::variant<model::Session, model::Timeline, RunBundle, model::ptx::Module, model::cuda::Source, model::DeviceCode, model::CompilerLog,
               model::RankSummaries>
      model;

  Kind kind() const { return static_cast<Kind>(model.index()); }
};

// Reads a source according to its content. Errors name the source, what was expected and what was found.
Result<Observation> observe(Source& source, const ReadOptions& options);
// Reads it as a format that recognise() returned. Without one, all lines of the text are searched for a profile.
Result<Observation> observe(Source& source, const Format* format, const ReadOptions& options);

// The same for a caller that accepts one kind of model only. Malformed when the source holds another one.
template <typename Model>
Result<Model> observe_as(Source& source, const ReadOptions& options);

}  // namespace frx::ingest
