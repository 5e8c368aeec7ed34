// frx kernel python: the CUDA kernels of a Python command, by name.

#include "cli/command.h"
#include "cli/recording_commands.h"

namespace frx::cli {
namespace command_kernel_python {
namespace {

struct Options {
  RecordingOptions recording;
  std::string filter;
  std::vector<std::string> command;
  bool trace = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.recording.given);
  syntax.text(
      "Runs a Python command under Nsight Systems and lists its CUDA kernels, one line each. As frx kernel binary in everything else: "
      "--nsys reads a recording that was made before, and without nsys the time of the whole process is measured.");
  syntax.workload(options.command, "the command, such as: python train.py --steps 10");
  describe_kernel_list(syntax, options.recording, options.filter, options.trace);
  syntax.example("-- uv run python script.py", "which kernels does the script run?");
  syntax.exit_code(0, "the kernels were listed; a command that was run and failed gives its own code");
  syntax.exit_code(1, "a file or the command cannot be read or run, or it did not end in time");
  syntax.exit_code(4, "nsys wrote no report, or the one that was named is missing");
}

Result<int> act(const Options& options, Io& io) {
  if (options.command.empty() && options.recording.file.empty())
    return fail(ErrorKind::usage, "kernel python: expected a Python command, found nothing")
        .hint("frx kernel python -- uv run python script.py");
  const std::string program = options.command.empty() ? "" : options.command.front();
  return record_kernels({"kernel python", report::KernelRecording::Kind::python, program, options.command, options.filter, options.trace},
                        options.recording, io);
}

}  // namespace
}  // namespace command_kernel_python

constinit const Command kernel_python_command =
    make_recording_command<command_kernel_python::Options, command_kernel_python::describe, command_kernel_python::act>(
        "kernel python", "List the CUDA kernels of a Python command", "Measure");

}  // namespace frx::cli
