// What one source holds, once it has been read: one of the models there are, in the order of Kind.
#pragma once

#include <variant>

#include "ingest/format.h"
#include "ingest/run_bundle/open_bundle.h"
#include "model/compiler_log.h"
#include "model/cuda_source.h"
#include "model/device_code.h"
#include "model/ptx_module.h"
#include "model/session.h"
#include "model/timeline.h"

namespace frx::ingest {

struct Observation {
  std::variant<model::Session, model::Timeline, RunBundle, model::ptx::Module, model::cuda::Source, model::DeviceCode, model::CompilerLog> model;

  Kind kind() const { return static_cast<Kind>(model.index()); }
};

// Reads a source as its content says. Errors name the source, what was expected and what was found.
Result<Observation> observe(Source& source, const ReadOptions& options);
// As a format that recognise() gave. Without one, a profile is looked for in all lines of the text.
Result<Observation> observe(Source& source, const Format* format, const ReadOptions& options);

// The same for one who wants one kind of model and nothing else. Malformed when the source holds another one.
template <typename Model>
Result<Model> observe_as(Source& source, const ReadOptions& options);

}  // namespace frx::ingest
