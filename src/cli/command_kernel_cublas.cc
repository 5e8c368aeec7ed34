// frx kernel cublas: how fast a matrix product of a library runs, against the peak of the GPU.

#include <charconv>

#include "base/text.h"
#include "capture/operator_tools.h"
#include "cli/command.h"
#include "cli/print_answer.h"
#include "cli/recording_commands.h"
#include "compose/recordings.h"

namespace frx::cli {
namespace command_kernel_cublas {
namespace {

constexpr std::uint64_t largest_size = 1'000'000'000;

struct Options {
  RecordingOptions recording;
  std::string operation, shape, program;
  Syntax::Number size;
  std::vector<std::string> arguments;
  bool estimate = false;
};

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const report::CublasOperation& one : report::cublas_operations()) names.emplace_back(one.name);
  return names;
}

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.recording.given);
  syntax.text(
      "Runs a program that calls a matrix product of cuBLAS under Nsight Systems, or reads a recording of one, and says how fast each "
      "product "
      "ran: its main kernel and the kernels that finish its work together, 2 M N K operations, and the share of the dense peak of the "
      "GPU in that precision. Without a program and a recording nothing is measured: GPU, operation, size and precision are printed, and "
      "a time only with --estimate, marked as computed.");
  syntax.choice("--op", "NAME", options.operation, operation_names(), "the operation; gemm_f16 accumulates in FP32, hgemm in FP16");
  syntax.option("--size", "N", options.size, "M = N = K");
  syntax.option("--shape", "M,N,K", options.shape, "instead of --size");
  syntax.option("--bin", "PATH", options.program, "the program that calls it");
  syntax.workload(options.arguments, "its arguments");
  syntax.option("--nsys", "FILE", options.recording.file, "a finished recording, instead of a run; - is standard input");
  describe_program(syntax, options.recording);
  syntax.option("--gpu-model", "NAME", options.recording.gpu_model,
                "the GPU, when the recording does not say or is wrong: H100, 'RTX 4090'");
  syntax.flag("--estimate", options.estimate, "without a run: the least time that the peak and the bandwidth of the GPU allow");
  syntax.flag("--json", options.recording.json, "print JSON (cublas_profile_v1)");
  syntax.example("--op gemm_f16 --size 4096 --bin ./bench", "how near is cuBLAS to the peak?");
  syntax.example("--op sgemm --shape 512,1024,64 --nsys run.sqlite", "of a recording that was made before");
  syntax.exit_code(0, "it was measured, or nothing was there to measure; a program that was run and failed gives its own code");
  syntax.exit_code(1, "a file or the program cannot be read or run, or it did not end in time");
  syntax.exit_code(4, "nsys is missing or wrote no report");
}

Result<std::array<std::uint64_t, 3>> shape_of(const Options& options) {
  if (options.size.has_value() == !options.shape.empty())
    return fail(ErrorKind::usage, "kernel cublas: expected one of --size N and --shape M,N,K")
        .hint("frx kernel cublas --op sgemm --size 4096");
  if (options.size) {
    if (*options.size >= 1 && *options.size <= largest_size) return std::array{*options.size, *options.size, *options.size};
    return fail(ErrorKind::usage, "kernel cublas: expected 1 to {} as --size, found {}", largest_size, *options.size);
  }
  const std::vector<std::string_view> parts = split(options.shape, ',');
  std::array<std::uint64_t, 3> shape{};
  for (std::size_t i = 0; parts.size() == shape.size() && i < shape.size(); ++i) {
    const std::string_view part = trim(parts[i]);
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), shape[i]);
    if (error != std::errc() || end != part.data() + part.size() || shape[i] > largest_size) shape[i] = 0;
  }
  if (shape[0] > 0 && shape[1] > 0 && shape[2] > 0) return shape;
  return fail(ErrorKind::usage, "kernel cublas: expected three numbers from 1 to {} as --shape, such as 512,1024,64, found '{}'",
              largest_size, printable(options.shape));
}

