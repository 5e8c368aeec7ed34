#include "knowledge/gpus.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "knowledge/gpu_fields.h"

namespace frx::knowledge {
namespace {

// The vendor rounds, and quotes some rates at a clock a few MHz away from the one it prints.
constexpr double peak_tolerance = 0.025;

Failure expected(const Value& entry, std::string_view what, const Value& found) {
  return fail(ErrorKind::malformed, "expected {}, found '{}'", what, found.text()).at(found ? found.where() : entry.where());
}

Result<NamedNumbers> read_numbers(const Value& entry, std::string_view key) {
  NamedNumbers numbers;
  const Value map = entry[key];
  if (map && !map.is_map()) return expected(entry, fmt::format("a map of numbers as '{}'", key), map);
  for (std::size_t i = 0; i < map.size(); ++i) {
    const std::optional<double> value = map.value(i).number();
    if (!value || !(*value >= 0)) return expected(entry, fmt::format("a number as '{}.{}'", key, map.key(i)), map.value(i));
    numbers.add(map.key(i), *value);
  }
  return numbers;
}

Result<model::ComputeCapability> read_cc(const Value& entry) {
  const auto cc = parse_compute_capability(entry["cc"].text());
  if (!cc) return expected(entry, "a compute capability such as \"8.6\" as 'cc'", entry["cc"]);
  return *cc;
}

Result<SmLimits> read_limits(const Value& entry) {
  const Value root(*entry.document());
  SmLimits limits;
  TRY_ASSIGN(limits.cc, read_cc(entry));
  limits.family_key = entry["family_key"].text();
  limits.architecture = root["architecture"].text();
  limits.display = root["display"].text();
  for (const LimitField& field : limit_fields) {
    const Value found = entry[field.name];
    const std::optional<double> value = found.number();
    if (!value || !is_limit(field, *value)) {
      return expected(entry, fmt::format("a whole number as '{}'", field.name), found);
    }
    limits.*field.field = static_cast<std::uint32_t>(*value);
  }
  for (const std::string_view text : entry["shared_carve_outs_kib"].texts()) {
    std::uint32_t kib = 0;
    std::from_chars(text.data(), text.data() + text.size(), kib);
    limits.shared_carve_outs_kib.push_back(kib);
  }
  limits.features = entry["features"].texts();
  TRY_ASSIGN(limits.fma_per_sm_clock, read_numbers(entry, "fma_per_sm_clock"));
  TRY_ASSIGN(limits.classifier, read_numbers(entry, "classifier"));
  limits.limits_source = entry["limits_source"].text();
  limits.rates_source = entry["rates_source"].text();
  limits.where = entry.where();
  return limits;
}

Result<GpuProduct> read_product(const Value& entry, const Value& root) {
  GpuProduct product;
  product.id = entry["id"].text();
  product.key = entry["key"].text();
  product.name = entry["name"].text();
  if (product.id.empty()) return expected(entry, "an 'id'", entry["id"]);
  if (product.key.empty()) return expected(entry, fmt::format("a 'key' of '{}'", product.id), entry["key"]);
  if (product.name.empty()) return expected(entry, fmt::format("a 'name' of '{}'", product.id), entry["name"]);
  TRY_ASSIGN(product.cc, read_cc(entry));
  product.architecture = root["architecture"].text();
  product.aliases = entry["aliases"].texts();
  product.memory_type = entry["memory_type"].text();
  product.form = entry["form"].text();
  product.datacenter = entry["datacenter"].boolean().value_or(false);
  product.no_tensor_cores = entry["no_tensor_cores"].boolean().value_or(false);
  for (const ProductField& field : product_fields) {
    const Value found = entry[field.name];
    if (!found) continue;
    const std::optional<double> value = found.number();
    if (!value || !(*value > 0)) {
      return expected(entry, fmt::format("a number above 0 as '{}' of '{}'", field.name, product.id), found);
    }
    product.*field.field = value;
  }
  TRY_ASSIGN(product.peaks_tflops, read_numbers(entry, "peaks_tflops"));
  TRY_ASSIGN(product.fma_override, read_numbers(entry, "fma_override"));
  product.unchecked = entry["unchecked"].texts();
  product.source = entry["source"].text();
  const Value notes = entry["notes"];
  for (std::size_t i = 0; i < notes.size(); ++i) product.notes.emplace_back(notes.key(i), notes.value(i).text());
  product.where = entry.where();
  return product;
}

}  // namespace

std::optional<double> NamedNumbers::operator[](std::string_view name) const {
  for (const auto& [key, value] : items_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

void NamedNumbers::set(std::string_view name, double value) {
  for (auto& item : items_) {
    if (item.first == name) {
      item.second = value;
      return;
    }
  }
  add(name, value);
}

bool SmLimits::has(std::string_view feature) const { return std::find(features.begin(), features.end(), feature) != features.end(); }

std::string GpuProduct::provenance(std::string_view field) const {
  std::string text;
  for (const auto& [name_of_note, note] : notes) {
    if (name_of_note == field) text = note + "; ";
  }
  text += source;
  return where.empty() ? text : fmt::format("{} ({})", text, where);
}

Result<GpuCatalogue> GpuCatalogue::load(const Library& library) {
  GpuCatalogue catalogue;
  catalogue.files_ = library.folder("gpus");
  for (const Value& root : catalogue.files_) TRY(catalogue.find_limits(root));
  std::ranges::stable_sort(catalogue.entries_, {}, &Entry::cc);
  catalogue.limits_ = MadeOnce<SmLimits>(catalogue.entries_.size());
  for (std::size_t i = 0; !library.is_embedded() && i < catalogue.entries_.size(); ++i) {
    TRY(catalogue.limits_.try_at(i, [&] { return read_limits(catalogue.entries_[i].value); }));
  }
  return catalogue;
}

Result<> GpuCatalogue::find_limits(const Value& root) {
  TRY_ASSIGN(const Value capabilities, root.list("compute_capabilities"));
  for (std::size_t i = 0; i < capabilities.size(); ++i) {
    TRY_ASSIGN(const model::ComputeCapability cc, read_cc(capabilities.item(i)));
    entries_.push_back({cc, capabilities.item(i)});
  }
  return {};
}

const SmLimits& GpuCatalogue::limits_at(std::size_t i) const {
  return limits_.at(i, [&] { return read_limits(entries_[i].value).value(); });
}

Result<> GpuCatalogue::add_products(const Value& root, Products& products) {
  TRY_ASSIGN(const Value entries, root.list("products"));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    TRY_ASSIGN(GpuProduct product, read_product(entries.item(i), root));
    products.list.push_back(std::move(product));
    products.sources.push_back(entries.item(i));
  }
  return {};
}

const GpuCatalogue::Products& GpuCatalogue::read_products() const {
  std::call_once(products_->once, [this] {
    for (const Value& root : files_) {
      if (products_->outcome) products_->outcome = add_products(root, *products_);
    }
  });
  return *products_;
}

Result<> GpuCatalogue::check() const {
  const Products& products = read_products();
  if (!products.outcome) return products.outcome;
  std::unordered_set<std::string_view> ids;
  for (const GpuProduct& product : products.list) {
    if (!ids.insert(product.id).second) {
      return fail(ErrorKind::malformed, "expected unique ids, found '{}' twice", product.id).at(product.where);
    }
  }
  for (const SmLimits& entry : all_limits()) {
    if (limits(entry.cc) != &entry) {
      return fail(ErrorKind::malformed, "expected one entry per compute capability, found {} twice", to_string(entry.cc)).at(entry.where);
    }
    if (entry.warps_per_sm * entry.warp_size != entry.threads_per_sm) {
      return fail(ErrorKind::malformed, "expected threads_per_sm = warps_per_sm x warp_size, found {} and {} x {}", entry.threads_per_sm,
                  entry.warps_per_sm, entry.warp_size)
          .at(entry.where);
    }
  }
  for (std::size_t i = 0; i < products.list.size(); ++i) TRY(check_peaks(products.list[i], products.sources[i]));
  return {};
}

Result<> GpuCatalogue::check_peaks(const GpuProduct& product, const Value& source) const {
  const SmLimits* of_sm = limits(product.cc);
  if (of_sm == nullptr) {
    return fail(ErrorKind::malformed, "'{}' has compute capability {}, which no file describes", product.id, to_string(product.cc))
        .at(product.where);
  }
  for (const auto& [precision, peak] : product.peaks_tflops) {
    const bool skip = std::find(product.unchecked.begin(), product.unchecked.end(), precision) != product.unchecked.end();
    if (skip) continue;
    const std::string where = source["peaks_tflops"][precision].where();
    const std::optional<double> derived = derived_peak_tflops(product, *of_sm, precision);
    if (!derived) {
      return fail(ErrorKind::malformed, "no rate, SM count or clock to check the {} peak of '{}' against", precision, product.id)
          .at(where)
          .hint("add it, or list the precision under 'unchecked' with a note");
    }
    if (std::abs(*derived - peak) > peak_tolerance * peak) {
      return fail(ErrorKind::malformed, "the {} peak of '{}' is {} TFLOP/s, but SMs x rate x 2 x clock gives {:.4g}", precision, product.id,
                  peak, *derived)
          .at(where)
          .hint("sparse rates are twice the dense ones; tensor rates may belong to another clock");
    }
  }
  return {};
}

const SmLimits* GpuCatalogue::limits(model::ComputeCapability cc) const {
  const auto found = std::ranges::find(entries_, cc, &Entry::cc);
  return found == entries_.end() ? nullptr : &limits_at(static_cast<std::size_t>(found - entries_.begin()));
}

const GpuProduct* GpuCatalogue::with_id(std::string_view id) const {
  const std::span<const GpuProduct> all = products();
  const auto found = std::find_if(all.begin(), all.end(), [&](const GpuProduct& product) { return product.id == id; });
  return found == all.end() ? nullptr : &*found;
}

std::optional<model::ComputeCapability> parse_compute_capability(std::string_view text) {
  model::ComputeCapability cc;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, cc.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, cc.minor);
  if (minor.ec != std::errc() || minor.ptr != end || cc.major < 1 || cc.minor < 0) return std::nullopt;
  return cc;
}

std::string to_string(model::ComputeCapability cc) { return fmt::format("{}.{}", cc.major, cc.minor); }

std::optional<double> derived_peak_tflops(const GpuProduct& product, const SmLimits& limits, std::string_view precision,
                                          std::optional<double> clock_mhz) {
  std::optional<double> rate = product.fma_override[precision];
  if (!rate) rate = limits.fma_per_sm_clock[precision];
  const bool tensor = precision.find("_tensor") != precision.npos;
  if (!clock_mhz) clock_mhz = tensor && product.tensor_clock_mhz ? product.tensor_clock_mhz : product.boost_clock_mhz;
  if (!rate || !clock_mhz || !product.sm_count) return std::nullopt;
  return *product.sm_count * *rate * 2 * *clock_mhz * 1e-6;
}

std::optional<double> sparse_peak_tflops(const GpuProduct& product, std::string_view precision) {
  const bool tensor = precision.find("_tensor") != precision.npos && precision != "fp64_tensor";
  if (!tensor || product.no_tensor_cores || product.cc < model::ComputeCapability{8, 0}) return std::nullopt;
  // The data sheet of HGX B300 has 18 PFLOP/s of sparse FP4 for 13.5 dense.
  if (product.cc == model::ComputeCapability{10, 3} && precision == "fp4_tensor") return std::nullopt;
  const std::optional<double> dense = product.peak_tflops(precision);
  return dense ? std::optional(2 * *dense) : std::nullopt;
}

}  // namespace frx::knowledge
