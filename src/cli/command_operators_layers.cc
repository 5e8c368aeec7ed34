// frx operators layers: modules of a recorded model that do the same work.

#include "analyse/operators.h"
#include "base/files.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/print_answer.h"
#include "compose/layers.h"

namespace frx::cli {
namespace command_operators_layers {
namespace {

struct Options {
  std::string file, output, format = "text";
  bool json = false;
  report::AnalysisOptions analysis;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Finds modules beside each other in a model inside of which the same operators ran, on inputs of the same shapes, and launched the "
      "same kernels. Nsight Compute needs to measure one of them only: frx operators map --partition-map leaves the others out, and gives "
      "them its counters, marked as inferred. Modules are ranges called nn.Module: NAME (docs/operators.md).");
  syntax.required_argument("FILE", options.file,
                           "export of Nsight Systems (.sqlite) or trace of the PyTorch profiler; - is standard input");
  syntax.option("--output", "FILE", options.output, "write each duplicate with the module that stands for it, for --partition-map");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json", options.json, "the same as --format json (operator_layers_v0)");
  syntax.example("run.sqlite", "which modules are the same?");
  syntax.example("run.sqlite --output run.part.json", "and for frx operators map --partition-map run.part.json");
  syntax.exit_code(0, "the answer was given, whether there are such modules or not");
  syntax.exit_code(1, "the file cannot be read, or the other one written");
}

Result<int> act(const Options& options, Io& io) {
  TRY_ASSIGN(const std::string format, format_of("operators layers", options.json, options.format));
  Session session(options.analysis, io);
  TRY_ASSIGN(analyse::Input input, session.input(options.file));
  TRY_ASSIGN(analyse::OperatorAnalysis analysis,
             analyse::analyse_operators(std::move(input), report::OperatorGrouping::by_operator, session.context()));
  session.end_progress();
  if (!analysis.profile) return fail(ErrorKind::usage, "operators layers: expected a recording, and this is a profile").at(options.file);
  const auto report = std::make_shared<const report::LayersReport>(report::layers_of(std::move(*analysis.profile)));
  if (!options.output.empty()) TRY(write_file(options.output, compose::partition_text(*report)));
  TRY(print_answer(io, compose::answer_of(report), format));
  return 0;
}

}  // namespace
}  // namespace command_operators_layers

constinit const Command operators_layers_command =
    make_command<command_operators_layers::Options, command_operators_layers::describe, command_operators_layers::act>(
        "operators layers", "Find modules of a model that do the same work", "Diagnose");

}  // namespace frx::cli
