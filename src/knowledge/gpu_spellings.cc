#include "knowledge/gpu_spellings.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace frx::knowledge {
namespace {

// Drivers report a few per cent less memory than the nominal size.
constexpr double memory_tolerance = 0.06;
constexpr double gib_in_gb = 1.073741824;
constexpr std::size_t most_suggestions = 3;

double memory_distance(double reported, double nominal) {
  return std::min(std::abs(reported - nominal), std::abs(reported / gib_in_gb - nominal)) / nominal;
}

bool is_form_of(const std::string& own, const std::string& wanted) { return own == wanted || (wanted == "sxm" && own.starts_with("sxm")); }

}  // namespace

bool is_memory_of(double reported_gb, double nominal_gb) { return memory_distance(reported_gb, nominal_gb) <= memory_tolerance; }

GpuProducts with_memory(const GpuProducts& products, double memory_gb) {
  double best = memory_tolerance;
  for (const GpuProduct* product : products) {
    if (product->memory_gb) best = std::min(best, memory_distance(memory_gb, *product->memory_gb));
  }
  GpuProducts fitting;
  for (const GpuProduct* product : products) {
    if (!product->memory_gb || memory_distance(memory_gb, *product->memory_gb) <= best + 1e-9) fitting.push_back(product);
  }
  return fitting;
}

GpuSpellings::GpuSpellings(const GpuCatalogue& catalogue) {
  entries_.reserve(catalogue.products().size());
  for (const GpuProduct& product : catalogue.products()) {
    Entry entry{&product, key_spelling(product.key), {read_gpu_name(product.name)}};
    for (const std::string_view alias : product.aliases) entry.names.push_back(read_gpu_name(alias));
    entries_.push_back(std::move(entry));
  }
}

template <typename Predicate>
GpuProducts GpuSpellings::where(Predicate&& predicate) const {
  GpuProducts found;
  for (const Entry& entry : entries_) {
    if (predicate(entry)) found.push_back(entry.product);
  }
  return found;
}

const GpuSpellings::Entry& GpuSpellings::entry_of(const GpuProduct* product) const {
  return *std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.product == product; });
}

GpuProducts GpuSpellings::printed_by_driver_as(const GpuName& name) const {
  return where([&](const Entry& entry) { return entry.names[0].compact == name.compact; });
}

GpuProducts GpuSpellings::with_alias_or_key(const GpuName& name) const {
  return where([&](const Entry& entry) {
    return entry.key == name.compact ||
           std::any_of(entry.names.begin() + 1, entry.names.end(), [&](const GpuName& alias) { return alias.compact == name.compact; });
  });
}

bool GpuSpellings::is_key_of_any(const GpuName& name, const GpuProducts& products) const {
  return std::any_of(products.begin(), products.end(), [&](const GpuProduct* product) { return entry_of(product).key == name.compact; });
}

GpuProducts GpuSpellings::with_same_model(const std::vector<std::string>& model, const std::vector<std::string>& variants) const {
  return where([&](const Entry& entry) {
    return std::any_of(entry.names.begin(), entry.names.end(),
                       [&](const GpuName& name) { return name.model == model && name.variants == variants; });
  });
}

bool GpuSpellings::knows_model_word(const std::string& word) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return std::any_of(entry.names.begin(), entry.names.end(),
                       [&](const GpuName& name) { return std::find(name.model.begin(), name.model.end(), word) != name.model.end(); });
  });
}

GpuProducts GpuSpellings::narrowed(GpuProducts products, const GpuName& name) const {
  for (const std::string& form : name.forms) {
    std::erase_if(products, [&](const GpuProduct* product) {
      if (is_form_of(to_lower(product->form), form)) return false;
      const std::vector<GpuName>& names = entry_of(product).names;
      return std::none_of(names.begin(), names.end(), [&](const GpuName& other) {
        return std::any_of(other.forms.begin(), other.forms.end(), [&](const std::string& own) { return is_form_of(own, form); });
      });
    });
  }
  if (!name.memory_type.empty()) {
    std::erase_if(products, [&](const GpuProduct* product) { return to_lower(product->memory_type) != name.memory_type; });
  }
  return name.memory_gb ? with_memory(products, *name.memory_gb) : products;
}

GpuProducts GpuSpellings::with_key(std::string_view key) const {
  return where([&](const Entry& entry) { return entry.product->key == key; });
}

const GpuProduct* GpuSpellings::reference_of(std::string_view key) const {
  const GpuProduct* first = nullptr;
  for (const Entry& entry : entries_) {
    if (entry.product->key != key) continue;
    if (first == nullptr) first = entry.product;
    const bool named =
        std::any_of(entry.names.begin() + 1, entry.names.end(), [&](const GpuName& alias) { return alias.compact == entry.key; });
    if (named) return entry.product;
  }
  return first;
}

std::string GpuSpellings::did_you_mean(const GpuName& name) const {
  std::vector<std::string> offered;
  const auto offer = [&](const Entry& entry) {
    const std::string spelling(entry.product->name);
    if (offered.size() < most_suggestions && std::find(offered.begin(), offered.end(), spelling) == offered.end())
      offered.push_back(spelling);
  };
  std::vector<std::string_view> spellings;
  for (const Entry& entry : entries_) {
    spellings.push_back(entry.names[0].compact);
    spellings.push_back(entry.key);
  }
  const std::string_view near = nearest(name.compact, spellings);
  for (const Entry& entry : entries_) {
    if (!near.empty() && (entry.names[0].compact == near || entry.key == near)) offer(entry);
  }
  // The model without its variant, or the other way round: "RTX 5090 D" -> "RTX 5090".
  const std::string model = name.model.empty() ? std::string() : name.model[0];
  for (const Entry& entry : entries_) {
    const std::string& own = entry.names[0].model.empty() ? entry.key : entry.names[0].model[0];
    const bool longer = model.size() >= 2 && own.starts_with(model);
    const bool shorter = own.size() >= 3 && model.starts_with(own);
    if (longer || shorter) offer(entry);
  }
  return join(offered, ", ");
}

}  // namespace frx::knowledge
