#include "cli/setting_kinds.h"

#include <algorithm>
#include <charconv>

#include "base/memory_budget.h"
#include "base/text.h"

namespace frx::cli {
namespace {

using enum SettingType;
using enum SettingScope;

constexpr SettingKind kinds[] = {
    {"gpu", "FRX_GPU", "--gpu-model", "", text, anywhere, "", "none is assumed",
     "the GPU that code is for; of profiles and traces, where they do not say which it was"},
    {"arch_profile", "FRX_ARCH_PROFILE", "--arch-profile", "", path, anywhere, "", "none", "your own numbers for the GPU, and thresholds"},
    // Own: its cards name commands that people and agents run.
    {"data", "FRX_DATA", "--data", "", path, own, "", "none", "a folder laid over the built-in metrics, GPUs, labels and advice"},
    {"format", "FRX_FORMAT", "--format", "", choice, anywhere, "text|json|markdown|html", "text", "how answers are printed"},
    {"color", "FRX_COLOR", "--color", "", choice, anywhere, "auto|always|never", "auto", "whether text is coloured"},
    {"memory", "FRX_MEMORY", "--memory", "", size, anywhere, "", "by the size of the input",
     "how much memory may be held; of a project at most half of the machine's"},
    {"threads", "FRX_THREADS", "--threads", "", count, anywhere, "", "one for each core", "how many threads work at once, at most"},
    {"pedantic", "FRX_PEDANTIC", "--pedantic", "", truth, anywhere, "", "false", "style, and guesses that the source does not settle"},
    {"with_ptx", "FRX_WITH_PTX", "--with-ptx", "", choice, anywhere, "auto|yes|no", "auto",
     "whether CUDA source is compiled to confirm what was found; a project may not say yes"},
    {"build_flags", "FRX_BUILD_FLAGS", "--build-flags", "", text, own, "", "none", "options for the compiler of CUDA source"},
    {"include", "FRX_INCLUDE", "--include", "", paths, anywhere, "", "none", "folders with headers of CUDA source"},
    {"define", "FRX_DEFINE", "--define", "", texts, anywhere, "", "none", "macros of CUDA source, as NAME=VALUE"},
    {"fail_on", "FRX_FAIL_ON", "--fail-on", "", choice, anywhere, "low|medium|high", "none; of frx ci high",
     "the severity from which a finding fails a check"},
    {"baseline", "FRX_BASELINE", "--baseline", "ci", path, anywhere, "", ".frx-baseline.json, if there",
     "what frx ci holds findings against"},
    {"suppressions", "FRX_SUPPRESSIONS", "--suppressions", "ci", path, anywhere, "", ".frx-suppressions.yaml, if there",
     "what frx ci accepts, with reasons"},
    {"strict", "FRX_STRICT", "--strict", "ci", truth, anywhere, "", "false", "whether an inconclusive measurement fails frx ci"},
    {"noise_floor", "FRX_NOISE_FLOOR", "--noise-floor", "", percent, anywhere, "", "2", "differences of time up to this count as nothing"},
    {"preset", "FRX_PRESET", "--preset", "profile", choice, anywhere, "memory|tensor|occupancy|stalls|full", "full",
     "the counters of a live run of ncu"},
    {"history", "FRX_HISTORY", "--store", "", store, own, "", "frx/history.db below XDG_STATE_HOME",
     "the history of frx history and --record: its file, or clickhouse://HOST/DATABASE"},
    {"nvcc", "FRX_NVCC", "", "", program, own, "", "in PATH or NVIDIA's folder", "the compiler of CUDA source"},
    {"ncu", "FRX_NCU", "", "", program, own, "", "in PATH or NVIDIA's folder", "Nsight Compute"},
    {"nsys", "FRX_NSYS", "", "", program, own, "", "in PATH or NVIDIA's folder", "Nsight Systems"},
    {"pages", "FRX_PAGES", "", "", text, own, "", "as it was built", "the address at which docs/ is published, for links in SARIF"},
    {"nvml_library", "FRX_NVML_LIBRARY", "", "", text, own, "", "libnvidia-ml.so.1", "the library that knows the GPUs of this machine"},
    {"cuda_library", "FRX_CUDA_LIBRARY", "", "", text, own, "", "libcuda.so.1", "the driver, for attributes of GPUs"},
    {"serve_token", "FRX_SERVE_TOKEN", "", "", text, variable, "", "none", "what clients of frx serve have to show"},
    {"judge_api_key", "FRX_JUDGE_API_KEY", "", "", text, variable, "", "none", "the key of frx judge run --endpoint"},
    {"clickhouse_user", "FRX_CLICKHOUSE_USER", "", "", text, variable, "", "that of the server", "the user of a history on ClickHouse"},
    {"clickhouse_password", "FRX_CLICKHOUSE_PASSWORD", "", "", text, variable, "", "none", "the password of that user"},
};

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool fits(const SettingKind& kind, std::string_view text) {
  switch (kind.type) {
    case choice: return std::ranges::count(split(kind.choices, '|'), text) > 0;
    case count: {
      const std::optional<double> number = number_in(text);
      return number && *number >= 1 && *number <= 4096 && text.find_first_not_of("0123456789") == text.npos;
    }
    case percent: {
      const std::optional<double> number = number_in(text);
      return number && *number >= 0 && *number <= 100;
    }
    case size: return parse_memory(std::string(text)).has_value();
    default: return !text.empty();
  }
}

}  // namespace

std::span<const SettingKind> setting_kinds() { return kinds; }

const SettingKind* setting_kind(std::string_view key) {
  const auto* const found = std::ranges::find(kinds, key, &SettingKind::key);
  return found == std::end(kinds) ? nullptr : found;
}

std::vector<std::string_view> setting_keys() {
  std::vector<std::string_view> keys;
  for (const SettingKind& kind : kinds) keys.push_back(kind.key);
  return keys;
}

Result<std::string> setting_value(const SettingKind& kind, std::string_view given) {
  const std::string_view value = trim(given);
  if (kind.type == truth) {
    const std::string word = to_lower(value);
    for (const std::string_view yes : {"true", "yes", "on", "1"}) {
      if (word == yes) return std::string("true");
    }
    for (const std::string_view no : {"false", "no", "off", "0"}) {
      if (word == no) return std::string("false");
    }
  } else if (fits(kind, value)) {
    return std::string(value);
  }
  return fail(ErrorKind::malformed, "{}: expected {}, found '{}'", kind.key, expected_value(kind),
              kind.is_secret() ? "..." : shorten(printable(given), 60));
}

std::string expected_value(const SettingKind& kind) {
  switch (kind.type) {
    case choice: {
      std::vector<std::string> words;
      for (const std::string_view word : split(kind.choices, '|')) words.emplace_back(word);
      return "one of " + join(words, ", ");
    }
    case truth: return "true or false";
    case count: return "a whole number from 1 to 4096";
    case percent: return "a number from 0 to 100";
    case size: return "a size from 64M on, such as 4G";
    case path: return "a path";
    case paths: return "a list of paths";
    case store: return "a path, or clickhouse://HOST/DATABASE";
    case texts: return "a list of texts";
    case program: return "the path of a program";
    case text: break;
  }
  return "a text";
}

std::string_view who_may_set(const SettingKind& kind) {
  switch (kind.scope) {
    case anywhere: return "any file, or the environment";
    case own: return "your own file, the machine's, or the environment; no project";
    case variable: break;
  }
  return "the environment alone";
}

}  // namespace frx::cli
