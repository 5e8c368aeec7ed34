// frx kernel binary: the CUDA kernels of a program, by name.

#include "cli/command.h"
#include "cli/recording_commands.h"

namespace frx::cli {
namespace command_kernel_binary {
namespace {

struct Options {
  RecordingOptions recording;
  std::string program, filter;
  std::vector<std::string> arguments;
  bool trace = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.recording.given);
  syntax.text(
      "Runs a program under Nsight Systems and lists its CUDA kernels: calls, and the average, shortest and longest time. A recording that "
      "was made before is read instead with --nsys: a report (.nsys-rep), its export (.sqlite), or what nsys stats printed, as text or "
      "CSV. Without nsys the time of the whole process is measured, several times, and said to be that. What the program prints goes to "
      "standard error. docs/recording.md tells more.");
  syntax.argument("PATH", options.program, "the program");
  syntax.workload(options.arguments, "its arguments");
  describe_kernel_list(syntax, options.recording, options.filter, options.trace);
  syntax.example("./app -- --size 4096", "which kernels does it run, and how long?");
  syntax.example("--nsys run.nsys-rep --kernel-filter gemm", "of a recording that was made before");
  syntax.exit_code(0, "the kernels were listed; a program that was run and failed gives its own code");
  syntax.exit_code(1, "a file or the program cannot be read or run, or it did not end in time");
  syntax.exit_code(4, "nsys wrote no report, or the one that was named is missing");
}

Result<int> act(const Options& options, Io& io) {
  const bool is_run = options.recording.file.empty();
  if (options.program.empty() && is_run)
    return fail(ErrorKind::usage, "kernel binary: expected a program, found nothing")
        .hint("frx kernel binary ./app -- ARGUMENTS, or frx kernel binary --nsys FILE");
  KernelCommand command{"kernel binary", report::KernelRecording::Kind::binary, options.program, options.arguments, options.filter,
                        options.trace};
  if (!options.program.empty()) command.argv.insert(command.argv.begin(), options.program);
  return record_kernels(command, options.recording, io);
}

}  // namespace
}  // namespace command_kernel_binary

constinit const Command kernel_binary_command =
    make_recording_command<command_kernel_binary::Options, command_kernel_binary::describe, command_kernel_binary::act>(
        "kernel binary", "List the CUDA kernels of a program, with their times", "Measure");

}  // namespace frx::cli