Result<> check(const Options& options) {
  const bool runs = !options.program.empty(), reads = !options.recording.file.empty();
  if (options.operation.empty())
    return fail(ErrorKind::usage, "kernel cublas: expected an operation: --op NAME").hint(join(operation_names(), ", "));
  if (runs && reads) return fail(ErrorKind::usage, "kernel cublas: expected one of --bin PATH and --nsys FILE, found both");
  if (!runs && !options.arguments.empty())
    return fail(ErrorKind::usage, "kernel cublas: arguments go with --bin PATH, found '{}'", printable(options.arguments[0]));
  return options.recording.given.expect_applicable("kernel cublas", "",
                                                   {{"--env", runs, "--bin PATH"},
                                                    {"--cwd", runs, "--bin PATH"},
                                                    {"--timeout", runs, "--bin PATH"},
                                                    {"--estimate", !runs && !reads, "neither --bin nor --nsys"}});
}

// What was measured, if something was.
Result<std::optional<analyse::NsysRecording>> measured(const Options& options, report::CublasProfile& profile, Session& session, Io& io) {
  std::optional<analyse::NsysRecording> recording;
  if (!options.recording.file.empty()) {
    profile.recording = options.recording.file;
    TRY_ASSIGN(recording, read_recording(options.recording.file, options.recording.file, options.recording.nsys, session));
    return recording;
  }
  if (options.program.empty()) return recording;
  profile.program = options.program;
  std::vector<std::string> argv = options.arguments;
  argv.insert(argv.begin(), options.program);
  TRY_ASSIGN(const capture::ProgramRun program, program_of("kernel cublas", std::move(argv), options.recording, io));
  TRY_ASSIGN(const std::string nsys, capture::find_nsys(options.recording.nsys, *io.host));
  TRY_ASSIGN(const RecordedRun run, record_program({program, "cuda", {}, {}}, nsys, "", io));
  profile.exit_code = code_of(run, options.recording, profile.notes);
  TRY_ASSIGN(recording, read_recording(run.database, options.program, nsys, session));
  return recording;
}

report::GemmTimes gemms_of(const analyse::NsysRecording& recording, const knowledge::KernelClasses& classes) {
  if (const auto* timeline = std::get_if<model::Timeline>(&recording)) return report::gemm_times_of(*timeline, classes);
  return report::gemm_times_of(times_of(recording), classes);
}

Result<int> act(const Options& options, Io& io) {
  TRY(check(options));
  auto profile = std::make_shared<report::CublasProfile>();
  TRY_ASSIGN(profile->shape, shape_of(options));
  profile->is_square = options.size.has_value();
  profile->operation = report::cublas_operation(options.operation);
  profile->is_estimate_wanted = options.estimate;
  Session session(report::AnalysisOptions(), io);
  TRY_ASSIGN(const knowledge::Knowledge* known, session.context().knowledge());
  TRY_ASSIGN(const std::optional<analyse::NsysRecording> recording, measured(options, *profile, session, io));
  TRY_ASSIGN(profile->gpu,
             gpu_at_hand(options.recording.gpu_model, recording ? &*recording : nullptr, options.recording.file.empty(), known->gpus, io));
  profile->peak = report::cublas_peak(*profile->operation, profile->gpu, known->gpus);
  if (recording) {
    profile->times = gemms_of(*recording, known->classes);
    const std::vector<std::string> doubts = report::doubts_about(*profile);
    profile->notes.insert(profile->notes.end(), doubts.begin(), doubts.end());
    profile->notes.insert(profile->notes.end(), profile->times->notes.begin(), profile->times->notes.end());
  }
  if (!profile->gpu.assumption.empty()) profile->notes.push_back(profile->gpu.assumption);
  if (options.estimate && !profile->estimate()) profile->notes.emplace_back("there is no estimate: no peak is known");
  const int code = profile->exit_code.value_or(0);
  TRY(print_answer(io, compose::answer_of(std::shared_ptr<const report::CublasProfile>(std::move(profile))),
                   options.recording.json ? "json" : "text"));
  return code;
}

}  // namespace
}  // namespace command_kernel_cublas

constinit const Command kernel_cublas_command =
    make_recording_command<command_kernel_cublas::Options, command_kernel_cublas::describe, command_kernel_cublas::act>(
        "kernel cublas", "Say how near a matrix product of cuBLAS is to the peak", "Measure");

}  // namespace frx::cli
