// A CUDA source file as it was read: its text, its syntax, and what the preprocessor would know.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf16.h"
#include "model/code_subject.h"
#include "model/cuda_kernel.h"
#include "model/cuda_packed_syntax.h"
#include "model/cuda_syntax.h"

namespace frx::model::cuda {

// `#define NAME body` or `#define NAME(a, b) body`.
struct Macro {
  std::string name;
  std::vector<std::string> parameters;
  bool is_function = false;
  bool is_ambiguous = false;  // defined more than once, differently: it is unknown which definition applies
  std::string body;
  std::uint32_t value = none;  // node of its body, when that is an expression
};

// `#pragma unroll 4`; factor "" when none is given.
struct Unroll {
  std::uint32_t end = 0;  // byte behind the line
  std::string factor;
};

// A comment `frx: ignore RULE, OTHER`; line 0 for `frx: ignore-file RULE`. A rule "*" is every rule.
struct Suppression {
  std::uint32_t line = 0;
  std::string rule;
};

// Where the text from `begin` on, up to the next one, was written: in the file from `file_begin` on, byte by byte; or, when `file_end` is
// set, by a macro that is invoked at [file_begin, file_end) of the file.
struct Origin {
  std::uint32_t begin = 0, file_begin = 0, file_end = 0;
};

// Of the line that a finding shows, in characters: a program may be one line.
inline constexpr std::size_t longest_snippet = 1000;

struct Source {
  SharedText name;  // as the report shows it
  // What nodes point to: the file with the preprocessor's lines blanked and macros expanded, a line feed, and the bodies of macros.
  std::string text;
  std::uint32_t size = 0;       // bytes of it without those bodies
  std::vector<Origin> origins;  // in order; empty where nothing was expanded: each byte is where it is in the file
  std::string original;         // the file, where columns are not bytes; else "", and only the lines that `text` has otherwise, since the
                                // preprocessor blanked them or macros were expanded in them:
  std::string changed;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> changed_lines;  // their numbers, and where they begin in `changed`
  std::uint32_t file_size = 0;                                         // bytes of the file
  Syntax syntax;
  PackedSyntax packed;  // replaces it while the file is not in use
  std::vector<Macro> macros;
  std::vector<Unroll> unrolls;  // in order; bytes of the file
  std::vector<Suppression> suppressions;
  std::vector<UnreadKernel> kernels_not_read;
  std::vector<std::uint32_t> line_starts;  // byte offsets, of the file itself
  Utf16Units units;                        // of the file itself
  bool is_hip = false;                     // written for HIP: a wavefront of AMD runs in lockstep
  bool is_included = false;                // not analysed itself: a header that others use
  std::uint32_t errors = 0;                // places that are no CUDA as the grammar knows it; read around

