#include "ingest/cuda/macro_body.h"

#include <string>
#include <unordered_map>

#include "base/text.h"
#include "ingest/cuda/scanner.h"

namespace frx::ingest::cuda {

MacroBody body_of(const model::cuda::Macro& macro) {
  MacroBody body;
  std::unordered_map<std::string_view, int> numbers;
  for (const std::string& name : macro.parameters) {
    const int number = static_cast<int>(body.parameters++);
    body.is_variadic = name.ends_with("...");
    const std::string_view plain = trim(std::string_view(name).substr(0, name.size() - (body.is_variadic ? 3 : 0)));
    numbers.try_emplace(plain.empty() ? "__VA_ARGS__" : plain, number);
  }
  Scanner scanner(macro.body, false);
  bool stringizes = false, pastes = false;
  std::size_t behind = 0;
  for (Piece piece = scanner.next(); piece.kind != Piece::end; piece = scanner.next()) {
    if (piece.kind == Piece::comment || piece.kind == Piece::newline) continue;
    const std::string_view spelling = scanner.of(piece);
    const bool is_spaced = piece.begin > behind;
    behind = piece.begin + piece.size;
    if (spelling == "#" && std::string_view(macro.body).substr(behind).starts_with('#')) {
      pastes = true;
      behind += scanner.next().size;
      continue;
    }
    if (spelling == "#" && macro.is_function) {
      stringizes = true;
      continue;
    }
    const auto number = numbers.find(spelling);
    MacroBody::Part part{{.spelling = spelling, .is_spaced = is_spaced}, number == numbers.end() ? -1 : number->second, stringizes, pastes};
    stringizes = pastes = false;
    body.parts.push_back(part);
  }
  return body;
}

}  // namespace frx::ingest::cuda
