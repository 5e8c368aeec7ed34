// A module, or a piece of one, item by item: directives, variables, functions.
//
// Between two items nothing is known of those before but their names, so that a piece can be read for itself and added to the others.
#pragma once

#include <cstdint>
#include <string_view>

#include "ingest/ptx/function.h"
#include "ingest/ptx/places.h"
#include "ingest/ptx/reading.h"

namespace frx::ingest::ptx {

class ModuleReader {
 public:
  // Reads `text`, which must outlive the reader, from a position between two items on.
  ModuleReader(std::string_view text, Position from, model::Module& into) : in_(text, from, into), places_(in_), functions_(in_, places_) {}

  // Reads the items that begin before `limit`.
  void read(std::size_t limit);
  // Where the next item begins.
  Position position() const { return in_.lexer.position(); }

  // The name of that number in the module, in the text.
  std::string_view name(std::uint32_t id) const { return in_.spelling(id); }
  // What `.section .debug_str` calls the functions that labels stand for.
  const PlaceReader::Names& function_names() const { return places_.names(); }

 private:
  bool read_item();
  bool read_directive(std::string_view name);
  bool read_version();
  bool read_targets();
  bool read_address_size();
  bool read_variable(model::Linkage linkage);
  bool read_file();
  bool read_section();
  bool read_alias();
  bool skip_to_semicolon();

  Reading in_;
  PlaceReader places_;
  FunctionReader functions_;
};

}  // namespace frx::ingest::ptx
