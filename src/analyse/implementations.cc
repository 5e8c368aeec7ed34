#include "analyse/implementations.h"

#include <algorithm>

#include "analyse/analyse.h"
#include "analyse/code.h"
#include "base/text.h"
#include "ingest/format.h"

namespace frx::analyse {
namespace {

report::PtxCompiler compiler_for(const ingest::Source& source, const PtxCompilerOf& compiler_of) {
  return compiler_of ? compiler_of(source.path()) : report::PtxCompiler();
}

Result<> read_ptx(ReadImplementation& side, ingest::Source& source, const report::CodeAnalyst& analyst, const PtxCompilerOf& compiler_of) {
  TRY_ASSIGN(std::string text, source.text(largest_code_file));
  TRY_ASSIGN(side.ptx, analyst.analyse_ptx(source.name(), std::move(text), compiler_for(source, compiler_of)));
  return {};
}

Result<ReadImplementation> read(ImplementationSources& sources, const report::CodeAnalyst& analyst, const PtxCompilerOf& compiler_of) {
  ReadImplementation side;
  const std::optional<ingest::Source>& first = sources.code ? sources.code : sources.ptx ? sources.ptx : sources.profile;
  if (first) side.path = first->name();
  side.label = printable(sources.label.empty() ? file_name_in(side.path) : sources.label);
  if (sources.ptx) TRY(read_ptx(side, *sources.ptx, analyst, compiler_of));
  if (!sources.code) return side;
  TRY_ASSIGN(const ingest::Recognised found, ingest::recognise(*sources.code, analyst.knowledge().metrics));
  if (found.format && found.format->kind == ingest::Kind::ptx) {
    TRY(read_ptx(side, *sources.code, analyst, compiler_of));
    return side;
  }
  TRY_ASSIGN(std::string text, sources.code->text(largest_code_file));
  std::vector<std::pair<std::string, std::string>> program;
  program.emplace_back(sources.code->name(), std::move(text));
  TRY_ASSIGN(side.cuda, analyst.inspect_cuda(std::move(program)));
  return side;
}

}  // namespace

Result<std::pair<ReadImplementation, ReadImplementation>> read_code(ImplementationSources& first, ImplementationSources& second,
                                                                    const report::CodeAnalyst& analyst, const PtxCompilerOf& compiler_of) {
  TRY_ASSIGN(ReadImplementation before, read(first, analyst, compiler_of));
  TRY_ASSIGN(ReadImplementation after, read(second, analyst, compiler_of));
  if (before.label == after.label) std::tie(before.label, after.label) = std::pair("A", "B");
  return std::pair(std::move(before), std::move(after));
}

Result<> read_profile(ReadImplementation& side, ImplementationSources& sources, Context& context) {
  if (!sources.profile) return {};
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  TRY_ASSIGN(side.ncu, analyse_profile(input_of(std::move(*sources.profile), known->metrics), context));
  return {};
}

Result<> choose_kernel(ReadImplementation& side, const std::string& kernel) {
  if (kernel.empty() || !side.ncu) return {};
  TRY_ASSIGN(report::NcuReport alone, report::profile_of_kernel(*side.ncu, kernel));
  side.one_kernel = std::make_unique<report::NcuReport>(std::move(alone));
  side.ncu = side.one_kernel.get();
  return {};
}

Result<report::ImplementationComparison> compared(const ReadImplementation& first, const ReadImplementation& second,
                                                  const report::ComparisonKnowledge& known, std::vector<report::EvidenceFailure> failures) {
  report::ImplementationComparison comparison =
      report::compare(first.implementation(), second.implementation(), known, std::move(failures));
  if ((first.cuda && second.cuda) || (first.ptx && second.ptx) || comparison.ptx.is_available || comparison.ncu.is_available)
    return comparison;
  return fail(ErrorKind::not_enough,
              "compare: the two sides have no evidence of one kind (CUDA source, PTX, profile) that could be compared")
      .hint((first.cuda && second.ptx) || (second.cuda && first.ptx) ? "--with-ptx compiles the source"
                                                                     : "give source, PTX or a profile of both");
}

}  // namespace frx::analyse
