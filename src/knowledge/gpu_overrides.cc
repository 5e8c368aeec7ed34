#include "knowledge/gpu_overrides.h"

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "knowledge/gpu_fields.h"

namespace frx::knowledge {
namespace {

constexpr std::string_view thresholds_key = "classifier_thresholds";
constexpr std::string_view profiles_key = "profiles";

struct Spelling {
  std::string_view written;
  std::string_view field;  // of the catalogue
};
// A profile (docs/contract.md, section 6.3) has one FP16 peak, and it is the tensor rate.
constexpr Spelling peak_names[] = {
    {"peak_fp64_tflops", "fp64"},        {"peak_fp32_tflops", "fp32"},        {"peak_tf32_tflops", "tf32_tensor"},
    {"peak_fp16_tflops", "fp16_tensor"}, {"peak_bf16_tflops", "bf16_tensor"}, {"peak_fp8_tflops", "fp8_tensor"},
    {"peak_int8_tflops", "int8_tensor"}, {"peak_fp4_tflops", "fp4_tensor"},
};
constexpr Spelling other_names[] = {
    {"peak_bandwidth_gbps", "memory_bandwidth_gbps"},
    {"peak_memory_bw_gbps", "memory_bandwidth_gbps"},
    {"peak_memory_bandwidth_gbps", "memory_bandwidth_gbps"},
    {"max_threads_per_sm", "threads_per_sm"},
    {"max_blocks_per_sm", "blocks_per_sm"},
    {"max_warps_per_sm", "warps_per_sm"},
    {"max_registers_per_sm", "registers_per_sm"},
    {"max_shared_memory_per_sm", "shared_per_sm"},
    {"max_threads_per_block", "threads_per_block"},
};
constexpr std::string_view classifier_names[] = {"static_smem_limit", "register_variable_threshold", "tensor_min_dim", "low_occupancy_pct"};
constexpr Spelling feature_names[] = {{"supports_bf16", "bf16"}, {"supports_fp8", "fp8"}};
constexpr std::string_view text_names[] = {"name", "display", "display_name", "family", "notes", "source", "description"};

template <typename Range>
const Spelling* spelled(const Range& names, std::string_view written) {
  const auto found = std::find_if(std::begin(names), std::end(names), [&](const Spelling& name) { return name.written == written; });
  return found == std::end(names) ? nullptr : &*found;
}
template <typename Range>
bool is_one_of(const Range& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Lower case, without blanks and dashes: how keys are compared.
std::string folded(std::string_view key) {
  std::string text = to_lower(trim(key));
  std::erase_if(text, [](char c) { return c == ' ' || c == '-'; });
  return text;
}

Failure wanted(const Value& value, std::string_view what, std::string_view field) {
  const std::string found = value.is_map()    ? "a map"
                            : value.is_list() ? "a list"
                            : value           ? fmt::format("'{}'", printable(value.text()))
                                              : "nothing";
  return fail(ErrorKind::malformed, "expected {} as '{}', found {}", what, printable(field), found).at(value.where());
}

Result<double> number(const Value& value, std::string_view field) {
  const std::optional<double> result = value.number();
  if (!result || !std::isfinite(*result) || *result < 0) return wanted(value, "a number", field);
  return *result;
}

std::string suggestion(std::string_view field) {
  std::vector<std::string_view> known;
  for (const Spelling& name : peak_names) known.push_back(name.written);
  for (const Spelling& name : other_names) known.push_back(name.written);
  for (const ProductField& name : product_fields) known.push_back(name.name);
  for (const LimitField& name : limit_fields) known.push_back(name.name);
  known.insert(known.end(), std::begin(classifier_names), std::end(classifier_names));
  return std::string(nearest(field, known));
}

// Overrides one field of the profile.
class OverrideLayer {
  static constexpr std::size_t most_told = 20;  // fields that are not known

 public:
  explicit OverrideLayer(GpuProfile& profile) : profile_(profile) {}

  Result<> put(std::string_view written, const Value& value) {
    const Spelling* other = spelled(other_names, written);
    const std::string_view field = other ? other->field : written;
    if (const Spelling* peak = spelled(peak_names, written)) {
      TRY_ASSIGN(const double tflops, number(value, written));
      if (tflops == 0) return wanted(value, "a number above 0", written);
      profile_.product.peaks_tflops.set(peak->field, tflops);
      return done(peak->field, written, value);
    }
    for (const ProductField& known : product_fields) {
      if (known.name != field) continue;
      TRY_ASSIGN(const double result, number(value, written));
      if (result == 0) return wanted(value, "a number above 0", written);
      profile_.product.*known.field = result;
      return done(known.name, written, value);
    }
    for (const LimitField& known : limit_fields) {
      if (known.name == field) return limit(known, written, value);
    }
    if (const Spelling* feature = spelled(feature_names, written)) return has_feature(*feature, value);
    if (is_one_of(classifier_names, written)) return classifier(written, value);
    if (is_one_of(text_names, written)) return {};
    if (++unknown_ > most_told) {
      if (unknown_ == most_told + 1) profile_.notes.push_back(fmt::format("{}: more fields that are not known follow", value.where()));
      return {};
    }
    const std::string near = suggestion(written);
    profile_.notes.push_back(fmt::format("{}: no field '{}' is known, it has no effect{}", value.where(), printable(written),
                                         near.empty() ? "" : fmt::format("; did you mean {}?", near)));
    return {};
  }

  Result<> thresholds(const Value& map) {
    if (!map.is_map()) return wanted(map, "a map of numbers", thresholds_key);
    for (std::size_t i = 0; i < map.size(); ++i) {
      TRY_ASSIGN(const double value, number(map.value(i), map.key(i)));
      profile_.classifier_thresholds.insert_or_assign(std::string(map.key(i)), value);
    }
    return {};
  }

 private:
  Result<> limit(const LimitField& known, std::string_view written, const Value& value) {
    TRY_ASSIGN(const double result, number(value, written));
    if (!is_limit(known, result)) return wanted(value, "a whole number above 0", written);
    if (!profile_.limits) {
      profile_.notes.push_back(
          fmt::format("{}: '{}' has no effect, the compute capability of the GPU is not known", value.where(), written));
      return {};
    }
    SmLimits& limits = *profile_.limits;
    limits.*known.field = static_cast<std::uint32_t>(result);
    // Threads and warps are one limit in two units.
    if (known.field == &SmLimits::threads_per_sm) limits.warps_per_sm = std::max(1u, limits.threads_per_sm / limits.warp_size);
    if (known.field == &SmLimits::warps_per_sm) limits.threads_per_sm = limits.warps_per_sm * limits.warp_size;
    return done(known.name, written, value);
  }
  Result<> has_feature(const Spelling& feature, const Value& value) {
    const std::optional<bool> wanted_feature = value.boolean();
    if (!wanted_feature) return wanted(value, "true or false", feature.written);
    if (!profile_.limits) return {};
    std::erase(profile_.limits->features, feature.field);
    if (*wanted_feature) profile_.limits->features.push_back(feature.field);
    return done(feature.field, feature.written, value);
  }
  Result<> classifier(std::string_view written, const Value& value) {
    TRY_ASSIGN(const double result, number(value, written));
    const auto name = std::find(std::begin(classifier_names), std::end(classifier_names), written);
    if (profile_.limits) profile_.limits->classifier.set(*name, result);
    return done(*name, written, value);
  }
  // `field` outlives the profile, `written` is owned by the file.
  Result<> done(std::string_view field, std::string_view written, const Value& value) {
    std::erase_if(profile_.product.notes, [&](const auto& note) { return note.first == field; });
    profile_.product.notes.emplace_back(field, fmt::format("overridden in {}", value.where()));
    profile_.overridden.push_back(fmt::format("{} = {} ({})", written, printable(value.text()), value.where()));
    return {};
  }

  GpuProfile& profile_;
  std::size_t unknown_ = 0;  // fields so far
};

Result<> lay(const Value& section, OverrideLayer& layer) {
  for (std::size_t i = 0; i < section.size(); ++i) {
    if (section.key(i) == thresholds_key) {
      TRY(layer.thresholds(section.value(i)));
    } else {
      TRY(layer.put(section.key(i), section.value(i)));
    }
  }
  return {};
}

// Of all sections, whichever GPU they are for.
Result<> expect_known_thresholds(const Value& section, const Thresholds& known) {
  for (std::size_t i = 0; i < section.size(); ++i) {
    const Value value = section.value(i);
    if (section.key(i) != thresholds_key) {
      TRY(expect_known_thresholds(value, known));
      continue;
    }
    for (std::size_t k = 0; k < value.size(); ++k) TRY(known.expect(value.key(k), value.value(k).where()));
  }
  return {};
}

}  // namespace

Result<GpuOverrides> GpuOverrides::load(const std::string& path, const Thresholds& known) {
  TRY_ASSIGN(const std::string text, read_file(path, std::uint64_t{1} << 20));
  TRY_ASSIGN(GpuOverrides overrides, parse(path, text));
  TRY(expect_known_thresholds(Value(*overrides.view_), known));
  return overrides;
}

Result<GpuOverrides> GpuOverrides::parse(std::string file, const std::string& text) {
  GpuOverrides overrides;
  TRY_ASSIGN(Document document, parse_yaml(std::move(file), text));
  overrides.document_ = std::make_shared<const Document>(std::move(document));
  overrides.view_ = std::make_shared<const DocumentView>(overrides.document_->view());
  const Value root(*overrides.view_);
  if (!root.is_map()) {
    return fail(ErrorKind::malformed, "expected a map of fields and profiles")
        .at(root.where().empty() ? overrides.document_->file : root.where());
  }
  TRY(overrides.check(root));
  return overrides;
}

// Every section is read once, whichever GPU it is for, so that an error is reported at once.
Result<> GpuOverrides::check(const Value& root) const {
  GpuProfile scratch;
  scratch.limits.emplace();
  scratch.limits->warp_size = 32;
  OverrideLayer layer(scratch);
  const auto check_section = [&](const Value& section, std::string_view key) -> Result<> {
    if (!section.is_map()) return wanted(section, "a map of fields", key);
    return lay(section, layer);
  };
  for (std::size_t i = 0; i < root.size(); ++i) {
    const Value value = root.value(i);
    if (root.key(i) == thresholds_key) {
      TRY(layer.thresholds(value));
    } else if (root.key(i) == profiles_key) {
      if (!value.is_map()) return wanted(value, "a map of profiles", profiles_key);
      for (std::size_t k = 0; k < value.size(); ++k) TRY(check_section(value.value(k), value.key(k)));
    } else if (value.is_map()) {
      TRY(check_section(value, root.key(i)));
    } else {
      TRY(layer.put(root.key(i), value));
    }
  }
  return {};
}

Result<GpuProfile> GpuOverrides::apply(const GpuMatch& match, std::string_view model) const {
  GpuProfile profile;
  if (match.product) profile.product = *match.product;
  if (match.limits) {
    profile.limits = *match.limits;
    if (!match.product) profile.product.cc = match.limits->cc;
  }
  const std::string typed = folded(model);
  const std::string sm = match.limits ? folded(match.limits->family_key) : std::string();
  const auto is_model = [&](const std::string& key) {
    if (!typed.empty() && key == typed) return true;
    return match.product && (key == folded(match.product->key) || key == folded(match.product->id) || key == folded(match.product->name));
  };
  const Value root(*view_);
  OverrideLayer layer(profile);
  // The model first, then the compute capability, which wins; the top level last.
  for (const bool by_sm : {false, true}) {
    const auto lay_matching = [&](const Value& sections) -> Result<> {
      for (std::size_t i = 0; i < sections.size(); ++i) {
        if (!sections.value(i).is_map() || sections.key(i) == profiles_key || sections.key(i) == thresholds_key) continue;
        const std::string key = folded(sections.key(i));
        const bool names_sm = !sm.empty() && key == sm;
        if (by_sm ? names_sm : is_model(key) && !names_sm) TRY(lay(sections.value(i), layer));
      }
      return {};
    };
    TRY(lay_matching(root[profiles_key]));
    TRY(lay_matching(root));
  }
  for (std::size_t i = 0; i < root.size(); ++i) {
    if (root.key(i) == thresholds_key) {
      TRY(layer.thresholds(root.value(i)));
    } else if (!root.value(i).is_map()) {
      TRY(layer.put(root.key(i), root.value(i)));
    }
  }
  return profile;
}

}  // namespace frx::knowledge
