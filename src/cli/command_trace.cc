// frx trace: records a program with Nsight Systems, sums it up and keeps the report.

#include <filesystem>

#include "base/text.h"
#include "capture/operator_tools.h"
#include "cli/command.h"
#include "cli/print_answer.h"
#include "cli/recording_commands.h"
#include "compose/recordings.h"

namespace frx::cli {
namespace command_trace {
namespace {

namespace fs = std::filesystem;

struct Options {
  RecordingOptions recording;
  std::string program, output;
  std::vector<std::string> arguments;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.recording.given);
  syntax.text(
      "Runs a program under Nsight Systems (calls of CUDA, kernels, NVTX ranges and calls of the operating system), sums up what was "
      "recorded, and keeps the report and its export: PREFIX.nsys-rep and PREFIX.sqlite. What the program prints goes to standard error.");
  syntax.required_argument("PROGRAM", options.program, "the program");
  syntax.workload(options.arguments, "its arguments");
  syntax.option("--duration", "SECONDS", options.recording.duration_s, "record only so long, and end the program then");
  syntax.option("--output", "PREFIX", options.output,
                "of the files that are kept; by default a name in the current folder that does not exist yet");
  describe_program(syntax, options.recording);
  syntax.flag("--json", options.recording.json, "print JSON (kernel_recording_v1)");
  syntax.example("./app --duration 30", "the first 30 seconds of a program");
  syntax.example("./app --output runs/app -- --size 4096", "as runs/app.nsys-rep");
  syntax.exit_code(0, "the report was written; a program that failed gives its own code");
  syntax.exit_code(1, "the program cannot be run or did not end in time, or a file cannot be written");
  syntax.exit_code(4, "nsys is missing or wrote no report");
}

// "app-trace", "app-trace-2", ...: the first of which no file exists.
std::string free_prefix(const std::string& program) {
  const std::string stem = fs::path(program).filename().string() + "-trace";
  std::error_code ignored;
  const auto is_taken = [&](const std::string& prefix) {
    return fs::exists(prefix + ".nsys-rep", ignored) || fs::exists(prefix + ".sqlite", ignored);
  };
  std::string prefix = stem;
  for (int number = 2; is_taken(prefix); ++number) prefix = fmt::format("{}-{}", stem, number);
  return prefix;
}

Result<> put_in_place(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) return fail(ErrorKind::unreadable, "cannot write: {}", error.message()).at(to);
  return {};
}

Result<std::string> folder_of(const std::string& prefix) {
  const fs::path parent = fs::path(prefix).parent_path();
  if (parent.empty()) return std::string(".");
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) return fail(ErrorKind::unreadable, "cannot make the folder: {}", error.message()).at(parent.string());
  return parent.string();
}

std::string prefix_of(const Options& options) {
  std::string prefix = options.output.empty() ? free_prefix(options.program) : options.output;
  if (prefix.ends_with(".nsys-rep")) prefix.resize(prefix.size() - std::string_view(".nsys-rep").size());
  return prefix;
}

// Recorded beside its place, so that the files appear whole under their names.
Result<report::RecordedTimes> record(const Options& options, const capture::ProgramRun& program, report::KernelRecording& recording,
                                     Io& io) {
  TRY_ASSIGN(const std::string nsys, capture::find_nsys(options.recording.nsys, *io.host));
  const std::string prefix = prefix_of(options);
  TRY_ASSIGN(const std::string folder, folder_of(prefix));
  TRY_ASSIGN(const RecordedRun run, record_program({program, "cuda,nvtx,osrt", options.recording.duration_s, {}}, nsys, folder, io));
  recording.report = prefix + ".nsys-rep";
  recording.database = prefix + ".sqlite";
  TRY(put_in_place(run.run.report, recording.report));
  TRY(put_in_place(run.database, recording.database));
  recording.exit_code = code_of(run, options.recording, recording.notes);
  Session session(report::AnalysisOptions(), io);
  TRY_ASSIGN(const analyse::NsysRecording read, read_recording(recording.database, recording.database, nsys, session));
  return times_of(read);
}

Result<int> act(const Options& options, Io& io) {
  if (options.recording.duration_s && *options.recording.duration_s == 0)
    return fail(ErrorKind::usage, "trace: expected seconds from 1 as --duration, found 0");
  auto recording = std::make_shared<report::KernelRecording>();
  recording->kind = report::KernelRecording::Kind::trace;
  recording->program = options.program;
  recording->command = options.arguments;
  recording->command.insert(recording->command.begin(), options.program);
  TRY_ASSIGN(const capture::ProgramRun program, program_of("trace", recording->command, options.recording, io));
  TRY_ASSIGN(recording->times, record(options, program, *recording, io));
  const int code = recording->exit_code.value_or(0);
  TRY(print_answer(io, compose::answer_of(std::shared_ptr<const report::KernelRecording>(std::move(recording))),
                   options.recording.json ? "json" : "text"));
  return code;
}

}  // namespace
}  // namespace command_trace

constinit const Command trace_command = make_recording_command<command_trace::Options, command_trace::describe, command_trace::act>(
    "trace", "Record a program with Nsight Systems and sum it up", "Measure");

}  // namespace frx::cli
