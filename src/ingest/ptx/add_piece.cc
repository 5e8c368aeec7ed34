#include "ingest/ptx/add_piece.h"

#include <iterator>
#include <utility>

namespace frx::ingest::ptx {
namespace {

// An index that may be missing.
std::uint32_t moved(std::uint32_t index, std::uint32_t by) { return index == model::none ? index : index + by; }

void move(model::Range& range, std::uint32_t by) {
  range.begin += by;
  range.end += by;
}

template <typename T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

void PieceAdder::add(model::Module& piece, const ModuleReader& reader) {
  number_names(piece, reader);
  number_forms(piece);
  number_specials(piece);
  add_head(piece);
  // Each range and index of the piece begins at the sizes that the arrays have before its own items are added.
  add_functions(piece);
  add_places(piece, reader.function_names());
  add_declarations(piece);
  add_code(piece);
}

void PieceAdder::number_names(const model::Module& piece, const ModuleReader& reader) {
  name_of_.clear();
  for (std::uint32_t id = 0; id < piece.names.size(); ++id) {
    const NameTable::Found found = names_.add(reader.name(id));
    if (found.is_new) into_.names.add(reader.name(id));
    name_of_.push_back(found.id);
  }
}

void PieceAdder::number_forms(model::Module& piece) {
  form_of_.clear();
  for (model::Form& form : piece.forms) {
    std::uint32_t number = forms_.find(form.text);
    if (number == model::none) {
      number = forms_.add(spellings_.emplace_back(form.text)).id;
      into_.forms.push_back(std::move(form));
    }
    form_of_.push_back(number);
  }
}

void PieceAdder::number_specials(const model::Module& piece) {
  special_of_.clear();
  specials_.resize(names_.size(), 0);
  for (const model::Special& special : piece.specials) {
    std::uint32_t& number = specials_[name(special.name)];
    if (number == 0) {
      into_.specials.push_back({name(special.name), special.variance});
      number = size_of(into_.specials);
    }
    special_of_.push_back(number - 1);
  }
}

void PieceAdder::add_head(model::Module& piece) {
  if (into_.version.major == 0 && (piece.version.major != 0 || piece.version.minor != 0)) into_.version = piece.version;
  if (into_.targets.empty()) into_.targets = std::move(piece.targets);
  if (piece.address_size != 0) into_.address_size = piece.address_size;
  append(into_.files, piece.files);
  append(into_.sections, piece.sections);
  for (const model::Module::Alias& alias : piece.aliases) into_.aliases.push_back({name(alias.name), name(alias.of)});
  for (std::string& problem : piece.problems) {
    if (into_.problems.size() < Reading::problems_kept) into_.problems.push_back(std::move(problem));
  }
  into_.skipped_statements += piece.skipped_statements;
}

void PieceAdder::add_functions(const model::Module& piece) {
  for (model::Function function : piece.functions) {
    function.name = name(function.name);
    for (model::Range* const range : {&function.parameters, &function.returns, &function.variables}) move(*range, size_of(into_.variables));
    move(function.banks, size_of(into_.banks));
    move(function.instructions, size_of(into_.instructions));
    move(function.operands, size_of(into_.operands));
    move(function.labels, size_of(into_.labels));
    move(function.places, size_of(into_.places));
    into_.functions.push_back(function);
  }
}

void PieceAdder::add_places(const model::Module& piece, const PlaceReader::Names& function_names) {
  const std::uint32_t before = size_of(into_.places);
  for (model::Place place : piece.places) {
    place.function = name(place.function);
    place.called_from = moved(place.called_from, before);
    into_.places.push_back(place);
  }
  for (const auto& [label, name_of_function] : function_names) function_names_[name(label)] += name_of_function;
}

void PieceAdder::add_declarations(const model::Module& piece) {
  for (const std::uint32_t global : piece.globals) into_.globals.push_back(global + size_of(into_.variables));
  for (model::Variable variable : piece.variables) {
    variable.name = name(variable.name);
    into_.variables.push_back(variable);
  }
  for (model::RegisterBank bank : piece.banks) {
    bank.name = name(bank.name);
    into_.banks.push_back(bank);
  }
}

void PieceAdder::add_code(const model::Module& piece) {
  const std::uint32_t instructions = size_of(into_.instructions), operands = size_of(into_.operands), labels = size_of(into_.labels),
                      constants = size_of(into_.constants), lists = size_of(into_.target_lists),
                      places = size_of(into_.places) - size_of(piece.places);
  for (model::Instruction one : piece.instructions) {
    one.form = form_of_[one.form];
    one.first_operand += operands;
    one.place = moved(one.place, places);
    into_.instructions.push_back(one);
  }
  for (model::Operand operand : piece.operands) {
    switch (operand.kind) {
      case model::Operand::special: operand.value = special_of_[operand.value]; break;
      case model::Operand::wide: operand.value += constants; break;
      case model::Operand::label: operand.value += labels; break;
      case model::Operand::symbol:
      case model::Operand::selected: operand.value = name(operand.value); break;
      default: break;
    }
    into_.operands.push_back(operand);
  }
  for (const model::Label& label : piece.labels) {
    into_.labels.push_back({name(label.name), label.instruction + instructions, moved(label.targets, lists)});
  }
  for (model::TargetList list : piece.target_lists) {
    move(list.operands, operands);
    into_.target_lists.push_back(list);
  }
  into_.constants.insert(into_.constants.end(), piece.constants.begin(), piece.constants.end());
}

}  // namespace frx::ingest::ptx
