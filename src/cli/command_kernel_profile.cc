// frx kernel profile: one kernel under the roofline of its GPU, from a run of ncu, from a report or export, or, where there is neither,
// from what the command line states.

#include <algorithm>

#include "analyse/kernels.h"
#include "base/text.h"
#include "capture/gpu/gpu_meter.h"
#include "capture/ncu.h"
#include "capture/workload.h"
#include "cli/analysis.h"
#include "cli/cgp_words.h"
#include "cli/command.h"
#include "cli/kernel_commands.h"
#include "cli/kernel_files.h"
#include "cli/print_answer.h"
#include "compose/kernel_profile.h"
#include "ingest/profile.h"
#include "report/kernels/gpu_blocks.h"

namespace frx::cli {
namespace command_kernel_profile {
namespace {

using Kind = compose::KernelProfileView::Kind;

struct Options {
  Given given;
  std::string name, metrics, sections, ncu_file, program, export_to;
  Syntax::Number size;
  bool roofline = false, json = false, with_energy = false, leaves_clocks = false;
  report::KernelProfileRequest request;
  std::vector<std::string> workload;
};

// The sections that cgp asks for, by its names and those of ncu. "all": without the states of warps.
constexpr std::pair<std::string_view, std::string_view> sections[] = {{"LaunchStats", "LaunchStats"},
                                                                      {"Roofline", "SpeedOfLight"},
                                                                      {"ComputeThroughput", "ComputeWorkloadAnalysis"},
                                                                      {"MemoryThroughput", "MemoryWorkloadAnalysis"},
                                                                      {"Occupancy", "Occupancy"},
                                                                      {"WarpState", "WarpStateStats"}};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Profiles one kernel: time, rates and the place under the roofline of the GPU that it ran on, compute, memory and, for a live run, "
      "the state of the GPU. Runs ncu on the program after --, or reads a report. Without either it says what is known without a run. "
      "What was not measured is n/a, never 0; operations are counted or stated, never guessed from a size.");
  syntax.option("--name", "NAME", options.name, "the kernel: its name, a part of it, or regex:EXPRESSION");
  syntax.option("--size", "N", options.size, "the problem is N x N x N; says nothing of its operations without --op gemm");
  syntax.flag("--roofline", options.roofline, "also other levels of memory, the ceilings and their source");
  syntax.option("--metrics", "LIST", options.metrics, "live: ask ncu for these counters, too (comma-separated)");
  syntax.option("--sections", "LIST", options.sections,
                "live: ask ncu for its sections, too: all, or some of LaunchStats,SpeedOfLight,...");
  syntax.flag("--no-lock-clocks", options.leaves_clocks, "live: do not let ncu set the clocks of the GPU");
  syntax.flag("--energy", options.with_energy, "live: first run the program by itself, and measure the energy of that run");
  syntax.option("--ncu", "REPORT", options.ncu_file, "read this report or export (- is standard input) instead of running ncu");
  syntax.option("--bin", "PATH", options.program, "live: the program to run; what follows -- is then its arguments");
  syntax.option("--gpu-model", "NAME", options.request.gpu_model,
                "the GPU, where the file does not name it; or of which to speak without a run");
  syntax.option("--shape", "M,N,K", options.request.work.shape, "the shape of the operation");
  syntax.choice("--op", "OPERATION", options.request.work.operation, report::operation_names(),
                "what the operations follow from, with --shape");
  syntax.option("--flops", "EXPR", options.request.work.flops, "operations of a launch, such as 2*M*N*K");
  syntax.flag("--estimate", options.request.estimate, "allow estimates, marked so, where nothing was counted");
  syntax.option("--export", "FILE", options.export_to, "write the profile as FullProfile JSON; into a folder, by the kernel's name");
  syntax.flag("--json", options.json, "print JSON (kernel_profile_v1)");
  syntax.workload(options.workload, "the program to profile and its arguments");
  syntax.example("--name gemm --size 512 --op gemm --roofline -- ./app", "run ncu on a program");
  syntax.example("--ncu report.ncu-rep --name gemm --export gemm.json", "from a report; the file is what diff and verify read");
  syntax.example("--name gemm --size 512 --gpu-model h100", "what is known without a run");
  syntax.exit_code(0, "a profile was made, or what is known without a run was told");
  syntax.exit_code(1, "the file cannot be read or is no profile");
  syntax.exit_code(3, "no kernel has that name");
  syntax.exit_code(4, "ncu failed or may not read the counters");
}

Result<> check(const Options& options) {
  const bool live = !options.workload.empty() || !options.program.empty();
  if (live && !options.ncu_file.empty())
    return fail(ErrorKind::usage, "kernel profile: expected one of --ncu REPORT and a program, found both");
  if (!live && options.ncu_file.empty() && options.name.empty())
    return fail(ErrorKind::usage, "kernel profile: expected --name NAME, or a report or a program to take it from");
  return options.given.expect_applicable("kernel profile",
                                         live                       ? "a live run"
                                         : options.ncu_file.empty() ? "nothing to run"
                                                                    : "--ncu",
                                         {{"--metrics", live, "a live run"},
                                          {"--sections", live, "a live run"},
                                          {"--no-lock-clocks", live, "a live run"},
                                          {"--energy", live, "a live run"}});
}

Result<std::vector<std::string>> sections_in(const std::string& list) {
  std::vector<std::string> wanted;
  if (list.empty()) return wanted;
  for (const std::string_view one : split(list, ',')) {
    const std::string_view name = trim(one);
    if (name == "all") {
      for (const auto& [ours, theirs] : sections) {
        if (ours != "WarpState") wanted.emplace_back(theirs);
      }
      continue;
    }
    const auto at = std::ranges::find_if(sections, [&](const auto& section) { return section.first == name || section.second == name; });
    if (at == std::end(sections)) {
      std::vector<std::string> names;
      for (const auto& section : sections) names.emplace_back(section.second);
      return fail(ErrorKind::usage, "--sections: expected all, {}, found '{}'", join(names, ", "), printable(name));
    }
    wanted.emplace_back(at->second);
  }
  return wanted;
}

// ncu compares names literally where it is not told otherwise; a part of a name is enough here.
std::string filter_for(const std::string& name) {
  if (name.empty() || name.starts_with("regex:")) return name;
  std::string expression = "regex:";
  for (const char c : name) {
    if (std::string_view(".[]{}()*+?^$|\\").find(c) != std::string_view::npos) expression += '\\';
    expression += c;
  }
  return expression;
}

Result<capture::NcuRequest> request_of(const Options& options, const knowledge::Knowledge& known, const Io& io) {
  capture::NcuRequest request;
  const Result<std::optional<model::ComputeCapability>> gpu = live_capability(options.request.gpu_model, known, io);
  request.counters = counters_of_preset("full", known, gpu ? *gpu : std::nullopt, report::counters_of_profile(known.metrics));
  std::vector<std::string> asked;
  for (const std::string_view one : split(options.metrics, ',')) asked.emplace_back(trim(one));
  add_counters(request.counters, asked);
  TRY_ASSIGN(request.sections, sections_in(options.sections));
  request.kernel_name_base = "demangled";
  request.leaves_clocks = options.leaves_clocks;
  request.kernel_filter = filter_for(options.name);
  if (!options.program.empty()) request.workload.push_back(options.program);
  request.workload.insert(request.workload.end(), options.workload.begin(), options.workload.end());
  return request;
}

struct RunByItself {
  capture::GpuMeasurement gpus;
  int code = 0;  // of the program
};

// Before ncu runs it: a profiler repeats launches, so that energy can only be told of a run without one. The program's output goes where
// that under ncu goes.
Result<RunByItself> run_by_itself(const std::vector<std::string>& workload, Io& io) {
  capture::WorkloadRequest request;
  request.argv = workload;
  request.out = request.err;
  request.say = [&io](std::string_view line) { io.err.write(fmt::format("{}: {}\n", io.program, line)); };
  capture::GpuMeter meter = capture::GpuMeter::start({}, *io.host);
  const Result<capture::WorkloadEnd> end = capture::run_workload(request);
  RunByItself done{meter.stop(), 0};
  if (!end) return Failure{end.error()};
  if (end->interrupted_by != 0) return fail(ErrorKind::environment, "interrupted before a kernel was profiled");
  done.code = end->code();
  return done;
}

void add_run_by_itself(const RunByItself& alone, report::KernelProfile& made) {
  report::add_gpu_blocks(alone.gpus.gpus, "while the program ran by itself", made.profile);
  if (alone.code == 0) return report::add_energy(alone.gpus.gpus, made);
  made.hints.push_back(fmt::format("energy: the program ended with code {} when it ran by itself", alone.code));
}

Result<report::KernelProfile> profiled_now(const Options& options, const report::KernelProfileRequest& wanted, Session& session, Io& io) {
  TRY_ASSIGN(const knowledge::Knowledge* known, session.context().knowledge());
  TRY_ASSIGN(const capture::NcuRequest request, request_of(options, *known, io));
  io.out.flush();
  std::optional<RunByItself> alone;
  if (options.with_energy) {
    if (!options.json) io.err.write(fmt::format("running {} by itself\n", capture::shell_line(request.workload)));
    TRY_ASSIGN(alone, run_by_itself(request.workload, io));
  }
  if (!options.json) io.err.write(fmt::format("running {}\n", capture::shell_line(capture::ncu_command(request))));
  std::optional<capture::GpuMeter> meter;
  if (!alone) meter.emplace(capture::GpuMeter::start({}, *io.host));
  const Result<capture::NcuCapture> captured = capture::profile_with_ncu(request, *io.host);
  const capture::GpuMeasurement gpus = alone ? alone->gpus : meter->stop();
  if (!captured) return Failure{captured.error()};
  TRY_ASSIGN(const std::unique_ptr<ByteSource> bytes, open_file(captured->csv_path));
  TRY_ASSIGN(model::Session launches,
             ingest::read_profile("ncu " + capture::shell_line(request.workload), *bytes, known->metrics, {}, ingest::Keep::every_launch));
  report::name_devices(gpus.gpus, launches);
  TRY_ASSIGN(report::KernelProfile made, report::kernel_profile_of(std::move(launches), wanted, *known));
  if (alone) {
    add_run_by_itself(*alone, made);
  } else {
    report::add_gpu_blocks(gpus.gpus, "while ncu ran", made.profile);
    if (!gpus.gpus.empty())
      made.hints.emplace_back(
          "energy of a launch is not told by a run under ncu, which repeats launches: --energy runs the program without");
  }
  for (const std::string& note : captured->notes) made.profile.notes.push_back(printable(note));
  for (const std::string& warning : gpus.warnings) made.profile.notes.push_back(printable(warning));
  return made;
}

// What is known where nothing is run.
Result<report::KernelProfile> without_run(const report::KernelProfileRequest& wanted, Kind kind, Session& session, Io& io) {
  TRY_ASSIGN(const knowledge::Knowledge* known, session.context().knowledge());
  TRY_ASSIGN(report::KernelProfile made, report::static_kernel_profile(wanted, *known));
  if (kind != Kind::without_program) return made;
  const capture::GpuMeasurement gpus = present_gpus(io);
  if (gpus.gpus.empty()) return made;
  if (!made.profile.hardware.gpu && !gpu_called(gpus).empty()) made.profile.hardware.gpu = printable(gpu_called(gpus));
  if (!gpus.gpus.front().driver.empty()) made.profile.hardware.driver = printable(gpus.gpus.front().driver);
  return made;
}

Kind kind_of(const Options& options, const Io& io) {
  const bool live = !options.workload.empty() || !options.program.empty();
  if (!options.ncu_file.empty()) return Kind::measured;
  if (!io.host->program("ncu")) return Kind::without_ncu;
  return live ? Kind::measured : Kind::without_program;
}

Result<report::KernelProfile> made_of(const Options& options, Kind kind, Session& session, Io& io) {
  report::KernelProfileRequest wanted = options.request;
  wanted.name = options.name;
  wanted.work.size = options.size;
  if (kind != Kind::measured) {
    TRY_ASSIGN(report::KernelProfile known, without_run(wanted, kind, session, io));
    if (options.with_energy)
      known.hints.push_back("energy of a kernel needs ncu for its time: frx gpu measure -- COMMAND has that of a run");
    return known;
  }
  if (options.ncu_file.empty()) return profiled_now(options, wanted, session, io);
  TRY_ASSIGN(analyse::Input input, session.input(options.ncu_file));
  Result<report::KernelProfile> made = analyse::analyse_kernel(std::move(input), wanted, session.context());
  session.end_progress();
  return made;
}

Result<int> act(const Options& options, Io& io) {
  TRY(check(options));
  report::AnalysisOptions analysis;
  Session session(analysis, io);
  compose::KernelProfileView view;
  view.kind = kind_of(options, io);
  view.with_roofline = options.roofline;
  view.ncu = io.host->program("ncu").value_or("");
  view.binary_command = spelled("kernel binary", io.program);
  TRY_ASSIGN(report::KernelProfile made, made_of(options, view.kind, session, io));
  made.profile.timestamp = capture::utc_now();
  if (!options.export_to.empty()) {
    TRY_ASSIGN(view.exported_to, write_profile_file(options.export_to, made.profile));
  }
  const auto kept = std::make_shared<const report::KernelProfile>(std::move(made));
  TRY(print_answer(io, compose::answer_of(kept, view), options.json ? "json" : "text"));
  return 0;
}

}  // namespace
}  // namespace command_kernel_profile

constinit const Command kernel_profile_command =
    make_recording_command<command_kernel_profile::Options, command_kernel_profile::describe, command_kernel_profile::act>(
        "kernel profile", "Profile one kernel and place it under the roofline", "Diagnose");

}  // namespace frx::cli
