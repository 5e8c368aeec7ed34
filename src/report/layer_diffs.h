// Two implementations side by side: structure of the source, numbers of PTX, counters of a profile.
//
// Rows describe. Most have no better side: a kernel may be fast because it moves more bytes, or with fewer threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/implementation.h"

namespace frx::report {

enum class Side : std::uint8_t { first, second, neither };
// "a", "b", "tie".
std::string_view name_of(Side side);

struct NumberRow {
  enum class Better : std::uint8_t { lower, higher, neither };

  std::string_view key, label, unit;
  Better better_is = Better::neither;
  std::optional<double> first, second;  // absent: unknown on that side

  // Absent when a side is unknown, or when they differ and no direction is better.
  std::optional<Side> better() const;
};

struct TruthRow {
  std::string_view key, label;
  std::optional<bool> first, second;
};

// Words about kernels, such as the kind of their indexing: sorted, each once.
struct WordsRow {
  std::string_view key, label;
  std::vector<std::string> first, second;

  std::vector<std::string> added() const;
  std::vector<std::string> removed() const;
};

struct TextRow {
  std::string_view key, label;
  std::string first, second;  // "" where unknown
};

struct LayerDiff {
  bool is_available = false;  // on both sides
  std::vector<NumberRow> numbers;
  std::vector<TruthRow> truths;
  std::vector<WordsRow> words;
  std::vector<TextRow> texts;
  std::vector<NumberRow> mix;  // of PTX: instructions by category

  const NumberRow* number(std::string_view key) const;
};

// Sides without the layer leave their half of each row empty.
LayerDiff source_diff(const Implementation& first, const Implementation& second);
LayerDiff ptx_diff(const Implementation& first, const Implementation& second);
LayerDiff ncu_diff(const Implementation& first, const Implementation& second);

}  // namespace frx::report
