// What one CUDA file declares, as written: the entries of a Program.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "derive/cuda/program.h"

namespace frx::derive::cuda {

struct NamedGlobal {
  std::string_view name;
  Global global;
};
struct Enumerator {
  std::string_view name;
  EnumeratorValue value;
};
struct Alias {
  std::string_view name, type;
};
struct Record {
  struct Member {
    std::string_view name, type;
    bool is_pointer = false, is_array = false;
    std::uint32_t elements = 1;  // 0: unknown
    std::uint32_t levels = 0;    // of pointers and arrays
  };
  std::string_view name;
  std::vector<Member> members;
  bool holds_shared = false;
};
struct NamedMember {
  std::string_view type, member;
};
using Declaration = std::variant<Function, NamedGlobal, Enumerator, Alias, Record, NamedMember>;

// In the order of the file, on all cores. `index`: the number of the file, which the declarations refer to. Texts are views of it.
std::vector<Declaration> declarations_in(const Source& source, std::uint32_t index);

}  // namespace frx::derive::cuda
