// The one analysis: sources in, the report about them out. Every command, the C ABI and whatever else asks goes through here.
//
//   analyse::Context context(options);
//   TRY_ASSIGN(const analyse::Analysis analysis, analyse::analyse(Source::at_each(paths), context));
#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "analyse/code.h"
#include "analyse/context.h"
#include "analyse/inputs.h"
#include "answer/answer.h"
#include "report/evidence.h"
#include "report/ranks_report.h"
#include "report/report.h"
#include "report/run_report.h"

namespace frx::analyse {

// What an analyser gives. Several ranks are one report; a trace alone is a report of one rank. What nothing but a renderer asks for is
// given as an answer at once.
using AnyReport =
    std::variant<const report::NcuReport*, std::shared_ptr<const report::RanksReport>, std::shared_ptr<const report::RunReport>,
                 std::shared_ptr<const CodeReport>, std::shared_ptr<const report::EvidenceReport>, std::shared_ptr<const answer::Answer>>;

struct Analysis {
  std::string_view analyzer;  // id of the one that answered
  AnyReport report;           // points into the context

  template <typename Report>
  const Report* as() const {
    const auto* held = std::get_if<std::shared_ptr<const Report>>(&report);
    return held ? held->get() : nullptr;
  }
  const report::NcuReport* profile() const {
    const auto* held = std::get_if<const report::NcuReport*>(&report);
    return held ? *held : nullptr;
  }
};

// Recognises the sources and hands them to the analyser they are for; several sources of one program are reconciled. Errors:
// a source cannot be read or is nothing that is read here; no analyser takes the sources together; the analysis was stopped.
Result<Analysis> analyse(std::vector<ingest::Source> sources, Context& context);
// The same when the sources have been recognised.
Result<Analysis> analyse(std::vector<Input> inputs, Context& context);

// Of one kind. Malformed, naming what was expected and what was found, when the input is of another one.
Result<const report::NcuReport*> analyse_profile(Input input, Context& context);
// `layouts`: whether its trace is also asked what the layouts of tensors cost.
Result<std::shared_ptr<const report::RunReport>> analyse_run(Input input, Context& context,
                                                             report::Layouts layouts = report::Layouts::left_out);
Result<std::shared_ptr<const report::RunReport>> analyse_run(const std::string& folder, Context& context,
                                                             report::Layouts layouts = report::Layouts::left_out);
Result<std::shared_ptr<const report::PtxReport>> analyse_ptx(Input input, Context& context);
// All that a trace holds as one, also when the traces of several ranks were merged in it.
Result<std::unique_ptr<report::TraceReport>> analyse_trace(Input input, Context& context,
                                                           report::Layouts layouts = report::Layouts::left_out);
// What the reader of a trace keeps beside the usual: grids, blocks and registers of kernels, or types, strides and values of the inputs of
// every operator, not of products only.
enum class Detail : std::uint8_t { usual, kernel_shapes, all_arguments };
// The events of a trace of any format, for an analyser. Malformed when the input is no trace.
Result<model::Timeline> read_timeline(Input& input, Context& context, const report::OpenEach& open_each, Detail detail = Detail::usual);

}  // namespace frx::analyse
