#include "knowledge/presets.h"

#include <algorithm>

namespace frx::knowledge {
namespace {

constexpr std::string_view presets_file = "data/metrics/presets.yaml";

using Metrics = std::vector<model::Metric>;

void add_once(Metrics& list, model::Metric metric) {
  if (std::find(list.begin(), list.end(), metric) == list.end()) list.push_back(metric);
}

Result<Metrics> metrics_in(const Value& entry, std::string_view key, const MetricCatalogue& catalogue) {
  TRY_ASSIGN(const Value ids, entry.list(key));
  Metrics list;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Value id = ids.item(i);
    const std::optional<model::Metric> metric = catalogue.with_id(id.text());
    if (!metric) {
      const std::string_view near = catalogue.nearest_id(id.text());
      return fail(ErrorKind::malformed, "no metric is called '{}'", id.text())
          .at(id.where())
          .hint(near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
    add_once(list, *metric);
  }
  return list;
}

Result<> check_collectable(const Value& entry, const MetricCatalogue& catalogue) {
  const Value ids = entry["metrics"];
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Value id = ids.item(i);
    if (counter_of(catalogue[*catalogue.with_id(id.text())]).empty())
      return fail(ErrorKind::malformed, "'{}' cannot be asked of ncu: it has no counter of its own", id.text()).at(id.where());
  }
  return {};
}

void add_on_gpu(Preset& preset, const CountersOnGpu& more) {
  const auto at = std::ranges::find(preset.on_gpus, more.cc, &CountersOnGpu::cc);
  if (at == preset.on_gpus.end()) return preset.on_gpus.push_back(more);
  at->ncu = std::max(at->ncu, more.ncu);
  for (const model::Metric metric : more.metrics) add_once(at->metrics, metric);
}

// `cc: "9.0"`, or a list of several.
Result<std::vector<model::ComputeCapability>> capabilities_in(const Value& entry) {
  const Value value = entry["cc"];
  std::vector<model::ComputeCapability> capabilities;
  for (std::size_t i = 0; i < std::max<std::size_t>(value.size(), 1); ++i) {
    const Value one = value.size() == 0 ? value : value.item(i);
    const std::optional<model::ComputeCapability> cc = parse_compute_capability(one.text());
    if (!cc) return fail(ErrorKind::malformed, "expected cc, a compute capability such as \"9.0\" or a list of them").at(entry.where());
    capabilities.push_back(*cc);
  }
  return capabilities;
}

Result<> read_on_gpus(const Value& entry, const MetricCatalogue& metrics, Preset& preset) {
  TRY_ASSIGN(const Value list, entry.list("on_gpus"));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value one = list.item(i);
    TRY_ASSIGN(const std::vector<model::ComputeCapability> capabilities, capabilities_in(one));
    TRY_ASSIGN(const Metrics besides, metrics_in(one, "metrics", metrics));
    for (const model::ComputeCapability cc : capabilities) add_on_gpu(preset, {cc, one["ncu"].text(), besides});
  }
  return {};
}

Result<std::vector<CountersNotOnGpu>> read_not_on(const Value& file, const MetricCatalogue& metrics) {
  TRY_ASSIGN(const Value list, file.list("not_on"));
  std::vector<CountersNotOnGpu> lacking;
  for (std::size_t i = 0; i < list.size(); ++i) {
    TRY_ASSIGN(const std::vector<model::ComputeCapability> capabilities, capabilities_in(list.item(i)));
    TRY_ASSIGN(const Metrics absent, metrics_in(list.item(i), "metrics", metrics));
    for (const model::ComputeCapability cc : capabilities) lacking.push_back({cc, absent});
  }
  return lacking;
}

Result<> add_parts(const Value& names, const std::vector<Preset>& earlier, Preset& into) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto part =
        std::find_if(earlier.begin(), earlier.end(), [&](const Preset& preset) { return preset.name == names.item(i).text(); });
    if (part == earlier.end()) {
      return fail(ErrorKind::malformed, "no earlier preset is called '{}'", names.item(i).text()).at(names.item(i).where());
    }
    for (const model::Metric metric : part->metrics) add_once(into.metrics, metric);
    for (const model::Metric metric : part->required) add_once(into.required, metric);
    for (const CountersOnGpu& gpu : part->on_gpus) add_on_gpu(into, gpu);
  }
  return {};
}

