// Two implementations, of which there may be CUDA source, PTX and a profile each, as one comparison.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analyse/context.h"
#include "base/text.h"
#include "ingest/source.h"
#include "report/implementation_comparison.h"

namespace frx::analyse {

// What is given of one side; at least one of the three.
struct ImplementationSources {
  std::optional<ingest::Source> code;     // CUDA source or PTX
  std::optional<ingest::Source> ptx;      // beside the source
  std::optional<ingest::Source> profile;  // of Nsight Compute
  std::string label;                      // "" for the name of the file
  std::string kernel;                     // of the profile: this one alone, or ""
};

// The reports of one side.
struct ReadImplementation {
  std::string path, label;  // path: of the first file that was given
  std::unique_ptr<report::CudaReport> cuda;
  std::unique_ptr<report::PtxReport> ptx;
  const report::NcuReport* ncu = nullptr;
  std::unique_ptr<report::NcuReport> one_kernel;  // of the profile, when one was asked for

  report::Implementation implementation() const { return {label, printable(path), cuda.get(), ptx.get(), ncu}; }
};

using PtxCompilerOf = std::function<report::PtxCompiler(const std::string& path)>;

// Source and PTX of both sides; the labels differ. Errors: a file cannot be read, or is no code.
Result<std::pair<ReadImplementation, ReadImplementation>> read_code(ImplementationSources& first, ImplementationSources& second,
                                                                    const report::CodeAnalyst& analyst,
                                                                    const PtxCompilerOf& compiler_of = {});
// The profile of one side, when one was given.
Result<> read_profile(ReadImplementation& side, ImplementationSources& sources, Context& context);
// When one was asked for. Errors: the profile has no such kernel.
Result<> choose_kernel(ReadImplementation& side, const std::string& kernel);

// Errors: the two have no evidence of one kind.
Result<report::ImplementationComparison> compared(const ReadImplementation& first, const ReadImplementation& second,
                                                  const report::ComparisonKnowledge& known,
                                                  std::vector<report::EvidenceFailure> failures = {});

}  // namespace frx::analyse
