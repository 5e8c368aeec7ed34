// What the commands that record a program with Nsight Systems share: options, the run itself, the reading of what was recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyse/recorded_times.h"
#include "base/temporary_directory.h"
#include "capture/nsys.h"
#include "cli/analysis.h"
#include "cli/io.h"
#include "cli/syntax.h"
#include "report/recordings/cublas_profile.h"
#include "report/recordings/kernel_recording.h"

namespace frx::cli {

struct RecordingOptions {
  Given given;
  std::vector<std::string> environment;  // K=V
  std::string directory, nsys = "nsys", file, gpu_model;
  Syntax::Number duration_s, runs;
  double timeout_s = 0;
  bool keep = false, json = false;
};

// --env, --cwd, --timeout, --nsys-executable: how a program is started.
void describe_program(Syntax& syntax, RecordingOptions& options);
// The options of a list of kernels, of a program that is run or of --nsys.
void describe_kernel_list(Syntax& syntax, RecordingOptions& options, std::string& filter, bool& trace);
// How it is run, without its argv. Usage errors name the option that cannot be.
Result<capture::ProgramRun> run_settings(const std::string& command, const RecordingOptions& options);
// The same with its argv, the first of which is where the program was found.
Result<capture::ProgramRun> program_of(const std::string& command, std::vector<std::string> argv, const RecordingOptions& options, Io& io);

// What was recorded of a run, with the folder of its files.
struct RecordedRun {
  capture::NsysRun run;
  std::string database;
  TemporaryDirectory folder;
};
// Runs the program under nsys and exports its report, both into a private folder in `parent`; "": that of the system.
Result<RecordedRun> record_program(capture::NsysRequest request, const std::string& nsys, const std::string& parent, Io& io);

// The exit code of the program; 0 where nsys ended it because the time to record was over. Both are noted.
int code_of(const RecordedRun& run, const RecordingOptions& options, std::vector<std::string>& notes);

// nsys; nothing where it is not installed. An error where it was named and is not there.
Result<std::optional<std::string>> nsys_if_there(const RecordingOptions& options, Io& io);

// A file, or the export of a run, called `name`.
Result<analyse::NsysRecording> read_recording(const std::string& path, const std::string& name, const std::string& nsys, Session& session);
report::RecordedTimes times_of(const analyse::NsysRecording& recording);

// Shows on a terminal how far runs are.
capture::RunProgress runs_shown_on(Io& io);

// Runs it several times without nsys. Errors: it could not be started or timed, or did not end in time.
struct TimedProgram {
  report::WallTimes wall;
  int exit_code = 0;  // not 0: it failed, and has no times
  std::string failure;
};
Result<TimedProgram> time_program(const capture::ProgramRun& program, std::size_t runs, Io& io);

// The GPU by --gpu-model, else that of the recording, else that of this machine where the program runs here; unknown GPUs have no name.
Result<report::GpuAtHand> gpu_at_hand(const std::string& gpu_model, const analyse::NsysRecording* recording, bool may_ask_driver,
                                      const knowledge::GpuCatalogue& gpus, Io& io);

// frx kernel binary and frx kernel python: from the run, or the file, to the answer. The exit code.
struct KernelCommand {
  std::string name;  // "kernel binary"
  report::KernelRecording::Kind kind = report::KernelRecording::Kind::binary;
  std::string program;            // as it was given
  std::vector<std::string> argv;  // the program and its arguments; empty with --nsys
  std::string filter;
  bool with_trace = false;
};
Result<int> record_kernels(const KernelCommand& command, const RecordingOptions& options, Io& io);

}  // namespace frx::cli
