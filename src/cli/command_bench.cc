// frx bench: builds two CUDA programs, runs them in turn, and says which is faster.

#include <array>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "capture/bench.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/live_profile.h"
#include "cli/print_answer.h"
#include "compose/answers.h"
#include "knowledge/gpu_match.h"
#include "report/bench_report.h"
#include "report/expertise.h"

namespace frx::cli {
namespace command_bench {
namespace {

constexpr std::uint64_t most_runs = 10'000;

struct Options {
  Given given;
  std::vector<std::string> sides;
  Syntax::Number runs, warmup;
  double time_limit_s = 120;
  double noise_floor_pct = 2;
  std::string keep_in, architecture;
  std::vector<std::string> build_flags;
  bool with_ncu = false, emit_harness = false, fail_on_regression = false, json = false;
  std::string format = "text";
  report::BenchOptions judging;
  report::AnalysisOptions analysis;
  bool open = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Compiles two CUDA programs with nvcc, runs them in turn, and says whether the second is better or worse, or that the result is "
      "inconclusive. "
      "Judges kernel times where both programs print them (frx_bench.cuh, which the compiler finds by itself), else the time of "
      "the process; that needs a cudaDeviceSynchronize() before its end. Where both print FRX_CHECKSUM, their results are compared.");
  syntax.arguments("BEFORE.cu AFTER.cu", options.sides, "the two programs, each with a main(); with --emit-harness: where to write it");
  syntax.option("--runs", "N", options.runs, "runs of each side that count (default 5)");
  syntax.option("--warmup", "N", options.warmup, "runs of each side before them (default 2)");
  syntax.option("--time-limit", "SECONDS", options.time_limit_s, "for each run");
  syntax.flag("--with-ncu", options.with_ncu, "also profile both with Nsight Compute and compare their bottlenecks");
  syntax.option("--arch", "SM", options.architecture, "for nvcc, such as sm_90; --gpu-model NAME gives it, too");
  syntax.words("--build-flags", "FLAGS", options.build_flags, "for nvcc, such as '-Iinclude -DN=4' (default -DBUILD_EXECUTABLE)");
  syntax.option("--out", "DIR", options.keep_in, "keep the programs there, as before and after");
  syntax.option("--noise-floor", "PERCENT", options.noise_floor_pct, "differences of time up to this count as nothing");
  syntax.option("--checksum-tolerance", "SHARE", options.judging.checksum_tolerance,
                "how far numbers of FRX_CHECKSUM may be apart, beside their size");
  syntax.flag("--fail-on-regression", options.fail_on_regression, "exit 1 when the second is slower");
  syntax.flag("--emit-harness", options.emit_harness, "write frx_bench.cuh, the header that times kernels, and do nothing else");
  describe_analysis(syntax, options.analysis);
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json,--output-json", options.json, "the same as --format json (frx_bench_v0)");
  describe_open(syntax, options.open);
  syntax.example("naive.cu tiled.cu", "did the change help?");
  syntax.example("naive.cu tiled.cu --with-ncu --gpu-model H100 --runs 20", "and which bottlenecks went away?");
  syntax.example("--emit-harness include/frx_bench.cuh", "for builds without frx");
  syntax.exit_code(0, "both sides were built and ran");
  syntax.exit_code(
      1, "a file is missing, does not compile, or its program failed; the results differ; with --fail-on-regression, the second is slower");
  syntax.exit_code(4, "nvcc is missing");
}

Result<int> write_harness(const Options& options, Io& io) {
  const std::string path = options.sides.empty() ? "frx_bench.cuh" : options.sides.front();
  for (const Given::Option& option : options.given.options) {
    const bool applies =
        !option.name.starts_with("--") || option.name == "--emit-harness" || option.name == "--json" || option.name == "--format";
    TRY(options.given.expect_applicable("bench", "--emit-harness", {{option.name, applies, "two programs"}}));
  }
  TRY_ASSIGN(const std::string format, format_of("bench", options.json, options.format));
  TRY(write_file(path, capture::bench_header()));
  if (format == "json") {
    write_json(io, "bench_harness", {{"file", path}});
  } else {
    io.out.write(fmt::format("wrote {}\n", printable(path)));
  }
  return 0;
}

Result<> check(const Options& options) {
  TRY(options.given.expect_applicable("bench", "", {{"--arch-profile", options.with_ncu, "--with-ncu"}}));
  if (options.sides.size() != 2)
    return fail(ErrorKind::usage, "bench: expected two files, found {}", options.sides.size()).hint("frx bench before.cu after.cu");
  for (const auto& [name, number, least] : {std::tuple("--runs", options.runs, 1u), std::tuple("--warmup", options.warmup, 0u)}) {
    if (number && (*number < least || *number > most_runs))
      return fail(ErrorKind::usage, "bench: expected {} to {} as {}, found {}", least, most_runs, name, *number);
  }
  if (!(options.time_limit_s > 0 && options.time_limit_s <= 86'400))
    return fail(ErrorKind::usage, "bench: expected seconds above 0, at most a day, as --time-limit, found {:g}", options.time_limit_s);
  if (!(options.noise_floor_pct >= 0 && options.noise_floor_pct < 100))
    return fail(ErrorKind::usage, "bench: expected a percentage from 0 to below 100 as --noise-floor, found {:g}", options.noise_floor_pct);
  if (!(options.judging.checksum_tolerance >= 0 && options.judging.checksum_tolerance < 1))
    return fail(ErrorKind::usage, "bench: expected a share from 0 to below 1 as --checksum-tolerance, found {:g}",
                options.judging.checksum_tolerance);
  for (const std::string& path : options.sides) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return fail(ErrorKind::unreadable, "bench: there is no such file").at(path);
  }
  return {};
}

// "sm_90" of "H100".
Result<std::string> architecture_of(const Options& options) {
  if (!options.architecture.empty() || options.analysis.gpu_model.empty()) return options.architecture;
  TRY_ASSIGN(const std::shared_ptr<const report::Expertise> expertise, report::Expertise::load(options.analysis.data_directory));
  TRY_ASSIGN(const knowledge::GpuMatch match, knowledge::match_option(expertise->knowledge().gpus, options.analysis.gpu_model));
  if (match.limits) return std::string(match.limits->family_key);
  return fail(ErrorKind::usage, "--gpu-model: {}", match.explanation);
}

Result<capture::BenchRequest> request_of(const Options& options) {
  capture::BenchRequest request;
  request.before = options.sides[0];
  request.after = options.sides[1];
  TRY_ASSIGN(request.architecture, architecture_of(options));
  request.build_flags = options.build_flags;
  if (request.build_flags.empty()) request.build_flags = {"-DBUILD_EXECUTABLE"};
  request.keep_in = options.keep_in;
  request.runs = options.runs.value_or(request.runs);
  request.warmup = options.warmup.value_or(request.warmup);
  request.time_limit = std::chrono::milliseconds(static_cast<std::int64_t>(options.time_limit_s * 1000));
  return request;
}

capture::BenchProgress progress_on(Io& io) {
  if (!io.err_is_terminal) return {};
  return [&io](std::size_t done, std::size_t all) {
    io.err.write_as_it_is(done < all ? fmt::format("\rrun {} of {}", done, all) : "\r\x1b[K");
  };
}

// The reports behind the comparison live in `analyst`.
Result<report::NcuComparison> profile_both(const model::Bench& bench, report::Analyst& analyst, Io& io) {
  std::array<const report::NcuReport*, 2> reports{};
  for (std::size_t i = 0; i < reports.size(); ++i) {
    LiveProfile live;
    live.is_quiet = true;
    live.request.workload = {i == 0 ? bench.before.executable : bench.after.executable};
    TRY_ASSIGN(reports[i], profile_now(live, analyst, io));
  }
  return report::compare(*reports[0], *reports[1], "before", "after");
}

Result<int> judged(const report::BenchReport& report, const Options& options) {
  const model::Bench& bench = *report.bench;
  for (const model::BenchSide* side : {&bench.before, &bench.after}) {
    if (!side->compile_error.empty()) return fail(ErrorKind::negative, "bench: {}", side->compile_error).at(side->source);
    if (!side->run_error.empty()) return fail(ErrorKind::negative, "bench: the program failed, {}", side->run_error).at(side->source);
  }
  if (report.outputs == report::BenchOutputs::differ) return fail(ErrorKind::negative, "bench: the two do not compute the same");
  return options.fail_on_regression && report.answer == derive::compare::Answer::worse ? 1 : 0;
}

Result<int> act(const Options& given, Io& io) {
  if (given.emit_harness) return write_harness(given, io);
  TRY(check(given));
  TRY_ASSIGN(const std::string format, format_of("bench", given.json, given.format));
  TRY(open_if_asked("bench", given.open, format, io));
  TRY_ASSIGN(const capture::BenchRequest request, request_of(given));
  TRY_ASSIGN(capture::BenchPrograms programs, capture::build_bench(request, *io.host));
  TRY(capture::run_bench(request, *io.host, programs.bench, progress_on(io)));
  report::BenchOptions judging = given.judging;
  judging.noise_floor = given.noise_floor_pct / 100;
  report::BenchReport report = report::judge_bench(programs.bench, judging);
  std::unique_ptr<report::Analyst> analyst;
  if (given.with_ncu && report.ran()) {
    TRY_ASSIGN(analyst, report::Analyst::create(given.analysis));
    if (Result<report::NcuComparison> ncu = profile_both(programs.bench, *analyst, io); ncu) {
      report.ncu = std::move(*ncu);
    } else {
      report.ncu_trouble = in_one_line(ncu.error());
    }
  }
  TRY(print_answer(io, compose::answer_of(borrowed(report)), format));
  return judged(report, given);
}

}  // namespace
}  // namespace command_bench

constinit const Command bench_command = make_recording_command<command_bench::Options, command_bench::describe, command_bench::act>(
    "bench", "Build two CUDA programs and say which is faster", "Measure");

}  // namespace frx::cli
