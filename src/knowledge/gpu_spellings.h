// The names of all products, read once, to find the products that a name or a part of it matches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knowledge/gpu_names.h"
#include "knowledge/gpus.h"

namespace frx::knowledge {

using GpuProducts = std::vector<const GpuProduct*>;

class GpuSpellings {
 public:
  explicit GpuSpellings(const GpuCatalogue& catalogue);

  // The name as a whole, after noise and separators are gone.
  GpuProducts printed_by_driver_as(const GpuName& name) const;
  GpuProducts with_alias_or_key(const GpuName& name) const;
  bool is_key_of_any(const GpuName& name, const GpuProducts& products) const;

  // Matches word by word.
  GpuProducts with_same_model(const std::vector<std::string>& model, const std::vector<std::string>& variants) const;
  bool knows_model_word(const std::string& word) const;
  // Those of `products` with the forms, memory type and memory size that `name` mentions.
  GpuProducts narrowed(GpuProducts products, const GpuName& name) const;

  GpuProducts with_key(std::string_view key) const;
  // The product that a key refers to: the one that has it as an alias, otherwise the first of the key.
  const GpuProduct* reference_of(std::string_view key) const;
  std::string key_spelling(std::string_view key) const { return read_gpu_name(key).compact; }

  // Up to three names, "" when none is near.
  std::string did_you_mean(const GpuName& name) const;

 private:
  struct Entry {
    const GpuProduct* product;
    std::string key;             // compact
    std::vector<GpuName> names;  // the driver's first, then the aliases
  };
  template <typename Predicate>
  GpuProducts where(Predicate&& predicate) const;
  const Entry& entry_of(const GpuProduct* product) const;

  std::vector<Entry> entries_;  // in the order of the catalogue
};

// Those nearest in memory, when near enough; a product without a size is never excluded.
GpuProducts with_memory(const GpuProducts& products, double memory_gb);
// Whether a reported size (in GB or in GiB) is a nominal one, within what drivers reserve.
bool is_memory_of(double reported_gb, double nominal_gb);

}  // namespace frx::knowledge
