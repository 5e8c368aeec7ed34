#include "capture/bench.h"

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/compiler_run.h"
#include "capture/gpu/gpu_sampler.h"
#include "capture/program_compiler.h"
#include "frx_generated/bench_header.h"

namespace frx::capture {
namespace {

namespace fs = std::filesystem;
using model::Bench;
using model::BenchGpu;
using model::BenchRun;
using model::BenchSide;

constexpr std::size_t output_limit = std::size_t{16} << 20;

double milliseconds_of(std::chrono::nanoseconds time) { return std::chrono::duration<double, std::milli>(time).count(); }

Failure stopped() { return fail(ErrorKind::negative, "bench: stopped by a signal; nothing was judged"); }

// A side that cannot be built says so; an error only when there is nothing to go on with.
Result<> build(BenchSide& side, const std::string& executable, const BenchRequest& request, const std::vector<std::string>& options,
               const Host& host) {
  const Result<std::chrono::nanoseconds> took = compile_program_as(executable, side.source, request.architecture, options, host);
  if (!took && took.error().kind == ErrorKind::negative) return stopped();
  if (!took) {
    side.compile_error = in_one_line(took.error());
  } else if (std::error_code ignored; !fs::is_regular_file(executable, ignored)) {
    side.compile_error = "nvcc ended well and left no program";
  } else {
    side.compile_ms = milliseconds_of(*took);
    side.executable = executable;
  }
  return {};
}

// Compilers write piece by piece; under its final name a program appears whole.
Result<> put_in_place(BenchSide& side, const std::string& path) {
  if (side.executable.empty()) return {};
  std::error_code error;
  fs::rename(side.executable, path, error);
  if (error) return fail(ErrorKind::unreadable, "cannot write: {}", error.message()).at(path);
  side.executable = path;
  return {};
}

Result<> build_both(Bench& bench, const std::string& in, const BenchRequest& request, const std::string& includes, const Host& host) {
  std::vector<std::string> options = {"-O3"};
  options.insert(options.end(), request.build_flags.begin(), request.build_flags.end());
  options.insert(options.end(), {"-I", includes});  // last: a program may bring a header of its own
  TRY(build(bench.before, in + "/before", request, options, host));
  return build(bench.after, in + "/after", request, options, host);
}

Result<> build_and_keep(Bench& bench, const BenchRequest& request, const std::string& includes, const Host& host) {
  std::error_code error;
  fs::create_directories(request.keep_in, error);
  if (error) return fail(ErrorKind::unreadable, "cannot make the folder: {}", error.message()).at(request.keep_in);
  const std::string kept = fs::absolute(request.keep_in, error).string();
  const Result<TemporaryDirectory> beside = TemporaryDirectory::make(kept);
  if (!beside) return fail(ErrorKind::unreadable, "cannot write the programs: {}", beside.error().message).at(request.keep_in);
  TRY(build_both(bench, beside->path(), request, includes, host));
  TRY(put_in_place(bench.before, kept + "/before"));
  return put_in_place(bench.after, kept + "/after");
}

std::optional<double> time_in(std::string_view words) {
  words = trim(words);
  double value = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), value);
  const bool is_time = error == std::errc() && end == words.data() + words.size() && std::isfinite(value) && value >= 0;
  return is_time ? std::optional(value) : std::nullopt;
}

void add_time(std::optional<double>& sum, std::string_view words) {
  if (const std::optional<double> time = time_in(words)) sum = sum.value_or(0) + *time;
}

std::string last_line(std::string_view text) {
  text = trim(text);
  return printable(text.substr(text.rfind('\n') + 1));  // npos + 1 is 0
}

// The failure in the words of the program, and what helps.
std::string trouble_of_run(const Exit& exit, std::chrono::milliseconds limit) {
  std::string text = describe(exit, limit);
  if (exit.timed_out) return text + "; --time-limit SECONDS gives it more time";
  const std::string said = last_line(exit.err.empty() ? exit.out : exit.err);
  if (!said.empty()) text += ": " + said;
  if (said.find("driver version is insufficient") != said.npos || said.find("no CUDA-capable device") != said.npos)
    text += "; frx doctor tells what this machine lacks";
  return text;
}

// False when this side must not run again.
Result<bool> run_once(BenchSide& side, bool counts, const BenchRequest& request, const Host& host) {
  ChildCommand command;
  command.argv = {side.executable};
  command.keep_limit = output_limit;
  command.time_limit = request.time_limit;
  const Result<Exit> exit = host.run(command);
  if (!exit) {
    side.run_error = exit.error().message;
    return false;
  }
  if (exit->interrupted_by != 0) return stopped();
  if (!exit->ok()) {
    side.run_error = trouble_of_run(*exit, request.time_limit);
    return false;
  }
  if (!counts) return true;
  BenchRun run;
  run.wall_ms = milliseconds_of(exit->took);
  read_bench_output(exit->out, run);
  side.runs.push_back(std::move(run));
  return true;
}

