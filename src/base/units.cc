#include "base/units.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace frx {
namespace {

struct Named {
  std::string_view name;
  Base base;
  double scale;
};

// Every unit word of Nsight Compute 2019-2026, nvprof and our own data files.
constexpr Named words[] = {
    {"ns", Base::time, 1},          {"nsecond", Base::time, 1},        {"us", Base::time, 1e3},
    {"usecond", Base::time, 1e3},   {"ms", Base::time, 1e6},           {"msecond", Base::time, 1e6},
    {"s", Base::time, 1e9},         {"second", Base::time, 1e9},       {"sec", Base::time, 1e9},
    {"byte", Base::byte, 1},        {"bytes", Base::byte, 1},          {"B", Base::byte, 1},
    {"cycle", Base::cycle, 1},      {"cycles", Base::cycle, 1},        {"inst", Base::inst, 1},
    {"sector", Base::sector, 1},    {"sectors", Base::sector, 1},      {"request", Base::request, 1},
    {"requests", Base::request, 1}, {"wavefront", Base::wavefront, 1}, {"wavefronts", Base::wavefront, 1},
    {"warp", Base::warp, 1},        {"warps", Base::warp, 1},          {"thread", Base::thread, 1},
    {"threads", Base::thread, 1},   {"block", Base::block, 1},         {"blocks", Base::block, 1},
    {"register", Base::reg, 1},     {"sample", Base::sample, 1},       {"samples", Base::sample, 1},
    {"flop", Base::flop, 1},        {"flops", Base::flop, 1},          {"SM", Base::sm, 1},
    {"wave", Base::wave, 1},        {"%", Base::percent, 1},
};

struct Prefix {
  char letter;
  double scale;
};
// Decimal, as NVIDIA's tools print them: 1 Kbyte = 1000 byte.
constexpr Prefix prefixes[] = {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'k', 1e3}, {'P', 1e15}};

Unit of(Base base, double scale) {
  Unit unit;
  unit.dimension.exponents[static_cast<std::size_t>(base)] = 1;
  unit.scale = scale;
  return unit;
}

const Named* find_word(std::string_view name) {
  for (const Named& word : words) {
    if (word.name == name) return &word;
  }
  return nullptr;
}

// Units that may carry a prefix: "Gbyte", "Kinst", "MB"; "ms" is milliseconds, never "m" + "s".
std::optional<Unit> parse_term(std::string_view text) {
  if (const Named* word = find_word(text)) return of(word->base, word->scale);
  if (equals_ignoring_case(text, "hz")) {  // NVIDIA's tools mean cycles per second
    return Unit{(of(Base::cycle, 1).dimension / of(Base::time, 1).dimension), 1e-9};
  }
  if (text.size() < 2) return std::nullopt;
  for (const Prefix& prefix : prefixes) {
    if (text[0] != prefix.letter) continue;
    const std::string_view rest = text.substr(1);
    if (equals_ignoring_case(rest, "hz")) {
      Unit unit = *parse_term("hz");
      unit.scale *= prefix.scale;
      return unit;
    }
    const Named* word = find_word(rest);
    if (!word || word->base == Base::time || word->base == Base::percent) return std::nullopt;
    return of(word->base, word->scale * prefix.scale);
  }
  return std::nullopt;
}

constexpr std::string_view base_names[base_count] = {"ns",     "byte",  "cycle",    "inst",   "sector", "request", "wavefront", "warp",
                                                     "thread", "block", "register", "sample", "flop",   "SM",      "wave",      "%"};

std::string with_prefix(double value, std::string_view unit) {
  const double size = std::abs(value);
  constexpr Prefix steps[] = {{'T', 1e12}, {'G', 1e9}, {'M', 1e6}, {'K', 1e3}};
  for (const Prefix& step : steps) {
    if (size >= step.scale * 0.9995) return fmt::format("{} {}{}", format_number(value / step.scale), step.letter, unit);
  }
  return fmt::format("{} {}", format_number(value), unit);
}

std::string format_time(double ns) {
  const double size = std::abs(ns);
  if (size >= 1e9) return format_number(ns / 1e9) + " s";
  if (size >= 1e6) return format_number(ns / 1e6) + " ms";
  if (size >= 1e3) return format_number(ns / 1e3) + " us";
  return format_number(ns) + " ns";
}

}  // namespace

Dimension Dimension::operator*(const Dimension& other) const {
  Dimension result = *this;
  for (std::size_t i = 0; i < base_count; ++i) {
    result.exponents[i] = static_cast<std::int8_t>(result.exponents[i] + other.exponents[i]);
  }
  return result;
}

Dimension Dimension::operator/(const Dimension& other) const {
  Dimension result = *this;
  for (std::size_t i = 0; i < base_count; ++i) {
    result.exponents[i] = static_cast<std::int8_t>(result.exponents[i] - other.exponents[i]);
  }
  return result;
}

std::optional<Unit> parse_unit(std::string_view text) {
  text = trim(text);
  if (text.empty() || text == "##" || text == "(none)" || text == "ratio" || text == "count") return Unit{};
  if (text == "cluster" || text == "branches" || text == "pass") return Unit{};  // counts that never mix with others
  const std::size_t slash = text.find('/');
  std::optional<Unit> unit = parse_term(text.substr(0, slash));
  if (!unit || slash == text.npos) return unit;
  const std::optional<Unit> divisor = parse_term(text.substr(slash + 1));
  if (!divisor) return std::nullopt;
  return Unit{unit->dimension / divisor->dimension, unit->scale / divisor->scale};
}

std::string to_string(const Dimension& dimension) {
  std::string above, below;
  for (std::size_t i = 0; i < base_count; ++i) {
    const int exponent = dimension.exponents[i];
    std::string& side = exponent > 0 ? above : below;
    for (int n = 0; n < std::abs(exponent); ++n) {
      if (!side.empty()) side += '*';
      side += base_names[i];
    }
  }
  if (below.empty()) return above;
  return (above.empty() ? "1" : above) + "/" + below;
}

std::string format_number(double value) {
  if (std::isnan(value)) return "nan";
  const double size = std::abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return fmt::format("{:.3g}", value);
  if (size >= 1000) {
    std::string digits = fmt::format("{:.0f}", size);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
    return (value < 0 ? "-" : "") + digits;
  }
  const int decimals = size >= 100 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') != text.npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string format_quantity(double value, std::string_view unit) {
  if (unit == "%") return fmt::format("{:.1f} %", value);
  if (unit == "ns") return format_time(value);
  if (unit == "byte" || unit == "byte/block") return with_prefix(value, unit == "byte" ? "B" : "B/block");
  if (unit == "byte/s") return with_prefix(value, "B/s");
  if (unit == "hz") return with_prefix(value, "Hz");
  if (unit == "flop" || unit == "flop/s") return with_prefix(value, unit == "flop" ? "FLOP" : "FLOP/s");
  if (unit.empty() || unit == "ratio" || unit == "count") return format_number(value);
  return format_number(value) + " " + std::string(unit);
}

std::string count_text(std::size_t count, std::string_view noun) {
  const std::string plural = noun.ends_with("ch") || noun.ends_with('s') ? "es" : "s";
  return fmt::format("{} {}{}", format_number(static_cast<double>(count)), noun, count == 1 ? "" : plural);
}

}  // namespace frx
