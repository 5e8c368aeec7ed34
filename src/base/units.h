// Units as the profilers print them, and arithmetic on them.
//
// Nsight Compute chooses the unit per row ("9,00 msecond" here, "850 usecond" there) and has two
// vocabularies (2019-2023: nsecond, Kbyte, cycle/nsecond; 2024 on: ns, Kbyte, Ghz). A value is never
// used without its unit: parse_unit() reads both vocabularies into a Unit, whose `scale` converts to
// the coherent base (ns, byte, cycle, percent, ...), and whose Dimension tells what may be compared.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frx {

// The base quantities. A percentage is a quantity of its own, so that 40 % never meets 0.4 unnoticed.
enum class Base : std::uint8_t {
  time,
  byte,
  cycle,
  inst,
  sector,
  request,
  wavefront,
  warp,
  thread,
  block,
  reg,
  sample,
  flop,
  sm,
  wave,
  percent,
};
constexpr std::size_t base_count = 16;

// Exponents of the base quantities: byte/ns is {byte: 1, time: -1}.
struct Dimension {
  std::array<std::int8_t, base_count> exponents{};

  bool operator==(const Dimension&) const = default;
  bool is_plain_number() const { return *this == Dimension{}; }
  Dimension operator*(const Dimension& other) const;
  Dimension operator/(const Dimension& other) const;
};

struct Unit {
  Dimension dimension;
  double scale = 1.0;  // value in this unit x scale = value in coherent base units (ns, byte, ...)

  bool operator==(const Unit&) const = default;
};

// nullopt: a unit we do not know. The value must then be kept apart, never summed.
// Empty text, "##" and "(none)" are a plain number.
std::optional<Unit> parse_unit(std::string_view text);

// "byte/ns", "%", "" for a plain number; for messages about mismatches.
std::string to_string(const Dimension& dimension);

// A value with a readable prefix: 1'234'567 ns -> "1.23 ms", 9.1e11 byte/s -> "910 GB/s".
// `unit` is the text of a unit parse_unit() knows; others are appended as they are.
std::string format_quantity(double value, std::string_view unit);

// A number as people write it: 4 significant digits, thousands separated by commas, no exponent
// below 1e15.
std::string format_number(double value);
// "1 kernel", "3 kernels", "2 launches".
std::string count_text(std::size_t count, std::string_view noun);

// Absent stays absent.
constexpr std::optional<double> microseconds(std::optional<double> ns) { return ns ? std::optional(*ns / 1e3) : std::nullopt; }

}  // namespace frx
