#include "capture/run_bundle/records.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "knowledge/gpu_match.h"
#include "model/bundle_paths.h"

namespace frx::capture {
namespace {

namespace fs = std::filesystem;
namespace bundle = model::bundle;
using Json = nlohmann::json;  // sorts its keys

template <typename Any>
std::string text_of(const Any& json) {
  return json.dump(2, ' ', true, Any::error_handler_t::replace) + "\n";
}

template <typename Any = Json>
Any or_null(const std::string& text) {
  return text.empty() ? Any(nullptr) : Any(text);
}

struct Artifact {
  const char* key;
  std::string_view path;
};
constexpr Artifact required[] = {
    {"metadata", bundle::metadata}, {"run_config", bundle::run_config}, {"gpu_metrics", bundle::gpu_metrics}, {"logs", bundle::logs}};
constexpr Artifact recommended[] = {{"raw_trace", bundle::raw_trace}, {"derived_summary", bundle::derived_summary}};

bool has(const std::vector<std::string>& files, std::string_view path) {
  return std::find(files.begin(), files.end(), path) != files.end();
}

// The first trace of a profiler, or "".
std::string profiler_trace(const std::vector<std::string>& files) {
  const auto found = std::find_if(files.begin(), files.end(), [](const std::string& file) { return bundle::is_profiler_trace(file); });
  return found == files.end() ? "" : *found;
}

Json artifacts(const std::vector<std::string>& files) {
  Json map = Json::object();
  for (const Artifact& one : required) {
    if (has(files, one.path)) map[one.key] = one.path;
  }
  for (const Artifact& one : recommended) {
    if (has(files, one.path)) map[one.key] = one.path;
  }
  map["metadata"] = bundle::metadata;
  if (const std::string trace = profiler_trace(files); !trace.empty()) map["profiler_trace"] = trace;
  return map;
}

const std::vector<GpuIdentity>* gpus(const RunRecord& record) {
  return record.gpu && !record.gpu->source.empty() ? &record.gpu->gpus : nullptr;
}

// PyTorch was built for CUDA and the driver shows a GPU; absent when one of the two is not known.
std::optional<bool> cuda_available(const RunRecord& record) {
  if (!record.python || record.python->torch.empty()) return std::nullopt;
  if (record.python->torch_cuda.empty()) return false;
  if (gpus(record) == nullptr) return std::nullopt;
  return !gpus(record)->empty();
}

// "h100", when the name is that of a product in the catalogue.
std::string gpu_model(const std::string& name) {
  static const Result<knowledge::GpuCatalogue> catalogue = knowledge::GpuCatalogue::load(knowledge::Library::builtin());
  if (!catalogue || name.empty()) return {};
  const knowledge::GpuMatch match = knowledge::match_gpu(*catalogue, {.name = name, .cc = {}, .sm_count = {}, .memory_gb = {}});
  return match.product == nullptr ? "" : std::string(match.product->key);
}

// The keys that metadata.json and `environment` in run_config.yaml share.
template <typename Any>
void add_machine(const RunRecord& record, Any& json) {
  const PythonEnvironment python = record.python.value_or(PythonEnvironment{});
  json["python_version"] = or_null<Any>(python.version);
  json["platform"] = or_null<Any>(record.platform);
  json["host"] = or_null<Any>(record.host);
  json["framework"] = python.torch.empty() ? "unknown" : "pytorch";
  json["pytorch_version"] = or_null<Any>(python.torch);
  const std::optional<bool> cuda = cuda_available(record);
  json["cuda_available"] = cuda ? Any(*cuda) : Any(nullptr);
  const std::vector<GpuIdentity>* list = gpus(record);
  json["num_gpus"] = list == nullptr ? Any(nullptr) : Any(list->size());
  json["gpu_name"] = list == nullptr || list->empty() ? Any(nullptr) : Any((*list)[0].name);
}

OrderedJson environment(const RunRecord& record) {
  OrderedJson json = OrderedJson::object();
  add_machine(record, json);
  if (record.python && record.python->torch.empty()) json["framework_detection_error"] = record.python->trouble;
  if (record.python) json["python_executable"] = or_null<OrderedJson>(record.python->interpreter);
  if (record.gpu) {
    json["driver_version"] = or_null<OrderedJson>(record.gpu->driver);
    json["gpu_sampler"] = or_null<OrderedJson>(record.gpu->source);
  }
  if (const auto* list = gpus(record); list != nullptr && !list->empty()) {
    if (const std::string model = gpu_model((*list)[0].name); !model.empty()) {
      json["gpu_model"] = model;
      json["gpu_type"] = model;
    }
  }
  return json;
}

}  // namespace

void RunRecord::warn(std::string text) {
  if (std::find(warnings.begin(), warnings.end(), text) == warnings.end()) warnings.push_back(std::move(text));
}

std::string metadata_text(const RunRecord& record, const RunFolder& folder) {
  const bool ended = record.end.has_value();
  Json json = {{"schema_version", bundle::schema_version},
               {"run_id", folder.id()},
               {"job_name", record.job_name},
               {"status", !ended                    ? "running"
                          : record.end->code() == 0 ? "completed"
                                                    : "failed"},
               {"exit_code", ended ? Json(record.end->code()) : Json(nullptr)},
               {"signal", ended && record.end->signal != 0 ? Json(record.end->signal) : Json(nullptr)},
               {"interrupted_by", ended && record.end->interrupted_by != 0 ? Json(record.end->interrupted_by) : Json(nullptr)},
               {"started_at", record.started_at},
               {"ended_at", or_null(record.ended_at)},
               {"elapsed_seconds", ended ? Json(std::chrono::duration<double>(record.end->took).count()) : Json(nullptr)},
               {"workload_command", record.recorded_workload},
               {"output_dir", folder.absolute()},
               {"artifacts", artifacts(folder.files())},
               {"collection_warnings", record.warnings}};
  add_machine(record, json);
  json["driver_version"] = record.gpu ? or_null<Json>(record.gpu->driver) : Json(nullptr);
  return text_of(json);
}

// For the environment the user's file overrides the detected values; for collector and run it does not.
std::string run_config_text(const RunRecord& record, const RunFolder& folder) {
  OrderedJson ours;
  ours["collector"] = {{"schema_version", bundle::schema_version},
                       {"command", "frx collect"},
                       {"sample_interval_ms", record.interval.count()},
                       {"output_dir", folder.absolute()}};
  ours["run"] = {{"run_id", folder.id()}, {"job_name", record.job_name}, {"workload_command", record.recorded_workload}};
  OrderedJson all = ours;
  all["environment"] = environment(record);
  merge(all, record.config.is_object() ? record.config : OrderedJson::object());
  merge(all, ours);
  if (!record.config_path.empty()) all["user_config"] = {{"source_path", record.config_path}, {"raw", record.config_text}};
  return yaml_text(all);
}

Manifest manifest_of(const RunFolder& folder) {
  Manifest manifest;
  manifest.files = folder.files();
  std::erase(manifest.files, bundle::manifest);
  for (const Artifact& one : required) {
    if (!has(manifest.files, one.path)) manifest.missing_required.emplace_back(one.key);
  }
  for (const Artifact& one : recommended) {
    if (!has(manifest.files, one.path)) manifest.missing_recommended.emplace_back(one.key);
  }
  if (profiler_trace(manifest.files).empty()) manifest.missing_recommended.emplace_back("profiler_trace");
  manifest.diagnostic_ready = manifest.missing_recommended.size() < std::size(recommended) + 1;
  manifest.limited = !manifest.missing_required.empty() || !manifest.diagnostic_ready;
  manifest.files.emplace_back(bundle::manifest);
  return manifest;
}

Result<std::string> manifest_text(const Manifest& manifest, const RunRecord& record, const RunFolder& folder) {
  Json files = Json::array();
  for (const std::string& path : manifest.files) {
    if (path == bundle::manifest) continue;
    TRY_ASSIGN(const std::string hash, sha256_of_file(folder.file(path)));
    std::error_code ignored;
    files.push_back({{"path", path}, {"bytes", fs::file_size(folder.file(path), ignored)}, {"sha256", hash}});
  }
  return text_of(Json{{"schema_version", bundle::schema_version},
                      {"run_id", folder.id()},
                      {"included_files", manifest.files},
                      {"missing_required", manifest.missing_required},
                      {"missing_recommended", manifest.missing_recommended},
                      {"diagnostic_ready", manifest.diagnostic_ready},
                      {"limited", manifest.limited},
                      {"warnings", record.warnings},
                      {"files", std::move(files)}});
}

void warn_of_missing_data(const RunFolder& folder, RunRecord& record) {
  const std::vector<std::string> files = folder.files();
  const bool raw = has(files, bundle::raw_trace), profiler = !profiler_trace(files).empty();
  std::error_code ignored;
  if (raw && fs::file_size(folder.file(bundle::raw_trace), ignored) == 0)
    record.warn("raw/trace.jsonl is empty: the workload recorded no events");
  if (!raw && !profiler) record.warn("neither an SDK trace nor a profiler trace was recorded: only a limited diagnosis is possible");
  if (!raw && profiler) record.warn("a profiler trace without an SDK trace: steps and waits are derived from the profiler alone");
  if (!has(files, bundle::derived_summary) && !profiler && !raw) record.warn("no summary and no trace: recommendations will be imprecise");
}

}  // namespace frx::capture
