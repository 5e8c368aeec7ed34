#include "knowledge/gpu_match.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "knowledge/gpu_spellings.h"

namespace frx::knowledge {
namespace {

using Products = GpuProducts;

constexpr std::size_t shown_candidates = 6;

// "sm_90a", "sm90", "compute_86", "9.0" -> a compute capability.
std::optional<model::ComputeCapability> as_compute_capability(std::string_view name) {
  const std::string lower = to_lower(trim(name));
  std::string_view text = lower;
  if (const auto cc = parse_compute_capability(text)) return cc;
  for (const std::string_view prefix : {"compute", "sm", "cc"}) {
    if (!text.starts_with(prefix)) continue;
    text.remove_prefix(prefix.size());
    while (!text.empty() && (text[0] == '_' || text[0] == '-' || text[0] == ' ')) text.remove_prefix(1);
    if (const auto cc = parse_compute_capability(text)) return cc;
    if (text.ends_with("a") || text.ends_with("f")) text.remove_suffix(1);
    int number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() || number < 10 || number > 999) return std::nullopt;
    return model::ComputeCapability{number / 10, number % 10};
  }
  return std::nullopt;
}

std::string label(const GpuProduct& product) {
  std::string text(product.name);
  if (product.sm_count) text += fmt::format(", {} SMs", *product.sm_count);
  if (product.memory_gb) text += fmt::format(", {} GB", *product.memory_gb);
  return text;
}

std::string labels(const Products& products) {
  std::string text;
  for (std::size_t i = 0; i < products.size() && i < shown_candidates; ++i) text += (i == 0 ? "" : "; ") + label(*products[i]);
  if (products.size() > shown_candidates) text += fmt::format("; and {} more", products.size() - shown_candidates);
  return text;
}

class Matcher {
 public:
  Matcher(const GpuCatalogue& catalogue, const GpuQuery& query) : catalogue_(catalogue), query_(query) {}

  GpuMatch match() {
    const std::string_view text = query_.name ? trim(*query_.name) : std::string_view();
    if (text.empty()) return by_numbers("");
    shown_ = shorten(printable(text), 60);
    name_ = read_gpu_name(text);
    result_.is_mig = name_.is_mig;
    result_.mig = name_.mig;
    if (name_.other_vendor) return none(fmt::format("'{}' is not an NVIDIA GPU; there are no limits or peaks for it", shown_), nullptr);
    if (query_.cc) result_.limits = catalogue_.limits(*query_.cc);
    if (const auto cc = as_compute_capability(text)) return by_capability(*cc);
    if (const auto match = by_architecture()) return *match;
    return by_name();
  }

 private:
  // Built on demand: most files name no GPU, and reading all the names takes longer than a small file.
  const GpuSpellings& spellings() const { return spellings_ ? *spellings_ : spellings_.emplace(catalogue_); }

  // ---- by name -----------------------------------------------------------------------------

  GpuMatch by_capability(model::ComputeCapability cc) {
    if (query_.cc && *query_.cc != cc) return conflicting(fmt::format("compute capability {}", to_string(cc)));
    const SmLimits* limits = catalogue_.limits(cc);
    if (limits == nullptr) {
      std::string known;
      for (const SmLimits& other : catalogue_.all_limits()) known += fmt::format("{}{}", known.empty() ? "" : ", ", other.family_key);
      return none(fmt::format("no GPU of compute capability {} is known; known are {}", to_string(cc), known), nullptr);
    }
    if (query_.sm_count) {
      GpuQuery device = query_;
      device.name.reset();
      device.cc = cc;
      return match_gpu(catalogue_, device);
    }
    result_.limits = limits;
    result_.certainty = Certainty::family;
    result_.explanation =
        fmt::format("'{}' names the {} family (compute capability {}), not a product: limits per SM are known, peaks are not", shown_,
                    limits->display, to_string(cc));
    return result_;
  }

  // "hopper" is one compute capability, "ampere" is three.
  std::optional<GpuMatch> by_architecture() {
    std::vector<const SmLimits*> found;
    for (const SmLimits& limits : catalogue_.all_limits()) {
      if (limits.architecture == name_.compact) found.push_back(&limits);
    }
    if (found.empty()) return std::nullopt;
    if (query_.cc) return by_numbers(fmt::format("'{}' names an architecture; ", shown_));
    if (found.size() == 1) return by_capability(found[0]->cc);
    std::string known;
    for (const SmLimits* limits : found) known += fmt::format("{}{}", known.empty() ? "" : ", ", limits->family_key);
    result_.certainty = Certainty::ambiguous;
    result_.explanation = fmt::format("'{}' is {} compute capabilities with different limits ({}); name one of them or a product", shown_,
                                      found.size(), known);
    return result_;
  }

