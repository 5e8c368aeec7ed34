// frx ncu-command: print the ncu command line that collects a preset of counters.

#include <algorithm>

#include "base/text.h"
#include "capture/ncu_command.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/json_output.h"
#include "knowledge/presets.h"

namespace frx::cli {
namespace command_ncu_command {
namespace {

struct Options {
  Given given;
  std::string preset = "full";
  bool list = false;
  bool json = false;
  std::string gpu_model;
  capture::NcuRequest request;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text("Copy the command to where the GPU is, run it, and bring the CSV back: frx analyze FILE.");
  syntax.argument("PRESET", options.preset, "which counters", knowledge::preset_names(knowledge::Library::builtin()));
  syntax.workload(options.request.workload, "the program to profile and its arguments [default: ./your_app]");
  syntax.flag("--list", options.list, "list the presets");
  // --log-file, not "> FILE": the program's own output stays out of the CSV (docs/contract.md, section 3.8).
  syntax.option("-o,--output", "FILE", options.request.log_file, "let ncu write the CSV to FILE");
  syntax.option("--gpu-model", "NAME", options.gpu_model,
                "also the counters that this GPU has beside others, without those that it lacks: H100, A100, sm_90");
  syntax.option("--kernel-name", "FILTER", options.request.kernel_filter, "only kernels of this name, or matching this regular expression");
  syntax.option("--target-processes", "MODE", options.request.target_processes, "which processes to profile");
  syntax.option("--launch-skip", "N", options.request.launch_skip, "leave out the first N launches");
  syntax.option("--launch-count", "N", options.request.launch_count, "profile at most N launches");
  syntax.flag("--json", options.json, "print JSON");
  syntax.example("memory -o profile.csv -- python train.py", "counters of DRAM, caches and coalescing, into profile.csv");
  syntax.example("--kernel-name '.*gemm.*' --launch-count 5 -- ./app", "every preset at once, for five launches of the GEMMs");
  syntax.example("tensor --gpu-model H100 -o profile.csv -- ./app", "with the operations of the tensor cores, by type");
  syntax.exit_code(0, "the command or the presets were printed");
}

using Presets = std::vector<knowledge::Preset>;

Json preset_json(const knowledge::Preset& preset, const knowledge::MetricCatalogue& metrics) {
  Json required = Json::array();
  for (const model::Metric metric : preset.required) required.push_back(metrics[metric].id);
  const auto counters_json = [&](const std::vector<model::Metric>& list) {
    Json counters = Json::array();
    for (const model::Metric metric : list) counters.push_back(counter_of(metrics[metric]));
    return counters;
  };
  Json on_gpus = Json::array(), not_on_gpus = Json::array();
  for (const knowledge::CountersOnGpu& gpu : preset.on_gpus) {
    on_gpus.push_back({{"compute_capability", knowledge::to_string(gpu.cc)},
                       {"needs_ncu", gpu.ncu.empty() ? Json() : Json(gpu.ncu)},
                       {"metrics", counters_json(gpu.metrics)}});
  }
  for (const knowledge::CountersNotOnGpu& gpu : preset.not_on)
    not_on_gpus.push_back({{"compute_capability", knowledge::to_string(gpu.cc)}, {"metrics", counters_json(gpu.metrics)}});
  return {{"name", preset.name},
          {"description", preset.description},
          {"metrics", counters_of(preset, metrics)},
          {"required_canonical_metrics", std::move(required)},
          {"on_gpus", std::move(on_gpus)},
          {"not_on_gpus", std::move(not_on_gpus)}};
}

int list_presets(const Presets& presets, const knowledge::MetricCatalogue& metrics, bool json, Io& io) {
  if (json) {
    Json all = Json::array();
    for (const knowledge::Preset& preset : presets) all.push_back(preset_json(preset, metrics));
    write_json(io, "ncu_presets", {{"presets", std::move(all)}});
    return 0;
  }
  for (const knowledge::Preset& preset : presets) {
    const std::string head = fmt::format("{:<10} {:>2} counters  ", preset.name, preset.metrics.size());
    const std::vector<std::string> lines = wrap(preset.description, static_cast<std::size_t>(io.width) - head.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      io.out.write((i == 0 ? head : std::string(head.size(), ' ')) + lines[i] + "\n");
    }
  }
  return 0;
}

// How a command for one GPU differs from that for any.
struct GpuDifference {
  const knowledge::CountersOnGpu* on = nullptr;
  std::size_t added = 0;
  std::vector<std::string> left_out;  // counters
};

GpuDifference difference_of(const knowledge::Preset& preset, const knowledge::MetricCatalogue& metrics,
                            const std::optional<model::ComputeCapability>& gpu) {
  GpuDifference difference;
  if (!gpu) return difference;
  for (const model::Metric metric : preset.left_out_on(*gpu)) difference.left_out.emplace_back(counter_of(metrics[metric]));
  difference.on = preset.on(*gpu);
  difference.added = counters_of(preset, metrics, gpu).size() - (preset.metrics.size() - difference.left_out.size());
  return difference;
}

std::string text_of_gpu(const Options& options, const GpuDifference& difference) {
  if (options.gpu_model.empty()) return {};
  const std::string gpu = printable(options.gpu_model);
  std::string text;
  if (!difference.left_out.empty()) text += fmt::format("\nLeft out, because {} lacks them: {}\n", gpu, join(difference.left_out, ", "));
  if (difference.added == 0)
    return text.empty() ? fmt::format("\nNo counters are known that {} has beside those of every GPU.\n", gpu) : text;
  const std::string last = difference.added == 1 ? "The last one is" : fmt::format("The last {} are", difference.added);
  text +=
      fmt::format("\n{} asked for because {} has compute capability {}.{}", last, gpu, difference.on->cc.major, difference.on->cc.minor);
  text += difference.on->ncu.empty() ? ".\n" : fmt::format(", and Nsight Compute has to be {} or newer.\n", difference.on->ncu);
  return text;
}

void print_text(const knowledge::Preset& preset, const capture::NcuRequest& request, const std::string& of_gpu, Io& io) {
  io.out.write(fmt::format("{}  {}\n", io.paint(Colour::bold, "Preset: "), preset.name));
  io.out.write(fmt::format("{}  {}\n\n", io.paint(Colour::bold, "Purpose:"), preset.description));
  // One line, however long: it has to survive copying.
  io.out.write(io.paint(Colour::bold, "Command:") + "\n  " + capture::shell_line(ncu_command(request)) + "\n\n");
  io.out.write(io.paint(Colour::bold, fmt::format("Counters ({}):", request.counters.size())) + "\n");
  for (const std::string& counter : request.counters) io.out.write("  " + counter + "\n");
  io.out.write(of_gpu);
  io.out.write(request.log_file.empty() ? "\nThe CSV mixes with the program's own output; -o profile.csv keeps it apart.\n"
                                        : fmt::format("\nThen: {} analyze {}\n", io.program, shell_quote(request.log_file)));
}

int print_command(const Options& options, const knowledge::Preset& preset, const capture::NcuRequest& request,
                  const GpuDifference& difference, Io& io) {
  if (!options.json) {
    print_text(preset, request, text_of_gpu(options, difference), io);
    return 0;
  }
  const std::vector<std::string> command = ncu_command(request);
  Json result = {{"preset", preset.name},
                 {"description", preset.description},
                 {"metrics", request.counters},
                 {"command", command},
                 {"shell", capture::shell_line(command)}};
  result["needs_ncu"] = difference.on && !difference.on->ncu.empty() ? Json(difference.on->ncu) : Json();
  result["left_out"] = difference.left_out;
  write_json(io, "ncu_command", std::move(result));
  return 0;
}

Result<int> act(const Options& options, Io& io) {
  const knowledge::Library library = knowledge::Library::builtin();
  TRY_ASSIGN(const knowledge::MetricCatalogue metrics, knowledge::MetricCatalogue::load(library));
  TRY_ASSIGN(const Presets presets, knowledge::load_presets(library, metrics));
  constexpr std::string_view of_one = "the command of a preset";
  TRY(options.given.expect_applicable("ncu-command", "--list",
                                      {{"PRESET", !options.list, of_one},
                                       {"--output", !options.list, of_one},
                                       {"--gpu-model", !options.list, of_one},
                                       {"--kernel-name", !options.list, of_one},
                                       {"--target-processes", !options.list, of_one},
                                       {"--launch-skip", !options.list, of_one},
                                       {"--launch-count", !options.list, of_one}}));
  if (options.list) return list_presets(presets, metrics, options.json, io);
  const auto preset =
      std::find_if(presets.begin(), presets.end(), [&](const knowledge::Preset& one) { return one.name == options.preset; });
  if (preset == presets.end()) return fail(ErrorKind::usage, "no preset is called '{}'", printable(options.preset));
  capture::NcuRequest request = options.request;
  std::optional<model::ComputeCapability> gpu;
  if (!options.gpu_model.empty()) {
    TRY_ASSIGN(const knowledge::GpuCatalogue gpus, knowledge::GpuCatalogue::load(library));
    TRY_ASSIGN(gpu, capability_of(options.gpu_model, gpus));
  }
  request.counters = counters_of(*preset, metrics, gpu);
  if (request.workload.empty()) request.workload = {"./your_app"};
  return print_command(options, *preset, request, difference_of(*preset, metrics, gpu), io);
}

}  // namespace
}  // namespace command_ncu_command

constinit const Command ncu_command_command =
    make_command<command_ncu_command::Options, command_ncu_command::describe, command_ncu_command::act>(
        "ncu-command", "Print the ncu command that collects the right counters", "Measure");

}  // namespace frx::cli
