// frx operators manifest: the kernels of a recording, each with the operators that launched it.

#include "base/text.h"
#include "capture/operator_tools.h"
#include "cli/command.h"
#include "cli/operator_commands.h"
#include "cli/print_answer.h"

namespace frx::cli {
namespace command_operators_manifest {
namespace {

struct Options {
  ManifestRequest request;
  std::string format = "text";
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Writes manifest.json of a recording of Nsight Systems: its kernels in start order, each with the operators around its launch. frx "
      "operators map joins counters with it.");
  syntax.option("--nsys-rep", "FILE", options.request.report, "recording (.nsys-rep), or its export (.sqlite)");
  syntax.option("--output", "FILE", options.request.output, "the manifest");
  syntax.option("--model-name", "NAME", options.request.model_name, "for the manifest");
  syntax.option("--compile-backend", "NAME", options.request.compile_mode, "of torch.compile, for the manifest");
  syntax.option("--corr-json", "FILE", options.request.correlation, "operators by torch.profiler, of another run of the same iterations");
  syntax.option("--nsys-executable", "PATH", options.request.nsys, "that exports the recording");
  syntax.option("--inductor-fusion-dir", "DIR", options.request.inductor,
                "code that Inductor generated, for kernels that no operator is around");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json", options.json, "the same as --format json (operator_report_v0)");
  syntax.example("--nsys-rep run.nsys-rep --output run.manifest.json", "from a recording that was made by hand");
  syntax.exit_code(0, "the manifest was written");
  syntax.exit_code(1, "a file cannot be read or written");
  syntax.exit_code(4, "nsys is missing");
}

Result<int> act(const Options& options, Io& io) {
  if (options.request.report.empty() || options.request.output.empty())
    return fail(ErrorKind::usage, "operators manifest: expected --nsys-rep FILE and --output FILE");
  TRY_ASSIGN(const std::string format, format_of("operators manifest", options.json, options.format));
  if (options.request.report.ends_with(".nsys-rep")) TRY(capture::find_nsys(options.request.nsys, *io.host));
  Session session(report::AnalysisOptions(), io);
  TRY_ASSIGN(report::OperatorReport report, make_manifest(options.request, session));
  return print_operators(std::move(report), format, io);
}

}  // namespace
}  // namespace command_operators_manifest

constinit const Command operators_manifest_command =
    make_command<command_operators_manifest::Options, command_operators_manifest::describe, command_operators_manifest::act>(
        "operators manifest", "Write the kernels of a recording with their operators", "Diagnose");

}  // namespace frx::cli
