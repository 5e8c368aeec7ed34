// Manifests that were written before, by frx or another program, of schema 1.x.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/text.h"
#include "ingest/nsys/nvtx_text.h"
#include "report/operators/capture_metadata.h"
#include "report/operators/json_members.h"
#include "report/operators/operator_manifest.h"

namespace frx::report {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t largest_time = largest_whole;

class ManifestReader {
 public:
  explicit ManifestReader(std::string_view name) : file_(name) {}

  Result<OperatorManifest> read(const Json& manifest);

 private:
  Failure malformed(std::string_view expected, const std::string& member) const {
    return fail(ErrorKind::malformed, "expected {} as {}", expected, printable(member)).at(file_);
  }
  static bool truth_of(const Json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_boolean() && at->get<bool>();
  }
  static std::optional<std::array<std::uint32_t, 3>> shape_of(const Json& object, const char* key);

  Result<> read_kernel(const Json& from, const std::string& member);
  Result<> read_times(const Json& from, ManifestKernel& to, const std::string& member) const;
  void read_attribution(const Json& from, ManifestKernel& to);
  std::optional<std::uint32_t> range(const Json& from);
  std::vector<std::uint32_t> names_in(const Json& object, const char* key);

  std::string file_;
  OperatorManifest manifest_;
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::uint32_t> ranges_;
};

std::optional<std::array<std::uint32_t, 3>> ManifestReader::shape_of(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_array() || at->size() != 3) return std::nullopt;
  std::array<std::uint32_t, 3> shape = {};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(*at)[i].is_number_unsigned() || (*at)[i].get<std::uint64_t>() > 0xFFFFFFFF) return std::nullopt;
    shape[i] = (*at)[i].get<std::uint32_t>();
  }
  return shape;
}

std::vector<std::uint32_t> ManifestReader::names_in(const Json& object, const char* key) {
  std::vector<std::uint32_t> names;
  const auto at = object.find(key);
  if (at == object.end() || !at->is_array()) return names;
  for (const Json& one : *at) {
    if (!one.is_string()) continue;
    // Manifests of 1.0 may have the whole text of the range as a name.
    const auto text = one.get<std::string>();
    const std::string_view name = ingest::nsys::parse_nvtx(text).name;
    names.push_back(manifest_.names.add(name.empty() ? text : name));
  }
  return names;
}

// Ranges without times cannot be told from each other, and are none.
std::optional<std::uint32_t> ManifestReader::range(const Json& from) {
  if (!from.is_object()) return std::nullopt;
  const auto start = whole_of(from, "start_ns"), end = whole_of(from, "end_ns");
  if (!start || !end) return std::nullopt;
  std::string text = text_of(from, "text"), domain = text_of(from, "domain");
  const auto [at, is_new] = ranges_.try_emplace({text, *start, *end}, static_cast<std::uint32_t>(manifest_.ranges.size()));
  if (is_new) {
    const std::int64_t depth = std::clamp<std::int64_t>(whole_of(from, "depth").value_or(0), 0, 1 << 20);
    manifest_.ranges.push_back(
        {std::move(text), domain.empty() ? "default" : std::move(domain), static_cast<std::uint32_t>(depth), *start, *end});
  }
  return at->second;
}

void ManifestReader::read_attribution(const Json& from, ManifestKernel& to) {
  if (std::string method = text_of(from, "method"); !method.empty()) to.method = std::move(method);
  if (std::string confidence = text_of(from, "confidence"); !confidence.empty()) to.confidence = std::move(confidence);
  to.operators = names_in(from, "source_operators");
  // Other programs take the ranges of layers for operators.
  std::erase_if(to.operators, [&](std::uint32_t name) { return manifest_.names[name].starts_with("layer::"); });
  to.fused = names_in(from, "fused_ops");
  to.is_fused = truth_of(from, "is_fused");
  if (const auto at = from.find("nvtx_range"); at != from.end()) to.range = range(*at).value_or(ManifestKernel::none);
  const auto enclosing = from.find("all_enclosing_ranges");
  if (enclosing == from.end() || !enclosing->is_array()) return;
  for (const Json& one : *enclosing) {
    if (const auto known = range(one)) to.enclosing.push_back(*known);
  }
}

Result<> ManifestReader::read_times(const Json& from, ManifestKernel& to, const std::string& member) const {
  const auto start = whole_of(from, "start_ns"), duration = whole_of(from, "duration_ns");
  if (!start) return malformed("a number of nanoseconds", member + ".start_ns");
  if (!duration || *duration < 0) return malformed("a number of nanoseconds", member + ".duration_ns");
  to.start_ns = *start;
  to.duration_ns = *duration;
  return {};
}

