#include "cli/recording_commands.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/text.h"
#include "capture/gpu/gpu_sampler.h"
#include "capture/ncu_command.h"
#include "capture/operator_tools.h"
#include "cli/print_answer.h"
#include "compose/recordings.h"
#include "knowledge/gpu_match.h"

namespace frx::cli {
namespace {

using report::KernelRecording;

Result<std::vector<std::pair<std::string, std::string>>> environment_of(const std::string& command, const std::vector<std::string>& given) {
  std::vector<std::pair<std::string, std::string>> variables;
  for (const std::string& one : given) {
    const std::size_t sign = one.find('=');
    if (sign == one.npos || sign == 0)
      return fail(ErrorKind::usage, "{}: expected NAME=VALUE as --env, found '{}'", command, printable(one));
    variables.emplace_back(one.substr(0, sign), one.substr(sign + 1));
  }
  return variables;
}

Result<> record(const KernelCommand& command, const RecordingOptions& options, const std::string& nsys, const capture::ProgramRun& program,
                KernelRecording& recording, Io& io) {
  capture::NsysRequest request{program, "cuda", options.duration_s, {}};
  TRY_ASSIGN(RecordedRun run, record_program(std::move(request), nsys, "", io));
  Session session(report::AnalysisOptions(), io);
  TRY_ASSIGN(const analyse::NsysRecording read, read_recording(run.database, command.program, nsys, session));
  recording.times = times_of(read);
  recording.exit_code = code_of(run, options, recording.notes);
  if (options.runs) recording.notes.emplace_back("--runs counts where nsys is missing only: the program ran once");
  if (!options.keep) return {};
  recording.report = run.run.report;
  recording.database = run.database;
  run.folder.keep();
  return {};
}

Result<> time_without_nsys(const KernelCommand& command, const RecordingOptions& options, const capture::ProgramRun& program,
                           KernelRecording& recording, Io& io) {
  TRY_ASSIGN(const TimedProgram timed, time_program(program, options.runs.value_or(5), io));
  recording.exit_code = timed.exit_code;
  if (timed.exit_code != 0) {
    recording.notes.push_back(timed.failure);
  } else {
    recording.wall = timed.wall;
  }
  std::vector<std::string> unused;
  for (const auto& [name, is_given] : {std::pair("--kernel-filter", !command.filter.empty()), std::pair("--trace", command.with_trace),
                                       std::pair("--duration", options.duration_s.has_value()), std::pair("--keep", options.keep)}) {
    if (is_given) unused.emplace_back(name);
  }
  if (!unused.empty()) recording.notes.push_back(fmt::format("without nsys there is nothing to apply to: {}", join(unused, ", ")));
  return {};
}

Result<> check(const KernelCommand& command, const RecordingOptions& options) {
  const bool runs = options.file.empty();
  if (!runs && !command.argv.empty())
    return fail(ErrorKind::usage, "{}: --nsys FILE goes without a program, found '{}'", command.name, printable(command.argv[0]));
  TRY(options.given.expect_applicable(command.name, "--nsys FILE",
                                      {{"--env", runs, "a program"},
                                       {"--cwd", runs, "a program"},
                                       {"--timeout", runs, "a program"},
                                       {"--duration", runs, "a program"},
                                       {"--runs", runs, "a program"},
                                       {"--keep", runs, "a program"}}));
  if (options.runs && (*options.runs < 1 || *options.runs > 10'000))
    return fail(ErrorKind::usage, "{}: expected 1 to 10000 as --runs, found {}", command.name, *options.runs);
  if (options.duration_s && *options.duration_s == 0)
    return fail(ErrorKind::usage, "{}: expected seconds from 1 as --duration, found 0", command.name);
  return {};
}

std::string model_of(const analyse::NsysRecording& recording) {
  const std::vector<std::string> names = times_of(recording).gpus;
  return names.size() == 1 ? names.front() : "";
}

void add_facts(const model::Timeline& timeline, report::GpuAtHand& gpu) {
  for (const model::TracedGpu& one : timeline.facts.gpus) {
    if (one.name != gpu.name) continue;
    gpu.cc = one.cc;
    if (one.sms > 0) gpu.sm_count = static_cast<int>(one.sms);
    if (one.memory_bytes > 0) gpu.memory_gb = static_cast<double>(one.memory_bytes) / 1e9;
  }
}

// Of the GPUs that a program may use here, where they are all alike.
void ask_driver(report::GpuAtHand& gpu, Io& io) {
  const Result<std::unique_ptr<capture::GpuSource>> source = capture::open_gpu_source(*io.host, capture::shortest_interval);
  if (!source) return;
  gpu.driver = (*source)->driver();
  const std::vector<capture::GpuIdentity>& all = (*source)->gpus();
  const capture::VisibleGpus visible =
      capture::visible_gpus(all, io.host->variable("CUDA_VISIBLE_DEVICES"), io.host->variable("CUDA_DEVICE_ORDER").value_or(""));
  for (const capture::GpuIdentity& one : all) {
    if (std::ranges::find(visible.indices, one.index) == visible.indices.end()) continue;
    if (!gpu.name.empty() && gpu.name != one.name) {
      gpu.name.clear();
      return;
    }
    gpu.name = one.name;
    gpu.origin = (*source)->name();
  }
}

}  // namespace

void describe_program(Syntax& syntax, RecordingOptions& options) {
  syntax.option("--env", "NAME=VALUE", options.environment, "a variable for the program; may be given again");
  syntax.option("--cwd", "DIR", options.directory, "the folder in which it runs");
  syntax.option("--timeout", "SECONDS", options.timeout_s, "end it and all that it started after so long; 0: never");
  syntax.option("--nsys-executable", "PATH", options.nsys, "Nsight Systems");
}

void describe_kernel_list(Syntax& syntax, RecordingOptions& options, std::string& filter, bool& trace) {
  syntax.option("--nsys", "FILE", options.file, "a finished recording, instead of a run; - is standard input");
  syntax.option("--kernel-filter", "TEXT", filter, "show only kernels with this text in their name");
  syntax.flag("--trace", trace, "also copies and calls of CUDA");
  syntax.option("--duration", "SECONDS", options.duration_s, "record only so long, and end the program then");
  describe_program(syntax, options);
  syntax.option("--runs", "N", options.runs, "runs that count where nsys is missing (default 5)");
  syntax.flag("--keep", options.keep, "keep the report and its export, and print where they are");
  syntax.option("--gpu-model", "NAME", options.gpu_model, "the GPU, where the recording does not say");
  syntax.flag("--json", options.json, "print JSON (kernel_recording_v1)");
}

Result<capture::ProgramRun> run_settings(const std::string& command, const RecordingOptions& options) {
  constexpr double longest = 30 * 86'400;
  if (!(options.timeout_s >= 0 && options.timeout_s <= longest))
    return fail(ErrorKind::usage, "{}: expected seconds from 0, at most 30 days, as --timeout, found {:g}", command, options.timeout_s);
  capture::ProgramRun run;
  TRY_ASSIGN(run.environment, environment_of(command, options.environment));
  run.directory = options.directory;
  std::error_code ignored;
  if (!run.directory.empty() && !std::filesystem::is_directory(run.directory, ignored))
    return fail(ErrorKind::unreadable, "there is no such folder").at(run.directory);
  run.time_limit = std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(options.timeout_s * 1000)));
  return run;
}

Result<capture::ProgramRun> program_of(const std::string& command, std::vector<std::string> argv, const RecordingOptions& options, Io& io) {
  TRY_ASSIGN(capture::ProgramRun run, run_settings(command, options));
  TRY_ASSIGN(argv.front(), capture::find_user_program(argv.front(), *io.host));
  run.argv = std::move(argv);
  return run;
}

int code_of(const RecordedRun& run, const RecordingOptions& options, std::vector<std::string>& notes) {
  constexpr int terminated = 128 + 15;
  if (options.duration_s && run.run.code == terminated) {
    notes.push_back(fmt::format("recorded for {} s, which ended the program", *options.duration_s));
    return 0;
  }
  if (run.run.code != 0) notes.push_back(fmt::format("the program ended with exit code {}: what it did until then is shown", run.run.code));
  return run.run.code;
}

capture::RunProgress runs_shown_on(Io& io) {
  if (!io.err_is_terminal) return {};
  return [&io](std::size_t done, std::size_t all) {
    io.err.write_as_it_is(done < all ? fmt::format("\rrun {} of {}", done, all) : "\r\x1b[K");
  };
}

Result<std::optional<std::string>> nsys_if_there(const RecordingOptions& options, Io& io) {
  if (std::optional<std::string> found = io.host->program(options.nsys)) return found;
  if (!options.given.has("--nsys-executable")) return std::optional<std::string>();
  TRY_ASSIGN(std::string found, capture::find_nsys(options.nsys, *io.host));
  return std::optional(std::move(found));
}

Result<RecordedRun> record_program(capture::NsysRequest request, const std::string& nsys, const std::string& parent, Io& io) {
  const std::string in = parent.empty() ? io.host->variable("TMPDIR").value_or("/tmp") : parent;
  TRY_ASSIGN(TemporaryDirectory folder, TemporaryDirectory::make(in));
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::absolute(folder.path(), ignored);
  request.output = (absolute / "recording").string();
  io.err.write(fmt::format("running {} under Nsight Systems\n", capture::shell_line(request.program.argv)));
  io.err.flush();
  io.out.flush();
  TRY_ASSIGN(capture::NsysRun run, capture::record_with_nsys(nsys, request, *io.host));
  const std::string database = request.output + ".sqlite";
  // The report goes with its folder: the program is what the user knows.
  if (const Result<> exported = capture::export_with_nsys(nsys, run.report, database, *io.host); !exported)
    return fail(exported.error().kind, "its recording cannot be read: {}", exported.error().message).at(request.program.argv.front());
  return RecordedRun{std::move(run), database, std::move(folder)};
}

Result<analyse::NsysRecording> read_recording(const std::string& path, const std::string& name, const std::string& nsys, Session& session) {
  TRY_ASSIGN(analyse::Input input, session.input(path, nsys));
  if (name != path) input.source = std::move(input.source).named(name);
  Result<analyse::NsysRecording> recording = analyse::read_nsys_recording(std::move(input), session.context());
  session.end_progress();
  return recording;
}

report::RecordedTimes times_of(const analyse::NsysRecording& recording) {
  return std::visit([](const auto& read) { return report::recorded_times_of(read); }, recording);
}

Result<TimedProgram> time_program(const capture::ProgramRun& program, std::size_t runs, Io& io) {
  constexpr std::size_t warmup = 1;
  std::vector<model::TimedCommand> one(1);
  one[0].argv = program.argv;
  io.err.flush();
  io.out.flush();
  TRY(capture::run_in_turn(one, program, {runs, warmup, true}, *io.host, runs_shown_on(io)));
  const model::TimedCommand& timed = one[0];
  if (!timed.failure.empty() && timed.exit_code.value_or(0) == 0)
    return fail(ErrorKind::negative, "{}", timed.failure).at(program.argv.front());
  if (!timed.failure.empty()) return TimedProgram{{}, *timed.exit_code, "the program failed: " + timed.failure};
  return TimedProgram{{timed.runs_ms, warmup}, 0, {}};
}

Result<report::GpuAtHand> gpu_at_hand(const std::string& gpu_model, const analyse::NsysRecording* recording, bool may_ask_driver,
                                      const knowledge::GpuCatalogue& gpus, Io& io) {
  report::GpuAtHand gpu;
  if (may_ask_driver) ask_driver(gpu, io);
  if (recording) {
    gpu.name = model_of(*recording);
    gpu.origin = gpu.name.empty() ? "" : "the recording";
    if (const auto* timeline = std::get_if<model::Timeline>(recording)) add_facts(*timeline, gpu);
  }
  if (gpu_model.empty()) return gpu;
  TRY_ASSIGN(const knowledge::GpuMatch match, knowledge::match_option(gpus, gpu_model));
  return report::GpuAtHand{
      match.product ? std::string(match.product->name) : gpu_model, gpu.driver, "--gpu-model", {}, {}, {}, knowledge::assumption_of(match)};
}

Result<int> record_kernels(const KernelCommand& command, const RecordingOptions& options, Io& io) {
  TRY(check(command, options));
  auto recording = std::make_shared<KernelRecording>();
  recording->kind = command.kind;
  recording->program = options.file.empty() ? command.program : options.file;
  recording->filter = command.filter;
  recording->with_trace = command.with_trace;
  if (!options.gpu_model.empty()) {
    Session session(report::AnalysisOptions(), io);
    TRY_ASSIGN(const knowledge::Knowledge* known, session.context().knowledge());
    TRY_ASSIGN(const report::GpuAtHand gpu, gpu_at_hand(options.gpu_model, nullptr, false, known->gpus, io));
    recording->gpu = gpu.name;
  }
  if (!options.file.empty()) {
    Session session(report::AnalysisOptions(), io);
    TRY_ASSIGN(const analyse::NsysRecording read, read_recording(options.file, options.file, options.nsys, session));
    recording->times = times_of(read);
  } else {
    TRY_ASSIGN(const capture::ProgramRun program, program_of(command.name, command.argv, options, io));
    recording->command = command.argv;
    TRY_ASSIGN(const std::optional<std::string> nsys, nsys_if_there(options, io));
    TRY(nsys ? record(command, options, *nsys, program, *recording, io) : time_without_nsys(command, options, program, *recording, io));
  }
  const int code = recording->exit_code.value_or(0);
  TRY(print_answer(io, compose::answer_of(std::shared_ptr<const KernelRecording>(std::move(recording))), options.json ? "json" : "text"));
  return code;
}

}  // namespace frx::cli