  GpuMatch by_name() {
    Products found = spellings().printed_by_driver_as(name_);
    bool bare = found.size() > 1;  // the name alone is ambiguous
    if (found.empty()) {
      found = spellings().with_alias_or_key(name_);
      bare = spellings().is_key_of_any(name_, found);
      if (bare) found = joined(found, spellings().with_same_model(name_.model, name_.variants));
    }
    // A driver name shared by products that differ in memory only, read from another of them.
    if (found.size() == 1 && !result_.is_mig && contradicts(*found[0])) {
      const Products siblings = joined(found, spellings().with_key(found[0]->key));
      const bool one_agrees =
          std::any_of(siblings.begin(), siblings.end(), [&](const GpuProduct* product) { return !contradicts(*product); });
      if (one_agrees) found = siblings;
    }
    if (found.empty()) return by_tokens();
    return decide(found, bare);
  }

  // Matches the name's words one by one: model and variant must be those of a product, all others may narrow.
  GpuMatch by_tokens() {
    std::vector<std::string> known = name_.model;
    std::erase_if(known, [&](const std::string& word) { return !spellings().knows_model_word(word); });
    const Products family = known.empty() ? Products() : spellings().with_same_model(known, name_.variants);
    if (family.empty()) return unknown_name();
    const Products fitting = spellings().narrowed(family, name_);
    if (fitting.empty() || known.size() != name_.model.size()) {
      return family_only(family, fitting.empty() ? "no such version of it is known" : "part of the name is not known");
    }
    return decide(fitting, fitting.size() > 1);
  }

  static Products joined(Products first, const Products& more) {
    for (const GpuProduct* product : more) {
      if (std::find(first.begin(), first.end(), product) == first.end()) first.push_back(product);
    }
    return first;
  }

  // ---- by device ---------------------------------------------------------------------------

  bool contradicts(const GpuProduct& product) const {
    if (query_.sm_count && product.sm_count && *product.sm_count != *query_.sm_count) return true;
    return query_.memory_gb && product.memory_gb && !is_memory_of(*query_.memory_gb, *product.memory_gb);
  }

  Products with_sm_count(const Products& products) const {
    if (!query_.sm_count) return products;
    Products fitting;
    for (const GpuProduct* product : products) {
      if (!product->sm_count || *product->sm_count == *query_.sm_count) fitting.push_back(product);
    }
    return fitting;
  }

  Products products_of(const model::ComputeCapability& cc) const {
    Products found;
    for (const GpuProduct& product : catalogue_.products()) {
      if (product.cc == cc && product.sm_count) found.push_back(&product);
    }
    return found;
  }

  Products narrowed_by_device(const Products& products) const {
    Products fitting = with_sm_count(products);
    if (!query_.memory_gb) return fitting;
    const Products by_memory = with_memory(fitting, *query_.memory_gb);
    return by_memory.empty() ? fitting : by_memory;  // memory alone excludes nothing: modules and modified boards exist
  }

  std::string device() const {
    std::string text;
    if (query_.cc) text += fmt::format("compute capability {}", to_string(*query_.cc));
    if (query_.sm_count) text += fmt::format("{}{} SMs", text.empty() ? "" : ", ", *query_.sm_count);
    if (query_.memory_gb) text += fmt::format("{}{:.1f} GB", text.empty() ? "" : ", ", *query_.memory_gb);
    return text.empty() ? "no attributes" : text;
  }

  // Uses only compute capability, SM count and memory; `before` describes the match of the name.
  GpuMatch by_numbers(const std::string& before) {
    if (!query_.cc) return none(before + "neither a known name nor a compute capability was given", nullptr);
    result_.limits = catalogue_.limits(*query_.cc);
    if (result_.limits == nullptr) return none(fmt::format("{}compute capability {} is not known", before, to_string(*query_.cc)), nullptr);
    result_.certainty = Certainty::family;
    Products fitting = query_.sm_count && !result_.is_mig ? with_sm_count(products_of(*query_.cc)) : Products();
    if (query_.memory_gb) fitting = with_memory(fitting, *query_.memory_gb);
    result_.explanation = before + device();
    if (fitting.empty()) {
      result_.explanation += ": limits per SM are known, the product and its peaks are not";
    } else if (all_alike(fitting)) {
      result_.product = fitting[0];
      result_.certainty = fitting.size() == 1 && query_.memory_gb ? Certainty::exact : Certainty::family;
      result_.explanation += fmt::format(
          "{}{}", fitting.size() == 1 ? ": the only product that fits is " : ": these fit and have the same peaks: ", labels(fitting));
    } else {
      result_.certainty = Certainty::ambiguous;
      result_.explanation += fmt::format(": several products fit ({}); name one to get its peaks", labels(fitting));
    }
    if (fitting.size() > 1) result_.candidates = fitting;
    return result_;
  }

