// `.loc`: the source line of the instructions after it.
//
//   .loc 3 124 9, function_name $L__info_string1, inlined_at 2 518 5
//
// File, line and column; for inlined code also a label in .debug_str with the name of the function, and the line it was inlined at, for
// which a .loc of its own was written before.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ingest/ptx/reading.h"

namespace frx::ingest::ptx {

class PlaceReader {
 public:
  explicit PlaceReader(Reading& in) : in_(in) {}

  // Called after `.loc`.
  bool read();
  // The place of the instructions that follow; `none` before the first.
  std::uint32_t current() const { return current_; }
  void begin_function();

  // Reads the content of `.section .debug_str`: the names of the labels.
  void read_names(std::string_view section);
  using Names = std::unordered_map<std::uint32_t, std::string>;  // by label
  const Names& names() const { return names_; }

 private:
  bool read_position(model::Place& place);
  bool read_inlined(model::Place& place);
  std::uint32_t outer(const model::Place& call);

  Reading& in_;
  std::uint32_t current_ = model::none;
  // Places of the function by position in the source: the latest of each.
  std::unordered_map<std::uint64_t, std::uint32_t> latest_;
  Names names_;
};

// Called at the end of the module: resolves the labels that places name to the names of functions.
void settle_names(const PlaceReader::Names& names, model::Module& module);

}  // namespace frx::ingest::ptx
