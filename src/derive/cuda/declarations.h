// What one CUDA file declares, as written: the entries of a Program.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "derive/cuda/program.h"

namespace frx::derive::cuda {

struct NamedGlobal {
  std::string_view record;  // the class of a constant; else ""
  std::string_view name;
  Global global;
};
struct Enumerator {
  std::string_view name;
  EnumeratorValue value;
};
struct Alias {
  std::string_view name, type;
  std::uint32_t pointers = 0;  // levels of them: typedef float* Row;
};
struct RecordMember {
  std::string_view name, type;
  bool is_pointer = false, is_array = false;
  bool is_reference = false;                   // to something elsewhere
  std::uint32_t elements = 1;                  // the product of those extents that are numbers; 0: unknown
  std::uint32_t levels = 0;                    // of pointers and arrays
  std::uint32_t pointers = 0;                  // of an array: as which its elements are pointers, 1 for `Node* children[8]`
  std::vector<std::string_view> extents = {};  // those that are names
  std::vector<std::string_view> inner = {};    // all but the first, as written, the last one first: 16, 8 of `float t[4][8][16]`
  std::vector<RecordMember> parts = {};        // of a record that is written here: union { float4 all; float each[4]; };
  bool is_union = false;                       // then: all of them begin where it does
};
struct Record {
  std::string_view name;
  std::vector<RecordMember> members;
  bool is_union = false;
  std::uint32_t alignment = 1;     // asked for: struct __align__(16) Place
  bool has_unknown_parts = false;  // a base, virtual functions, bit fields: places are unknown
  bool is_aggregate = true;        // neither a constructor nor a member with a value of its own
  bool holds_shared = false;
};
struct NamedMember {
  std::string_view type, member;
};
struct NamedNumber {  // const int rows = 16;
  std::string_view name;
  std::uint32_t number = 0;
};
using Declaration = std::variant<Function, NamedGlobal, Enumerator, Alias, Record, NamedMember, NamedNumber>;

// A positive decimal number without a suffix, or 0.
std::uint32_t extent_in(std::string_view digits);
// Of an array with these elements in each of so many rows; 0 where one of them is unknown, or for more than an array has.
std::uint32_t product_of_extents(std::uint32_t elements, std::uint32_t extent);

// In the order of the file, on all cores. `index`: the number of the file, which the declarations refer to. Texts are views of it.
std::vector<Declaration> declarations_in(const Source& source, std::uint32_t index);

}  // namespace frx::derive::cuda
