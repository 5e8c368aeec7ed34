// frx gpu occupancy: how many blocks of a launch fit on an SM, and what limits them.

#include "cli/command.h"
#include "cli/gpu_commands.h"
#include "cli/print_answer.h"
#include "compose/gpu_answers.h"

namespace frx::cli {
namespace command_gpu_occupancy {
namespace {

struct Options {
  std::string name;
  Syntax::Number threads, registers, static_shared, dynamic_shared;
  GpuOptions shared;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Says how many blocks of a launch are resident on one SM, which resources limit them, and the smallest changes that allow more. "
      "Registers and shared memory are allocated in the units of the hardware; ptxas -v prints what a kernel uses.");
  syntax.required_argument("NAME", options.name, "as for frx gpu show; a compute capability is enough: sm_90");
  syntax.option("--threads", "N", options.threads, "threads per block; required");
  syntax.option("--registers", "N", options.registers, "registers per thread; required");
  syntax.option("--static-shared", "BYTES", options.static_shared, "static shared memory per block (0 without it)");
  syntax.option("--dynamic-shared", "BYTES", options.dynamic_shared, "dynamic shared memory per block (0 without it)");
  describe_gpu_options(syntax, options.shared, "gpu_occupancy_v1");
  syntax.example("sm_80 --threads 256 --registers 72", "what 72 registers allow on an A100");
  syntax.exit_code(0, "the launch is possible");
  syntax.exit_code(1, "the GPU refuses such a launch; or --data cannot be read");
  syntax.exit_code(3, "the GPU is not known, or the name fits several compute capabilities");
}

Result<std::uint32_t> checked(std::string_view option, const Syntax::Number& given, std::optional<std::uint32_t> otherwise) {
  if (!given && otherwise) return *otherwise;
  if (!given) return fail(ErrorKind::usage, "gpu occupancy: {} is missing", option);
  if (*given > std::numeric_limits<std::uint32_t>::max())
    return fail(ErrorKind::usage, "gpu occupancy: {}: expected at most 4294967295, found {}", option, *given);
  return static_cast<std::uint32_t>(*given);
}

Result<knowledge::LaunchShape> shape_of(const Options& options) {
  knowledge::LaunchShape shape;
  TRY_ASSIGN(shape.threads_per_block, checked("--threads", options.threads, {}));
  TRY_ASSIGN(shape.registers_per_thread, checked("--registers", options.registers, {}));
  TRY_ASSIGN(shape.static_shared_bytes, checked("--static-shared", options.static_shared, 0));
  TRY_ASSIGN(shape.dynamic_shared_bytes, checked("--dynamic-shared", options.dynamic_shared, 0));
  return shape;
}

Result<int> act(const Options& options, Io& io) {
  TRY_ASSIGN(const std::string format, format_of("gpu occupancy", options.shared.json, options.shared.format));
  TRY_ASSIGN(const knowledge::LaunchShape shape, shape_of(options));
  TRY_ASSIGN(const knowledge::Library library, gpu_library(options.shared));
  TRY_ASSIGN(const knowledge::GpuCatalogue gpus, load_gpus(library, options.shared));
  TRY_ASSIGN(report::GpuOccupancy occupancy, report::occupancy_on(gpus, options.name, shape));
  const bool is_possible = !occupancy.occupancy.launch_fails;
  TRY(print_answer(io, compose::answer_of(std::make_shared<const report::GpuOccupancy>(std::move(occupancy))), format));
  return is_possible ? 0 : 1;
}

}  // namespace
}  // namespace command_gpu_occupancy

constinit const Command gpu_occupancy_command =
    make_command<command_gpu_occupancy::Options, command_gpu_occupancy::describe, command_gpu_occupancy::act>(
        "gpu occupancy", "Compute how many blocks fit on an SM, and why no more", "Set up");

}  // namespace frx::cli
