#include "knowledge/presets.h"

#include <algorithm>

namespace frx::knowledge {
namespace {

constexpr std::string_view file_name = "data/metrics/presets.yaml";

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

Result<> read_on_gpus(const Value& entry, const MetricCatalogue& metrics, Preset& preset) {
  TRY_ASSIGN(const Value list, entry.list("on_gpus"));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value one = list.item(i);
    const std::optional<model::ComputeCapability> cc = parse_compute_capability(one["cc"].text());
    if (!cc || one["ncu"].text().empty())
      return fail(ErrorKind::malformed, "expected cc and ncu, such as \"9.0\" and \"2025.1\"").at(one.where());
    CountersOnGpu gpu{*cc, one["ncu"].text(), {}};
    TRY_ASSIGN(gpu.metrics, metrics_in(one, "metrics", metrics));
    add_on_gpu(preset, gpu);
  }
  return {};
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

}  // namespace

Result<std::vector<Preset>> load_presets(const Library& library, const MetricCatalogue& metrics) {
  TRY_ASSIGN(const Value list, library.file(file_name).list("presets"));
  std::vector<Preset> presets;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value entry = list.item(i);
    Preset preset{entry["name"].text(), entry["description"].text(), {}, {}, {}};
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
  if (presets.empty()) return fail(ErrorKind::malformed, "expected a list of presets").at(std::string(file_name));
  TRY(check_collectable(library, list, metrics));
  return presets;
}

std::vector<std::string> preset_names(const Library& library) {
  const Value list = library.file(file_name)["presets"];
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) names.emplace_back(list.item(i)["name"].text());
  return names;
}

const CountersOnGpu* Preset::on(model::ComputeCapability gpu) const {
  const auto at = std::ranges::find(on_gpus, gpu, &CountersOnGpu::cc);
  return at == on_gpus.end() ? nullptr : &*at;
}

std::vector<std::string> counters_of(const Preset& preset, const MetricCatalogue& metrics, std::optional<model::ComputeCapability> gpu) {
  std::vector<std::string> counters;
  for (const model::Metric metric : preset.metrics) counters.emplace_back(counter_of(metrics[metric]));
  if (const CountersOnGpu* more = gpu ? preset.on(*gpu) : nullptr) {
    for (const model::Metric metric : more->metrics) {
      if (std::ranges::find(preset.metrics, metric) == preset.metrics.end()) counters.emplace_back(counter_of(metrics[metric]));
    }
  }
  return counters;
}

}  // namespace frx::knowledge
