// Adds what was read of the pieces of a text to one module, which is then what it would be if one reader had read all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/name_table.h"
#include "ingest/ptx/module_reader.h"
#include "model/ptx_module.h"

namespace frx::ingest::ptx {

class PieceAdder {
 public:
  // The module is empty but for the name of its file. `names`: how many there may be.
  PieceAdder(model::Module& into, std::size_t names) : into_(into) { names_.reserve(names); }

  // The next piece, in the order of the text, which must outlive this.
  void add(model::Module& piece, const ModuleReader& reader);
  // After the last one.
  void finish() { settle_names(function_names_, into_); }

 private:
  // What the numbers of the piece are in the module: those of names by a list, those of the arrays by what is added to each.
  void number_names(const model::Module& piece, const ModuleReader& reader);
  void number_forms(model::Module& piece);
  void number_specials(const model::Module& piece);
  void add_head(model::Module& piece);
  void add_declarations(const model::Module& piece);
  void add_functions(const model::Module& piece);
  void add_code(const model::Module& piece);
  void add_places(const model::Module& piece, const PlaceReader::Names& function_names);
  std::uint32_t name(std::uint32_t id) const { return id == model::none ? id : name_of_[id]; }

  model::Module& into_;
  NameTable names_, forms_;
  std::deque<std::string> spellings_;    // of forms
  std::vector<std::uint32_t> specials_;  // by name: index into the specials of the module + 1
  PlaceReader::Names function_names_;
  std::vector<std::uint32_t> name_of_, form_of_, special_of_;  // by number in the piece
};

}  // namespace frx::ingest::ptx
