// The state that the parts of the reader share: the text, the module that is built, and the first problem of the statement that is being
// read.
//
// Functions of the reader return whether they could read their construct. The first that could not has noted what it expected, and all the
// callers up to the statement return false; the statement is then skipped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "ingest/ptx/lexer.h"
#include "model/ptx_module.h"

namespace frx::ingest::ptx {

namespace model = ::frx::model::ptx;

// Of a list of the module, whose places are numbers of 32 bits.
template <typename T>
std::uint32_t size_of(const std::vector<T>& list) {
  return static_cast<std::uint32_t>(list.size());
}

class Reading {
 public:
  Reading(std::string_view text, Position from, model::Module& into) : lexer(text, from), module(into) {}

  static constexpr std::size_t problems_kept = 20;  // of a module; more are only counted

  Lexer lexer;
  model::Module& module;

  // The number of this name in module.names.
  std::uint32_t name(std::string_view spelling) {
    const NameTable::Found found = names_.add(spelling);
    if (found.is_new) module.names.add(spelling);
    return found.id;
  }
  // The same, `none` when nothing has this name yet.
  std::uint32_t find_name(std::string_view spelling) const { return names_.find(spelling); }
  // The name of that number, in the text.
  std::string_view spelling(std::uint32_t id) const { return names_[id]; }

  // Notes "expected `what`, found the token that is next"; false.
  bool expected(std::string_view what);
  // Consumes the mark, or notes that it was expected.
  bool take(char mark);
  // Consumes a name: a word without dots.
  bool take_name(std::string_view& spelling, std::string_view what);
  // Consumes an unsigned number of at most 32 bits.
  bool take_number(std::uint32_t& value);

  // Called when a statement could not be read: counts it, and moves to after its `;`, or before a brace or a function, whichever is first.
  void skip_statement();
  // Does the token begin a function, or a directive that only occurs outside of one?
  bool at_function() const;

 private:
  void keep_problem();
  bool at_block();

  NameTable names_;
  std::string problem_;
  const char* stop_ = nullptr;  // the next ';' or '}' from the last search position, or the end
};

}  // namespace frx::ingest::ptx
