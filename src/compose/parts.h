// What documents of several kinds have in common.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "answer/document.h"

namespace frx::compose {

using answer::as_name;
using answer::Document;
using answer::Fit;
using answer::Span;
using answer::Status;
using answer::Table;
using answer::Text;
using answer::Tone;
using answer::tone_of_priority;

// A column of numbers beside the one before it, as wide as this.
inline answer::Column number_column(std::string_view heading, std::size_t width, std::size_t gap = 0) {
  return {std::string(heading), width, true, gap};
}

// The same below the label of a side, which the user chose: it is cut where it is too long.
inline answer::Column label_column(std::string_view label, std::size_t width) {
  return {std::string(label), width, true, 0, false, Fit::cut};
}

// The last column of a table, of names and of words that are not to be broken.
inline answer::Column names_column(std::string_view heading, Fit fit = Fit::cut) { return {std::string(heading), 0, false, 2, true, fit}; }
inline answer::Column words_column(std::string_view heading, Fit fit = Fit::whole) {
  return {std::string(heading), 0, false, 2, false, fit};
}

// "41.2 %"; "n/a" of nothing.
template <typename Number>
std::string share_of(Number part, Number whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole)) : "n/a";
}

// "1.37e11": two decimals, and an exponent without a sign and zeros before it.
std::string in_scientific(double value);

// A section of sentences, each behind a dash; no section without any.
void add_list(Document& page, std::string_view heading, std::span<const std::string> sentences, answer::Part part = answer::Part::evidence);
inline void add_notes(Document& page, std::span<const std::string> notes) { add_list(page, "Notes", notes, answer::Part::closing); }

}  // namespace frx::compose
