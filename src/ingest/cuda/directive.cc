#include "ingest/cuda/directive.h"

#include <array>

#include "base/text.h"
#include "ingest/cuda/scanner.h"

namespace frx::ingest::cuda {
namespace {

constexpr std::size_t longest_expression = 400;

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::string_view take_name(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_name(text[size])) ++size;
  const std::string_view name = text.substr(0, size);
  text.remove_prefix(size);
  return name;
}

}  // namespace

Directive directive_of(std::string_view text) {
  std::string plain;
  text.remove_prefix(1);
  Scanner scanner(text);
  std::size_t behind = 0;  // the piece before
  for (Piece piece = scanner.next(); piece.kind != Piece::end; piece = scanner.next()) {
    const std::string_view spelling = scanner.of(piece);
    plain += text.substr(behind, piece.begin - behind);
    behind = piece.begin + piece.size;
    if (piece.kind == Piece::comment || piece.kind == Piece::newline || spelling == "\\") {
      plain += ' ';
    } else {
      plain += spelling;
    }
  }
  std::string_view rest = trim(plain);
  Directive directive;
  directive.word = take_name(rest);
  directive.rest = trim(rest);
  return directive;
}

std::optional<model::cuda::Macro> macro_of(std::string_view rest) {
  model::cuda::Macro macro;
  macro.name = take_name(rest);
  if (macro.name.empty()) return std::nullopt;
  if (rest.starts_with('(')) {
    const std::size_t close = rest.find(')');
    if (close == rest.npos) return std::nullopt;
    macro.is_function = true;
    for (const std::string_view name : split(rest.substr(1, close - 1), ',')) macro.parameters.emplace_back(trim(name));
    if (macro.parameters.size() == 1 && macro.parameters[0].empty()) macro.parameters.clear();
    rest.remove_prefix(close + 1);
  }
  macro.body = trim(rest);
  return macro;
}

bool may_be_expression(std::string_view body) {
  if (body.empty() || body.size() > longest_expression) return false;
  constexpr std::array<std::string_view, 14> statements{"if",       "for",    "while",      "do",         "return",
                                                        "template", "switch", "__global__", "__device__", "__host__",
                                                        "static",   "inline", "extern",     "__shared__"};
  int depth = 0;
  Scanner scanner(body);
  for (Piece piece = scanner.next(); piece.kind != Piece::end; piece = scanner.next()) {
    if (piece.kind == Piece::directive || piece.kind == Piece::newline) return false;
    if (piece.kind != Piece::code) continue;
    const std::string_view word = scanner.of(piece);
    if (word == ";" || word == "{" || word == "}" || word == "#" || word == "\\") return false;
    for (const std::string_view keyword : statements) {
      if (word == keyword) return false;
    }
    if (word == "(" || word == "[") ++depth;
    if ((word == ")" || word == "]") && --depth < 0) return false;
  }
  return depth == 0;
}

}  // namespace frx::ingest::cuda