// The driver may be slow or absent: a missing GPU is no error here, the programs themselves will report it.
std::optional<GpuSample> gpu_now(GpuSource& source) {
  if (source.gpus().empty()) return std::nullopt;
  Result<std::vector<GpuSample>> samples = source.sample({source.gpus().front().index});
  return samples && !samples->empty() ? std::optional(std::move(samples->front())) : std::nullopt;
}

std::optional<BenchGpu> gpu_between(const std::optional<GpuSample>& before, const std::optional<GpuSample>& after,
                                    const GpuSource& source) {
  if (source.gpus().empty()) return std::nullopt;
  BenchGpu gpu;
  gpu.name = source.gpus().front().name;
  gpu.driver = source.driver();
  if (before) gpu.sm_clock_before_mhz = before->sm_clock, gpu.temperature_before_c = before->temperature;
  if (after) gpu.sm_clock_after_mhz = after->sm_clock, gpu.temperature_after_c = after->temperature;
  gpu.was_throttled = (before && is_slowed(*before).value_or(false)) || (after && is_slowed(*after).value_or(false));
  return gpu;
}

// The side that begins alternates between rounds: before, after; after, before; ...
Result<> run_rounds(const BenchRequest& request, const Host& host, Bench& bench, const BenchProgress& progress) {
  const std::size_t rounds = request.warmup + request.runs;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::array<BenchSide*, 2> sides = {&bench.before, &bench.after};
    if (round % 2 == 1) std::swap(sides[0], sides[1]);
    for (std::size_t i = 0; i < sides.size(); ++i) {
      BenchSide& side = *sides[i];
      if (side.executable.empty() || !side.run_error.empty()) continue;
      TRY(run_once(side, round >= request.warmup, request, host));
      if (progress) progress(2 * round + i + 1, 2 * rounds);
    }
  }
  return {};
}

}  // namespace

std::string_view bench_header() { return bench_header_text; }

void read_bench_output(std::string_view output, BenchRun& run) {
  constexpr std::string_view warm = "FRX_KERNEL_US:", cold = "FRX_KERNEL_COLD_US:", checksum = "FRX_CHECKSUM:";
  for (std::string_view line : split(output, '\n')) {
    line = trim(line);
    if (line.starts_with(warm)) add_time(run.kernel_us, line.substr(warm.size()));
    if (line.starts_with(cold)) add_time(run.kernel_cold_us, line.substr(cold.size()));
    if (!line.starts_with(checksum)) continue;
    for (const std::string_view word : split(line.substr(checksum.size()), ' ')) {
      if (!trim(word).empty()) run.checksum.emplace_back(trim(word));
    }
  }
}

Result<BenchPrograms> build_bench(const BenchRequest& request, const Host& host) {
  const std::optional<std::string> nvcc = host.program("nvcc");
  if (!nvcc) {
    return fail(ErrorKind::environment, "bench: nvcc was not found")
        .hint("install the CUDA toolkit, or put its bin folder into PATH; frx compare A.cu B.cu needs no compiler");
  }
  TRY_ASSIGN(TemporaryDirectory folder, TemporaryDirectory::make(host.variable("TMPDIR").value_or("/tmp")));
  TRY(write_file(folder.file("frx_bench.cuh"), bench_header()));
  TRY(write_file(folder.file("frx_bench_harness.cuh"), "#include \"frx_bench.cuh\"\n"));  // its other name, docs/contract.md, section 8.6
  BenchPrograms result{{}, std::move(folder)};
  Bench& bench = result.bench;
  bench.before.source = request.before;
  bench.after.source = request.after;
  bench.architecture = request.architecture;
  bench.warmup = request.warmup;
  bench.compiler = name_and_version("nvcc", *nvcc, host);
  const std::string includes = result.folder.path();
  TRY(request.keep_in.empty() ? build_both(bench, fs::absolute(includes).string(), request, includes, host)
                              : build_and_keep(bench, request, includes, host));
  return result;
}

Result<> run_bench(const BenchRequest& request, const Host& host, Bench& bench, const BenchProgress& progress) {
  const Result<std::unique_ptr<GpuSource>> gpu = open_gpu_source(host, shortest_interval);
  const std::optional<GpuSample> before = gpu ? gpu_now(**gpu) : std::nullopt;
  TRY(run_rounds(request, host, bench, progress));
  if (gpu) bench.gpu = gpu_between(before, gpu_now(**gpu), **gpu);
  return {};
}

}  // namespace frx::capture