Result<> ManifestReader::read_kernel(const Json& from, const std::string& member) {
  if (!from.is_object() || text_of(from, "kernel_name").empty()) return malformed("a name", member + ".kernel_name");
  ManifestKernel to;
  TRY(read_times(from, to, member));
  to.id = text_of(from, "kernel_id");
  if (to.id.empty()) to.id = fmt::format("k_{:05}", manifest_.kernels.size());
  to.name = manifest_.names.add(text_of(from, "kernel_name"));
  if (const std::string mangled = text_of(from, "mangled_name"); !mangled.empty()) to.mangled = manifest_.names.add(mangled);
  to.stream = whole_of(from, "stream_id").value_or(-1);
  to.device = whole_of(from, "device_id").value_or(-1);
  to.grid = shape_of(from, "grid_dim");
  to.block = shape_of(from, "block_dim");
  const auto count = [&](const char* key) -> std::optional<std::uint32_t> {
    const auto number = whole_of(from, key);
    return number && *number >= 0 && *number <= 0xFFFFFFFF ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
  };
  to.registers = count("registers_per_thread");
  to.dynamic_shared = count("dynamic_smem_bytes");
  to.iteration = count("iteration");
  to.is_before_window = truth_of(from, "before_window");
  to.is_unique_layer = truth_of(from, "is_unique_partition");
  if (const std::string module = text_of(from, "module"); !module.empty()) to.module = manifest_.names.add(module);
  if (const std::string forward = text_of(from, "forward_operator"); !forward.empty()) to.forward = manifest_.names.add(forward);
  if (const std::string layer = text_of(from, "layer_partition"); !layer.empty()) to.layer = manifest_.names.add(layer);
  const auto attribution = from.find("attribution");
  if (attribution == from.end() || !attribution->is_object()) return malformed("an object", member + ".attribution");
  read_attribution(*attribution, to);
  manifest_.has_window = manifest_.has_window || to.iteration.has_value();
  manifest_.kernels.push_back(std::move(to));
  return {};
}

Result<OperatorManifest> ManifestReader::read(const Json& manifest) {
  if (!manifest.is_object() || !manifest.contains("kernels")) return malformed("a manifest of operators", "the file");
  const std::string schema = text_of(manifest, "schema_version");
  if (!schema.starts_with("1.")) return malformed(fmt::format("1.0 or a later 1.x, found '{}',", printable(schema)), "schema_version");
  if (const auto capture = manifest.find("capture_metadata"); capture != manifest.end() && capture->is_object())
    read_capture(*capture, manifest_.capture);
  const Json& kernels = manifest["kernels"];
  if (!kernels.is_array()) return malformed("a list", "kernels");
  for (std::size_t i = 0; i < kernels.size(); ++i) TRY(read_kernel(kernels[i], fmt::format("kernels[{}]", i)));
  std::int64_t all = 0;
  for (const ManifestKernel& kernel : manifest_.kernels) {
    if (kernel.duration_ns > largest_time - all) return malformed("times that can be added up", "kernels");
    all += kernel.duration_ns;
  }
  if (const auto warnings = manifest.find("warnings"); warnings != manifest.end() && warnings->is_array()) {
    for (const Json& one : *warnings) {
      if (one.is_string()) manifest_.warnings.push_back(one.get<std::string>());
    }
  }
  std::ranges::stable_sort(manifest_.kernels, {}, &ManifestKernel::start_ns);
  return std::move(manifest_);
}

}  // namespace

Result<OperatorManifest> read_operator_manifest(std::string_view name, std::string_view json) {
  const Json manifest = Json::parse(json, nullptr, false);
  if (manifest.is_discarded()) return fail(ErrorKind::malformed, "expected a manifest of operators in JSON").at(std::string(name));
  return ManifestReader(name).read(manifest);
}

Result<> read_capture_facts(std::string_view name, std::string_view json, CaptureFacts& facts) {
  const Json file = Json::parse(json, nullptr, false);
  if (!file.is_object() || !file.contains("capture_metadata") || !file["capture_metadata"].is_object())
    return fail(ErrorKind::malformed, "expected an object as capture_metadata").at(std::string(name));
  read_capture(file["capture_metadata"], facts);
  return {};
}

}  // namespace frx::report