  std::string_view text_of(std::uint32_t node) const {
    if (node == none) return "";
    const Node& n = syntax[node];
    return std::string_view(text).substr(n.begin, n.end - n.begin);
  }
  // The byte of the file that byte `at` of the text comes from: of a macro, the first one of its invocation.
  std::uint32_t in_file(std::uint32_t at) const {
    const Origin* origin = origin_of(at);
    return !origin ? at : origin->file_end != 0 ? origin->file_begin : origin->file_begin + (at - origin->begin);
  }
  // The same for the end of some text: behind its last byte, and behind the invocation of a macro.
  std::uint32_t end_in_file(std::uint32_t end) const {
    const Origin* origin = end == 0 ? nullptr : origin_of(end - 1);
    return !origin ? end : origin->file_end != 0 ? origin->file_end : origin->file_begin + (end - origin->begin);
  }
  // What the file has where a node is: macros as they are written there.
  std::string written(std::uint32_t node) const {
    if (node == none || origins.empty() || syntax[node].begin >= size) return std::string(text_of(node));
    return written(syntax[node].begin, syntax[node].end);
  }
  std::string written(std::uint32_t begin, std::uint32_t end) const {
    if (origins.empty()) return text.substr(begin, end - begin);
    const std::uint32_t from = in_file(begin), to = std::max(end_in_file(end), from);
    std::string all;
    for (std::uint32_t number = line_of(from); number <= line_starts.size() && line_starts[number - 1] < to; ++number) {
      const std::uint32_t line_begin = line_starts[number - 1], skipped = from > line_begin ? from - line_begin : 0;
      all += raw_line(number).substr(skipped, to - line_begin - skipped);
    }
    return all;
  }
  // Does the file have this text, expanded or as it was written? Not where it is cut by the end of a line.
  bool mentions(std::string_view word) const {
    return text.find(word) != text.npos || changed.find(word) != changed.npos || original.find(word) != original.npos;
  }
  // Of a byte of the file.
  std::uint32_t line_of(std::uint32_t byte) const {
    const auto at = std::upper_bound(line_starts.begin(), line_starts.end(), byte);
    return static_cast<std::uint32_t>(at - line_starts.begin());
  }
  // From 1, of a byte on this line.
  std::uint32_t column_of(std::uint32_t byte, std::uint32_t line) const {
    return units.before(original, byte) - units.before(original, line_starts[line - 1]) + 1;
  }
  // Of a node, in lines and columns. What stands in the definition of a macro has no place: line 0.
  TextPlace place_of(std::uint32_t node) const {
    TextPlace place;
    place.file = name;
    const Node& n = syntax[node];
    return n.begin >= size ? place : place_of(n.begin, n.end);
  }
  // Of bytes of the text.
  TextPlace place_of(std::uint32_t begin, std::uint32_t end) const {
    TextPlace place;
    place.file = name;
    const std::uint32_t from = in_file(begin), to = std::max(end_in_file(std::max(end, begin + 1)), from + 1);
    place.line = line_of(from);
    place.column = column_of(from, place.line);
    place.end_line = line_of(to - 1);
    place.end_column = column_of(end > begin ? to : from, place.end_line);
    return place;
  }
  // The line as the file has it, without its line feed.
  std::string_view line(std::uint32_t number) const {
    if (number == 0 || number > line_starts.size()) return "";
    std::string_view one = raw_line(number);
    while (!one.empty() && (one.back() == '\r' || one.back() == '\n')) one.remove_suffix(1);
    return one;
  }

  // Called once the text has been read: removes redundant copies. Lines and columns stay valid.
  void forget_original() {
    file_size = static_cast<std::uint32_t>(original.size());
    if (!units.is_one_for_each_byte()) return;
    for (std::uint32_t i = 1; i <= line_starts.size(); ++i) {
      const std::string_view in_file = raw_line(i);
      if (in_file == line_in_text(i)) continue;
      changed_lines.emplace_back(i, static_cast<std::uint32_t>(changed.size()));
      changed += in_file;
    }
    std::string().swap(original);
    changed.shrink_to_fit();
    changed_lines.shrink_to_fit();
  }
  void pack() {
    packed = PackedSyntax(syntax);
    syntax = {};
  }

 private:
  const Origin* origin_of(std::uint32_t at) const {
    if (origins.empty()) return nullptr;
    return &*(std::ranges::upper_bound(origins, at, {}, &Origin::begin) - 1);
  }
  // With its line feed.
  std::uint32_t size_of_line(std::uint32_t number) const {
    return (number < line_starts.size() ? line_starts[number] : file_size) - line_starts[number - 1];
  }
  // Where the text has this byte of the file, if it stands outside of the macros that are invoked.
  std::uint32_t in_text(std::uint32_t byte) const {
    const auto after = std::ranges::upper_bound(origins, byte, {}, &Origin::file_begin);
    return after == origins.begin() ? byte : std::prev(after)->begin + (byte - std::prev(after)->file_begin);
  }
  // What the text has in place of a line of the file; that line, where nothing was changed in it.
  std::string_view line_in_text(std::uint32_t number) const {
    const std::uint32_t begin = in_text(line_starts[number - 1]);
    return begin >= size ? std::string_view() : std::string_view(text).substr(begin, std::min(size_of_line(number), size - begin));
  }
  std::string_view raw_line(std::uint32_t number) const {
    if (!original.empty()) return std::string_view(original).substr(line_starts[number - 1], size_of_line(number));
    const auto at = std::ranges::lower_bound(changed_lines, number, {}, [](const auto& line) { return line.first; });
    if (at == changed_lines.end() || at->first != number) return line_in_text(number);
    const std::uint32_t end = at + 1 == changed_lines.end() ? static_cast<std::uint32_t>(changed.size()) : (at + 1)->second;
    return std::string_view(changed).substr(at->second, end - at->second);
  }
};

}  // namespace frx::model::cuda
