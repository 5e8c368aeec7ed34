#include "report/operators/inferred_counters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text.h"
#include "base/units.h"
#include "derive/compare/align_sequences.h"
#include "derive/compare/kernel_spelling.h"
#include "derive/trace/modules.h"

namespace frx::report {
namespace {

using Kernels = std::vector<std::uint32_t>;

struct Spread {
  double count = 0, sum = 0, squares = 0;

  void add(std::int64_t ns) {
    const auto value = static_cast<double>(ns);
    ++count;
    sum += value;
    squares += value * value;
  }
  bool is_narrow() const {
    const double mean = sum / count, variance = std::max(0.0, squares / count - mean * mean);
    return std::sqrt(variance) <= most_spread * mean;
  }
};

class Inference {
 public:
  Inference(const OperatorManifest& manifest, const LayerPartition& layers, JoinedCounters& joined)
      : manifest_(manifest), layers_(layers), joined_(joined), key_(manifest.kernels.size()) {}

  void run() {
    number_keys();
    for (std::uint32_t i = 0; i < manifest_.kernels.size(); ++i) {
      const ManifestKernel& kernel = manifest_.kernels[i];
      if (kernel.layer != ManifestKernel::none && !kernel.is_before_window)
        of_layer_[{kernel.iteration.value_or(0), std::string(manifest_.names[kernel.layer])}].push_back(i);
    }
    pair_up();
    std::uint64_t uneven = 0;
    for (const auto& [duplicate, unique] : pairs_) uneven += !hand_on(duplicate, unique);
    if (uneven > 0)
      joined_.notes.push_back(
          fmt::format("{} of layers that do the same work without counters: their durations differ by more than {:.0f} %",
                      count_text(uneven, "kernel"), 100 * most_spread));
  }

 private:
  void number_keys() {
    derive::compare::KernelSpelling spelling;
    using LaunchSize = std::optional<std::array<std::uint32_t, 3>>;
    std::map<std::tuple<std::string, LaunchSize, LaunchSize>, std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < key_.size(); ++i) {
      const ManifestKernel& kernel = manifest_.kernels[i];
      if (kernel.layer == ManifestKernel::none) continue;
      const auto number = static_cast<std::uint32_t>(numbers.size());
      key_[i] = numbers.try_emplace({spelling(manifest_.name_of(kernel)), kernel.grid, kernel.block}, number).first->second;
    }
  }

  void pair_up() {
    for (const auto& [where, kernels] : of_layer_) {
      const auto layer = layers_.find(where.second);
      if (layer == layers_.end()) continue;
      const auto unique = of_layer_.find({where.first, layer->second});
      if (unique == of_layer_.end()) continue;
      for (const std::uint32_t kernel : unique->second) spread_[kernel];
      for (const auto& match : derive::compare::align_sequences(keys_of(kernels), keys_of(unique->second)))
        pairs_.emplace_back(kernels[match.first], unique->second[match.second]);
    }
    for (auto& [unique, spread] : spread_) spread.add(manifest_.kernels[unique].duration_ns);
    for (const auto& [duplicate, unique] : pairs_) spread_[unique].add(manifest_.kernels[duplicate].duration_ns);
  }

  std::vector<std::uint32_t> keys_of(const Kernels& kernels) const {
    std::vector<std::uint32_t> keys;
    for (const std::uint32_t kernel : kernels) keys.push_back(key_[kernel]);
    return keys;
  }

  // False: it would have been possible, were the durations alike.
  bool hand_on(std::uint32_t duplicate, std::uint32_t unique) {
    KernelCounters& to = joined_.kernels[duplicate];
    const KernelCounters& from = joined_.kernels[unique];
    if (to.is_known() || !from.is_known()) return true;
    if (!spread_[unique].is_narrow()) return false;
    to = from;
    to.is_inferred = true;
    return true;
  }

  const OperatorManifest& manifest_;
  const LayerPartition& layers_;
  JoinedCounters& joined_;
  std::vector<std::uint32_t> key_;                                     // by kernel of a layer
  std::map<std::pair<std::uint32_t, std::string>, Kernels> of_layer_;  // by iteration and layer
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;         // of a duplicate, and of the layer that stands for it
  std::map<std::uint32_t, Spread> spread_;                             // by kernel of a layer that stands for others
};

}  // namespace

std::set<std::string> mark_layers_by_modules(OperatorManifest& manifest, const LayerPartition& layers) {
  std::set<std::string> duplicates, uniques;
  for (const auto& [duplicate, unique] : layers) uniques.insert(unique);
  // By range: the layer that it is, if any.
  std::vector<std::uint32_t> layer_of(manifest.ranges.size(), ManifestKernel::none);
  for (std::size_t i = 0; i < manifest.ranges.size(); ++i) {
    if (!derive::trace::is_module_range(manifest.ranges[i].text)) continue;
    const std::string name(derive::trace::module_name(manifest.ranges[i].text));
    if (layers.contains(name) || uniques.contains(name)) layer_of[i] = manifest.names.add(name);
  }
  for (ManifestKernel& kernel : manifest.kernels) {
    if (kernel.layer != ManifestKernel::none) continue;
    const auto around =
        std::ranges::find_if(kernel.enclosing, [&](std::uint32_t range) { return layer_of[range] != ManifestKernel::none; });
    if (around == kernel.enclosing.end()) continue;
    kernel.layer = layer_of[*around];
    const std::string name(manifest.names[kernel.layer]);
    kernel.is_unique_layer = uniques.contains(name);
    if (layers.contains(name)) duplicates.insert(name);
  }
  return duplicates;
}

void infer_counters(const OperatorManifest& manifest, const LayerPartition& layers, JoinedCounters& joined) {
  Inference(manifest, layers, joined).run();
}

}  // namespace frx::report
