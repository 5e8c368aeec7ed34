// frx kernel contract: writes a contract that a measured profile keeps with some tolerance.

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/kernel_files.h"
#include "report/kernels/profile_contract.h"
#include "report/kernels/work_model.h"

namespace frx::cli {
namespace command_kernel_contract {
namespace {

constexpr std::string_view contract_folder = "contracts/cgp";

struct Options {
  std::string kernel, from;
  Syntax::Number size;
  double tolerance = 10;
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Writes contracts/cgp/KERNEL-SIZE-v1.yaml: bounds for frx kernel verify that a measured profile keeps with some tolerance. The "
      "profile "
      "is that of --from, else the baseline of the kernel and size; without a measurement nothing is written.");
  syntax.option("--kernel", "NAME", options.kernel, "the kernel, as its profile names it");
  syntax.option("--size", "N", options.size, "the problem is N x N x N");
  syntax.option("--tolerance", "PERCENT", options.tolerance, "how much slower it may become");
  syntax.option("--from", "PROFILE", options.from, "a profile (frx kernel profile --export FILE)");
  syntax.flag("--json", options.json, "print JSON: file, kernel");
  syntax.example("--from gemm.json --tolerance 5", "5 % slower is still kept");
  syntax.exit_code(0, "the contract was written");
  syntax.exit_code(1, "a file cannot be read or written");
  syntax.exit_code(3, "there is no profile that was measured");
}

Result<model::FullProfile> profile_for(const Options& options) {
  if (!options.from.empty()) return read_profile_file(options.from);
  if (options.kernel.empty()) return fail(ErrorKind::usage, "kernel contract: expected --from PROFILE, or --kernel NAME of a baseline");
  std::vector<std::uint32_t> dimensions;
  if (options.size) dimensions.assign(3, static_cast<std::uint32_t>(*options.size));
  const std::string path = baseline_path(file_stem_for(options.kernel, dimensions));
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return fail(ErrorKind::not_enough, "there is no profile of {}: a contract states what was measured", printable(options.kernel))
        .hint("frx kernel profile --export FILE measures one; then --from FILE, or frx kernel baseline --save FILE");
  return read_profile_file(path);
}

bool is_cube(const std::vector<std::uint32_t>& dimensions) {
  return std::ranges::all_of(dimensions, [&](std::uint32_t one) { return one == dimensions.front(); });
}

// "gemm-512-v1.yaml" of N x N x N; a problem of several sizes has all of them in its name, so that it does not replace another.
std::string contract_path(const model::FullProfile& profile) {
  const std::vector<std::uint32_t>& dimensions = profile.kernel.dimensions;
  std::string stem = file_stem_for(*profile.kernel.name, is_cube(dimensions) ? std::vector<std::uint32_t>() : dimensions);
  if (!dimensions.empty() && is_cube(dimensions)) stem += fmt::format("-{}", dimensions.front());
  return fmt::format("{}/{}-v1.yaml", contract_folder, stem);
}

Result<> expect_what_was_asked(const Options& options, const model::FullProfile& profile) {
  if (!options.kernel.empty() && profile.kernel.name != options.kernel)
    return fail(ErrorKind::usage, "--kernel: the profile is of {}", printable(profile.kernel.name.value_or("a kernel without a name")));
  const std::vector<std::uint32_t>& dimensions = profile.kernel.dimensions;
  if (options.size && !dimensions.empty() && (dimensions.front() != *options.size || !is_cube(dimensions)))
    return fail(ErrorKind::usage, "--size: the profile is of {}", report::dimensions_text(profile.kernel.dimensions));
  return {};
}

Result<int> act(const Options& options, Io& io) {
  if (!(options.tolerance >= 0 && options.tolerance < 100))
    return fail(ErrorKind::usage, "--tolerance: expected a percentage from 0 to below 100");
  if (options.size && (*options.size == 0 || *options.size > UINT32_MAX))
    return fail(ErrorKind::usage, "--size: expected a number from 1 to 4294967295");
  TRY_ASSIGN(model::FullProfile profile, profile_for(options));
  TRY(expect_what_was_asked(options, profile));
  if (options.size && profile.kernel.dimensions.empty()) profile.kernel.dimensions.assign(3, static_cast<std::uint32_t>(*options.size));
  TRY_ASSIGN(const std::string text, report::contract_for(profile, options.tolerance));
  const std::string path = contract_path(profile);
  TRY(write_file(path, text));
  if (options.json) {
    write_json(io, "kernel_contract", {{"file", path}, {"kernel", *profile.kernel.name}});
  } else {
    io.out.write(fmt::format("Contract written: {}\n", path));
  }
  return 0;
}

}  // namespace
}  // namespace command_kernel_contract

constinit const Command kernel_contract_command =
    make_command<command_kernel_contract::Options, command_kernel_contract::describe, command_kernel_contract::act>(
        "kernel contract", "Write a contract of performance from a profile", "Measure");

}  // namespace frx::cli
