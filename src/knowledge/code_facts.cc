#include "knowledge/code_facts.h"

#include <algorithm>

#include "base/text.h"

namespace frx::knowledge {
namespace {

using model::CodeFactId;

std::size_t index_of(std::string_view subject) {
  return static_cast<std::size_t>(std::ranges::find(code_subjects, subject) - std::begin(code_subjects));
}

Result<std::uint8_t> subjects_of(const Value& names) {
  std::uint8_t bits = 0;
  for (const std::string_view name : names.texts()) {
    const std::size_t index = index_of(name);
    if (index == std::size(code_subjects)) {
      const std::vector<std::string> known(std::begin(code_subjects), std::end(code_subjects));
      return fail(ErrorKind::malformed, "expected some of {} for 'of', found '{}'", join(known, ", "), name).at(names.where());
    }
    bits |= static_cast<std::uint8_t>(1u << index);
  }
  return bits;
}

}  // namespace

Result<CodeFactCatalogue> CodeFactCatalogue::load(const Library& library) {
  CodeFactCatalogue catalogue;
  for (const Value& root : library.folder("facts/code")) {
    TRY_ASSIGN(const Value list, root.list("facts"));
    for (std::size_t i = 0; i < list.size(); ++i) TRY(catalogue.add(list.item(i), root));
  }
  return catalogue;
}

Result<> CodeFactCatalogue::add(const Value& entry, const Value& file) {
  const std::optional<CodeFactId> id = model::code_fact_called(entry["id"].text());
  if (!id) {
    return fail(ErrorKind::malformed, "'{}' is no fact that frx finds out", entry["id"].text())
        .at(entry["id"] ? entry["id"].where() : entry.where())
        .hint(fmt::format("the nearest is '{}'", nearest(entry["id"].text(), model::code_fact_names)));
  }
  TRY_ASSIGN(FactDefinition read, read_fact(entry));
  CodeFactDefinition fact{read, 0};
  TRY_ASSIGN(fact.subjects, subjects_of(entry["of"] ? entry["of"] : file["of"]));
  definitions_[static_cast<std::size_t>(*id)] = fact;
  return {};
}

std::optional<CodeFactId> CodeFactCatalogue::of(std::string_view subject, std::string_view name) const {
  const std::optional<CodeFactId> id = model::code_fact_called(name);
  const bool is_known = id && ((*this)[*id].subjects >> index_of(subject) & 1) != 0;
  return is_known ? id : std::nullopt;
}

Scope CodeFactCatalogue::scope_of(std::string_view subject) const {
  return [this, subject](std::string_view name) -> std::optional<Operand> {
    const std::optional<CodeFactId> id = of(subject, name);
    if (!id || (*this)[*id].type == CodeFactDefinition::text) return std::nullopt;
    const CodeFactDefinition& fact = (*this)[*id];
    return Operand{static_cast<std::uint32_t>(*id), fact.unit, fact.type == CodeFactDefinition::truth};
  };
}

Result<> CodeFactCatalogue::check_words(std::string_view words, std::string_view subject, const std::string& where) const {
  for (std::size_t open = words.find('{'); open != words.npos; open = words.find('{', open + 1)) {
    const std::string_view name = words.substr(open + 1, words.find_first_of(":}", open) - open - 1);
    if (!of(subject, name)) return fail(ErrorKind::malformed, "a {} has no fact '{}'", subject, name).at(where);
  }
  return {};
}

}  // namespace frx::knowledge
