// frx operators replay: one operator of a recording as a script that runs without the model.

#include "analyse/operators.h"
#include "base/files.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/json_output.h"
#include "compose/operator_replay.h"

namespace frx::cli {
namespace command_operators_replay {
namespace {

struct Options {
  std::string file, output;
  report::ReplayRequest request;
  Syntax::Number iterations, warmup;
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Writes a Python script that runs one operator of a recording with random inputs of the recorded shapes, strides and types: it needs "
      "PyTorch and nothing of the model. It prints the median and the quartiles of its runs beside the recorded time, and marks them for "
      "ncu "
      "and nsys. What was not recorded stands in the script with what is assumed instead.");
  syntax.required_argument("TRACE", options.file,
                           "trace of the PyTorch profiler (record_shapes=True), or export (.sqlite); - is standard input");
  syntax.option("--operator", "NAME", options.request.operator_name, "aten::addmm, or the end of the only name that ends so");
  syntax.option("--call", "N", options.request.call, "which call, from 0 by start (default: the longest)");
  syntax.flag("--all-shapes", options.request.all_shapes, "every different set of inputs, the most expensive first");
  syntax.option("--import", "MODULE", options.request.module, "the module that registers an operator that is not of torch itself");
  syntax.option("--output", "FILE", options.output, "where to write the script (default: standard output)");
  syntax.option("--iterations", "N", options.iterations, "runs that the script measures unless it is told otherwise (default 100)");
  syntax.option("--warmup", "N", options.warmup, "runs before them (default 10)");
  syntax.flag("--json", options.json, "print JSON: the operator, the calls that the script has, and the script unless it was written");
  syntax.example("trace.json --operator aten::addmm --output replay.py", "its longest call, to be measured and profiled");
  syntax.example("trace.json --operator _softmax --all-shapes", "every shape that it was called with");
  syntax.exit_code(0, "the script was written");
  syntax.exit_code(2, "no operator is called so, or it cannot run by itself; the hint names one that can");
  syntax.exit_code(3, "the recording does not have the inputs of the operator");
}

Result<report::OperatorReplay> replay_of(const Options& options, Io& io) {
  Session session(report::AnalysisOptions{}, io);
  TRY_ASSIGN(analyse::Input input, session.input(options.file));
  TRY_ASSIGN(report::OperatorReplay replay, analyse::analyse_replay(std::move(input), options.request, session.context()));
  session.end_progress();
  return replay;
}

// `file`: where the script was written; "": nowhere.
void put_json(Io& io, const report::OperatorReplay& replay, const std::string& file, const std::string& script) {
  Json shapes = Json::array();
  for (const report::ReplayShape& one : replay.shapes) {
    shapes.push_back({{"calls", one.calls}, {"call", one.call}, {"recorded_ns", one.call_ns}, {"all_recorded_ns", one.all_ns}});
  }
  write_json(io, "operator_replay",
             {{"operator", replay.name},
              {"calls", replay.calls},
              {"times", replay.on_gpu ? "gpu" : "cpu"},
              {"shapes", std::move(shapes)},
              {"file", file.empty() ? Json(nullptr) : Json(file)},
              {"script", file.empty() ? Json(script) : Json(nullptr)}});
}

Result<int> act(const Options& options, Io& io) {
  if (options.request.operator_name.empty()) {
    return fail(ErrorKind::usage, "operators replay: --operator is required")
        .hint("frx operators report lists the operators that launched kernels");
  }
  if (options.iterations == 0) return fail(ErrorKind::usage, "operators replay: --iterations takes 1 or more, found 0");
  TRY_ASSIGN(const report::OperatorReplay replay, replay_of(options, io));
  compose::ReplayRuns runs;
  runs.iterations = options.iterations.value_or(runs.iterations);
  runs.warmup = options.warmup.value_or(runs.warmup);
  const std::string script = compose::replay_script_of(replay, runs);
  if (!options.output.empty()) TRY(write_file(options.output, script));
  if (options.json) {
    put_json(io, replay, options.output, script);
  } else if (options.output.empty()) {
    io.out.write(script);
  }
  return 0;
}

}  // namespace
}  // namespace command_operators_replay

constinit const Command operators_replay_command =
    make_command<command_operators_replay::Options, command_operators_replay::describe, command_operators_replay::act>(
        "operators replay", "Write a script that runs one operator of a recording", "Diagnose");

}  // namespace frx::cli