  // ---- the result --------------------------------------------------------------------------

  static bool all_alike(const Products& products) {
    return std::all_of(products.begin(), products.end(),
                       [&](const GpuProduct* product) { return have_same_peaks(*product, *products[0]); });
  }

  // The product that a short name refers to, when it is among `products`.
  const GpuProduct* reference(const Products& products) const {
    const std::string_view key = products[0]->key;
    const bool one_key = std::all_of(products.begin(), products.end(), [&](const GpuProduct* product) { return product->key == key; });
    if (!one_key && spellings().key_spelling(key) != name_.compact) return nullptr;
    const GpuProduct* chosen = spellings().reference_of(key);
    return std::find(products.begin(), products.end(), chosen) == products.end() ? nullptr : chosen;
  }

  GpuMatch decide(const Products& found, bool bare) {
    Products fitting = found;
    if (query_.cc) {
      std::erase_if(fitting, [&](const GpuProduct* product) { return product->cc != *query_.cc; });
      if (fitting.empty()) return conflicting(fmt::format("{} (compute capability {})", found[0]->name, to_string(found[0]->cc)));
    }
    if (result_.is_mig) return slice_of(fitting);
    const Products before = fitting;
    fitting = narrowed_by_device(fitting);
    if (fitting.empty()) return family_only(before, "the SM count is none of theirs: a slice of the GPU or a part that is not known");
    result_.limits = catalogue_.limits(fitting[0]->cc);
    if (fitting.size() == 1) {
      result_.product = fitting[0];
      const bool decided_by_device = fitting.size() < before.size();
      result_.certainty = bare && before.size() == 1 ? Certainty::family : Certainty::exact;
      result_.explanation =
          fmt::format("{} ({}), {}", fitting[0]->name, fitting[0]->id, decided_by_device ? "by name and device attributes" : "by name");
      if (query_.memory_gb && contradicts(*fitting[0])) {
        result_.explanation +=
            fmt::format("; it reports {:.1f} GB of memory, not the usual {} GB", *query_.memory_gb, *fitting[0]->memory_gb);
      }
      return result_;
    }
    return several(fitting);
  }

  GpuMatch several(const Products& fitting) {
    result_.candidates = fitting;
    if (const GpuProduct* chosen = reference(fitting)) {
      result_.product = chosen;
      result_.certainty = Certainty::family;
      Products others = fitting;
      std::erase(others, chosen);
      result_.explanation = fmt::format("'{}' fits {} products; assumed {} ({}). The others: {}", shown_, fitting.size(), label(*chosen),
                                        chosen->id, labels(others));
    } else if (all_alike(fitting)) {
      result_.product = fitting[0];
      result_.certainty = Certainty::family;
      result_.explanation = fmt::format("'{}' fits {} products with the same peaks: {}", shown_, fitting.size(), labels(fitting));
    } else {
      result_.certainty = Certainty::ambiguous;
      result_.limits = common_limits(fitting);
      result_.explanation =
          fmt::format("'{}' fits {} products with different peaks ({}); name one of them", shown_, fitting.size(), labels(fitting));
    }
    return result_;
  }

  const SmLimits* common_limits(const Products& products) const {
    const bool same =
        std::all_of(products.begin(), products.end(), [&](const GpuProduct* product) { return product->cc == products[0]->cc; });
    return same ? catalogue_.limits(products[0]->cc) : nullptr;
  }

  // A MIG instance: the parent is known, its peaks are not the instance's.
  GpuMatch slice_of(const Products& products) {
    result_.limits = common_limits(products);
    result_.product = products.size() == 1 || all_alike(products) ? products[0] : nullptr;
    result_.certainty = result_.product ? Certainty::family : Certainty::ambiguous;
    if (products.size() > 1) result_.candidates = products;
    result_.explanation =
        fmt::format("'{}' is a MIG instance of {}: limits per SM hold, peaks are those of the whole GPU and are not used for it", shown_,
                    labels(products));
    return result_;
  }