// Of embedded data a test has checked it: it takes the definitions of all the metrics.
Result<> check_collectable(const Library& library, const Value& presets, const MetricCatalogue& metrics) {
  for (std::size_t i = 0; !library.is_embedded() && i < presets.size(); ++i) {
    TRY(check_collectable(presets.item(i), metrics));
    const Value on_gpus = presets.item(i)["on_gpus"];
    for (std::size_t k = 0; k < on_gpus.size(); ++k) TRY(check_collectable(on_gpus.item(k), metrics));
  }
  return {};
}

bool lacks(const Preset& preset, model::ComputeCapability gpu, model::Metric metric) {
  return std::ranges::any_of(preset.not_on, [&](const CountersNotOnGpu& one) {
    return one.cc == gpu && std::ranges::find(one.metrics, metric) != one.metrics.end();
  });
}

}  // namespace

Result<std::vector<Preset>> load_presets(const Library& library, const MetricCatalogue& metrics) {
  const Value file = library.file(presets_file);
  TRY_ASSIGN(const Value list, file.list("presets"));
  TRY_ASSIGN(const std::vector<CountersNotOnGpu> not_on, read_not_on(file, metrics));
  std::vector<Preset> presets;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value entry = list.item(i);
    Preset preset{entry["name"].text(), entry["description"].text(), {}, {}, {}, not_on};
    if (preset.name.empty()) return fail(ErrorKind::malformed, "expected a preset with a name").at(entry.where());
    TRY_ASSIGN(const Value parts, entry.list("union_of"));
    TRY(add_parts(parts, presets, preset));
    TRY_ASSIGN(const std::vector<model::Metric> own, metrics_in(entry, "metrics", metrics));
    TRY_ASSIGN(const std::vector<model::Metric> required, metrics_in(entry, "required", metrics));
    for (const model::Metric metric : own) add_once(preset.metrics, metric);
    for (const model::Metric metric : required) add_once(preset.required, metric);
    TRY(read_on_gpus(entry, metrics, preset));
    if (preset.metrics.empty()) return fail(ErrorKind::malformed, "preset '{}' has no metrics", preset.name).at(entry.where());
    presets.push_back(std::move(preset));
  }
  if (presets.empty()) return fail(ErrorKind::malformed, "expected a list of presets").at(std::string(presets_file));
  TRY(check_collectable(library, list, metrics));
  return presets;
}

std::vector<std::string> preset_names(const Library& library) {
  const Value list = library.file(presets_file)["presets"];
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) names.emplace_back(list.item(i)["name"].text());
  return names;
}

const CountersOnGpu* Preset::on(model::ComputeCapability gpu) const {
  const auto at = std::ranges::find(on_gpus, gpu, &CountersOnGpu::cc);
  return at == on_gpus.end() ? nullptr : &*at;
}

Metrics Preset::left_out_on(model::ComputeCapability gpu) const {
  Metrics absent;
  for (const model::Metric metric : metrics) {
    if (lacks(*this, gpu, metric)) absent.push_back(metric);
  }
  return absent;
}

std::vector<std::string> counters_of(const Preset& preset, const MetricCatalogue& metrics, std::optional<model::ComputeCapability> gpu) {
  Metrics asked;
  const auto add = [&](model::Metric metric) {
    if (!gpu || !lacks(preset, *gpu, metric)) add_once(asked, metric);
  };
  std::ranges::for_each(preset.metrics, add);
  if (const CountersOnGpu* more = gpu ? preset.on(*gpu) : nullptr) std::ranges::for_each(more->metrics, add);
  std::vector<std::string> counters;
  for (const model::Metric metric : asked) counters.emplace_back(counter_of(metrics[metric]));
  return counters;
}

}  // namespace frx::knowledge
