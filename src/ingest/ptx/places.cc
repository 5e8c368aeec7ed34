#include "ingest/ptx/places.h"

#include <string>

#include "ingest/ptx/literal.h"

namespace frx::ingest::ptx {
namespace {

// A unique key for all positions that occur: files and columns are small.
std::uint64_t key_of(const model::Place& place) {
  return (static_cast<std::uint64_t>(place.file) << 48) ^ (static_cast<std::uint64_t>(place.column) << 32) ^ place.line;
}

}  // namespace

void PlaceReader::begin_function() {
  current_ = model::none;
  latest_.clear();
}

bool PlaceReader::read() {
  model::Place place;
  if (!read_position(place)) return false;
  while (in_.lexer.skip_if(',')) {
    if (!read_inlined(place)) return false;
  }
  current_ = static_cast<std::uint32_t>(in_.module.places.size());
  in_.module.places.push_back(place);
  latest_[key_of(place)] = current_;
  return true;
}

bool PlaceReader::read_position(model::Place& place) {
  return in_.take_number(place.file) && in_.take_number(place.line) && in_.take_number(place.column);
}

bool PlaceReader::read_inlined(model::Place& place) {
  std::string_view word;
  if (!in_.take_name(word, "'function_name' or 'inlined_at'")) return false;
  if (word == "function_name") {
    std::string_view label;
    std::uint32_t offset = 0;
    if (!in_.take_name(label, "a label")) return false;
    if (in_.lexer.skip_if('+') && !in_.take_number(offset)) return false;
    if (offset == 0) place.function = in_.name(label);  // others are in the middle of a text
    return true;
  }
  if (word != "inlined_at") return in_.expected("'function_name' or 'inlined_at', before");
  model::Place call;
  if (!read_position(call)) return false;
  place.called_from = outer(call);
  return true;
}

std::uint32_t PlaceReader::outer(const model::Place& call) {
  const auto found = latest_.find(key_of(call));
  if (found != latest_.end()) return found->second;
  in_.module.places.push_back(call);
  return static_cast<std::uint32_t>(in_.module.places.size() - 1);
}

// $L__info_string0:
// .b8 95,90,78,0
void PlaceReader::read_names(std::string_view section) {
  Lexer lexer(section);
  std::string* name = nullptr;
  while (lexer.now().kind != Token::end) {
    const Token token = lexer.take();
    if (token.kind == Token::word && lexer.skip_if(':')) {
      name = &names_[in_.name(token.spelling)];
    } else if (token.kind == Token::number && name != nullptr) {
      const std::optional<Literal> byte = parse_literal(token.spelling);
      if (!byte || byte->bits == 0)
        name = nullptr;
      else
        *name += static_cast<char>(byte->bits);
    }
  }
}

void settle_names(const PlaceReader::Names& names, model::Module& module) {
  std::unordered_map<std::uint32_t, std::uint32_t> name_of_label;
  for (const auto& [label, name] : names) name_of_label[label] = module.names.add(name);
  for (model::Place& place : module.places) {
    if (place.function == model::none) continue;
    const auto found = name_of_label.find(place.function);
    place.function = found != name_of_label.end() ? found->second : model::none;
  }
}

}  // namespace frx::ingest::ptx