  // The family is certain, the product is not among those known.
  GpuMatch family_only(const Products& family, std::string_view why) {
    if (query_.cc) {
      const bool fits = std::any_of(family.begin(), family.end(), [&](const GpuProduct* product) { return product->cc == *query_.cc; });
      if (!fits) return conflicting(fmt::format("{} (compute capability {})", family[0]->name, to_string(family[0]->cc)));
    }
    // An engineering name such as "A100-PG509-200": SM count and memory decide among the family.
    if (query_.sm_count && query_.memory_gb && name_.variants.empty() && !result_.is_mig) {
      const Products fitting = with_memory(with_sm_count(family), *query_.memory_gb);
      if (!fitting.empty() && all_alike(fitting)) {
        result_.product = fitting[0];
        result_.limits = catalogue_.limits(fitting[0]->cc);
        result_.certainty = Certainty::family;
        if (fitting.size() > 1) result_.candidates = fitting;
        result_.explanation = fmt::format("'{}': {}; with {} it is taken for {}", shown_, why, device(), labels(fitting));
        return result_;
      }
    }
    if (result_.limits == nullptr) result_.limits = common_limits(family);
    result_.certainty = result_.limits ? Certainty::family : Certainty::ambiguous;
    result_.candidates = family;
    result_.explanation = fmt::format("'{}': {} ({}); no peaks are used. Known: {}", shown_, why, device(), labels(family));
    return result_;
  }

  GpuMatch conflicting(const std::string& named) {
    result_.conflict = true;
    return by_numbers(fmt::format("the name '{}' says {}, the device does not; the device is believed: ", shown_, named));
  }

  GpuMatch unknown_name() {
    std::string text = fmt::format("no GPU called '{}' is known", shown_);
    if (const std::string near = spellings().did_you_mean(name_); !near.empty()) text += fmt::format("; did you mean {}?", near);
    if (!query_.cc) return none(text, nullptr);
    const SmLimits* limits = catalogue_.limits(*query_.cc);
    return none(fmt::format("{} ({}){}", text, device(), limits ? ": limits per SM are known, peaks are not" : ""), limits);
  }

  GpuMatch none(std::string explanation, const SmLimits* limits) {
    result_.product = nullptr;
    result_.limits = limits;
    result_.certainty = limits ? Certainty::family : Certainty::unknown;
    result_.explanation = std::move(explanation);
    return result_;
  }

  const GpuCatalogue& catalogue_;
  const GpuQuery& query_;
  mutable std::optional<GpuSpellings> spellings_;
  GpuName name_;
  std::string shown_;
  GpuMatch result_;
};

}  // namespace

bool have_same_peaks(const GpuProduct& a, const GpuProduct& b) {
  return a.cc == b.cc && a.sm_count == b.sm_count && a.boost_clock_mhz == b.boost_clock_mhz && a.tensor_clock_mhz == b.tensor_clock_mhz &&
         a.memory_bandwidth_gbps == b.memory_bandwidth_gbps &&
         std::equal(a.peaks_tflops.begin(), a.peaks_tflops.end(), b.peaks_tflops.begin(), b.peaks_tflops.end());
}

const GpuProduct* certain_product(const GpuMatch& match) {
  const bool alike = std::all_of(match.candidates.begin(), match.candidates.end(), [&](const GpuProduct* other) {
    return match.product != nullptr && have_same_peaks(*other, *match.product);
  });
  return alike ? match.product : nullptr;
}

GpuMatch match_gpu(const GpuCatalogue& catalogue, const GpuQuery& query) { return Matcher(catalogue, query).match(); }

std::string assumption_of(const GpuMatch& match) {
  return match.product && match.candidates.size() > 1 ? "GPU: " + match.explanation : std::string();
}

Result<GpuMatch> match_option(const GpuCatalogue& catalogue, const std::string& gpu_model) {
  GpuQuery query;
  query.name = gpu_model;
  GpuMatch match = match_gpu(catalogue, query);
  if (match.certainty != Certainty::unknown) return match;
  return fail(ErrorKind::usage, "--gpu-model: no GPU is known by '{}'", printable(gpu_model)).hint("e.g. H100, 'RTX 4090', sm_86");
}

}  // namespace frx::knowledge
