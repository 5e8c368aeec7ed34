#include "knowledge/gpu_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace frx::knowledge {
namespace {

constexpr std::array<std::string_view, 14> noise = {"nvidia", "tesla",  "quadro",  "geforce",    "corporation", "corp",     "gpu",
                                                    "with",   "design", "edition", "generation", "card",        "graphics", "accelerator"};
constexpr std::array<std::string_view, 10> vendors = {"amd",  "radeon", "instinct", "intel", "apple",
                                                      "mtia", "ascend", "adreno",   "gaudi", "arc"};
constexpr std::array<std::string_view, 6> variant_words = {"ti", "super", "laptop", "maxq", "d", "sff"};
constexpr std::array<std::string_view, 6> form_words = {"pcie", "nvl", "dgxs", "server", "workstation", "superchip"};
// Words that belong to the number or letter after them: "RTX 4090", "TITAN V", "RTX PRO 6000".
constexpr std::array<std::string_view, 6> prefixes = {"rtx", "gtx", "gt", "mx", "titan", "pro"};

template <std::size_t n>
bool contains(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool all_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_decimal); }

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at)) text.replace(at, part.size(), " ");
}

std::vector<std::string> words_of(std::string_view name) {
  std::string text = to_lower(name);
  for (const std::string_view mark : {"(r)", "(tm)", "\xC2\xAE", "\xE2\x84\xA2"}) erase_all(text, mark);
  for (char& c : text) {
    if (c == '-' || c == '_' || c == '/' || c == ',' || c == '(' || c == ')' || c == '\t' || c == '[' || c == ']') c = ' ';
  }
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

// "80gb" and "80g" -> 80.
std::optional<double> memory_size(std::string_view word) {
  if (word.ends_with("gb"))
    word.remove_suffix(2);
  else if (word.ends_with("g"))
    word.remove_suffix(1);
  else
    return std::nullopt;
  int size = 0;
  if (!all_digits(word) || std::from_chars(word.data(), word.data() + word.size(), size).ec != std::errc()) return std::nullopt;
  return size;
}

// "1g.10gb", also "1g.10gb+me".
std::optional<MigProfile> mig_profile(std::string_view word) {
  const std::size_t sign = word.find("g.");
  if (sign == word.npos) return std::nullopt;
  const std::string_view slices = word.substr(0, sign);
  const std::string_view rest = word.substr(sign + 2);
  const std::optional<double> memory = memory_size(rest.substr(0, rest.find('+')));
  int count = 0;
  if (!all_digits(slices) || !memory || std::from_chars(slices.data(), slices.data() + slices.size(), count).ec != std::errc()) {
    return std::nullopt;
  }
  return MigProfile{count, *memory};
}

bool is_memory_type(std::string_view word) { return word.starts_with("hbm") || word.starts_with("gddr"); }
bool is_form(std::string_view word) {
  return contains(form_words, word) || (word.starts_with("sxm") && (word.size() == 3 || all_digits(word.substr(3))));
}

// "rtx4070tisuper" -> "rtx4070" and its variants. Only after a number of the RTX and GTX series:
// the letter of "L40S" and "A10G" is part of the model.
void take_variants_off(std::string& model, std::vector<std::string>& variants) {
  if (!model.starts_with("rtx") && !model.starts_with("gtx")) return;
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view word : {"server", "workstation", "laptop", "mobile", "super", "maxq", "ti", "d"}) {
      if (!model.ends_with(word) || model.size() == word.size()) continue;
      const std::string rest = model.substr(0, model.size() - word.size());
      const std::size_t last_digit = rest.find_last_of("0123456789");
      if (last_digit == rest.npos) continue;
      // The text between the number and this word must be a variant too, otherwise the word is something else.
      const std::string_view between = std::string_view(rest).substr(last_digit + 1);
      if (!between.empty() && !contains(variant_words, between) && between != "tisuper") continue;
      variants.emplace_back(word == "mobile" ? "laptop" : word);
      model = rest;
      found = true;
      break;
    }
  }
}

// "Max-Q" came apart at its dash, "80 GB" at its blank; "Mobile" is an older word for "Laptop".
std::vector<std::string> rejoined(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    const bool after_max = word == "q" && !result.empty() && result.back() == "max";
    const bool after_size = word == "gb" && !result.empty() && all_digits(result.back());
    if (after_max || after_size) {
      result.back() += word;
    } else if (!contains(noise, word)) {
      result.push_back(word == "mobile" || word == "notebook" ? "laptop" : word);
    }
  }
  // "4090" alone is a common name of an RTX 4090.
  if (!result.empty() && result[0].size() >= 4 && all_digits(std::string_view(result[0]).substr(0, 4))) {
    result.insert(result.begin(), result[0] < "2000" ? "gtx" : "rtx");
  }
  return result;
}

}  // namespace

GpuName read_gpu_name(std::string_view text) {
  GpuName name;
  std::string pending;  // prefixes before their number
  for (const std::string& word : rejoined(words_of(text))) {
    if (contains(vendors, word)) name.other_vendor = true;
    if (word == "mig") {
      name.is_mig = true;
    } else if (const auto mig = mig_profile(word)) {
      name.is_mig = true;
      name.mig = mig;
    } else if (const auto memory = memory_size(word); memory && pending.empty()) {
      name.memory_gb = memory;
      name.compact += fmt::format("{}gb", *memory);
    } else {
      name.compact += word;
      if (is_memory_type(word))
        name.memory_type = word;
      else if (is_form(word))
        name.forms.push_back(word);
      else if (contains(variant_words, word))
        name.variants.push_back(word);
      else if (contains(prefixes, word))
        pending += word;
      else
        name.model.push_back(std::exchange(pending, {}) + word);
    }
  }
  if (!pending.empty()) name.model.push_back(pending);
  for (std::string& model : name.model) {
    std::vector<std::string> found;
    take_variants_off(model, found);
    for (std::string& word : found) (is_form(word) ? name.forms : name.variants).push_back(std::move(word));
  }
  std::sort(name.variants.begin(), name.variants.end());
  return name;
}

}  // namespace frx::knowledge
