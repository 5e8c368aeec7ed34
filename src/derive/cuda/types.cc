#include "derive/cuda/types.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/name_filter.h"
#include "base/text.h"

namespace frx::derive::cuda {
namespace {

using Entry = std::pair<std::string_view, TypeInfo>;

constexpr std::array<Entry, 75> table{{
    {"bool", {1}},
    {"_Bool", {1}},
    {"char", {1}},
    {"signed char", {1}},
    {"unsigned char", {1}},
    {"uchar", {1}},
    {"int8_t", {1}},
    {"uint8_t", {1}},
    {"uint8", {1}},
    {"int8", {1}},
    {"short", {2}},
    {"unsigned short", {2}},
    {"ushort", {2}},
    {"int16_t", {2}},
    {"uint16_t", {2}},
    {"half", {2, 1, true}},
    {"__half", {2, 1, true}},
    {"nv_bfloat16", {2, 1, true}},
    {"__nv_bfloat16", {2, 1, true}},
    {"bfloat16", {2, 1, true}},
    {"half2", {4, 2, true}},
    {"__half2", {4, 2, true}},
    {"nv_bfloat162", {4, 2, true}},
    {"__nv_bfloat162", {4, 2, true}},
    {"half_t", {2, 1, true}},
    {"bfloat16_t", {2, 1, true}},
    {"float16_t", {2, 1, true}},
    {"BFloat16", {2, 1, true}},
    {"Half", {2, 1, true}},
    {"int", {4}},
    {"signed", {4}},
    {"signed int", {4}},
    {"unsigned", {4}},
    {"unsigned int", {4}},
    {"uint", {4}},
    {"int32_t", {4}},
    {"uint32_t", {4}},
    {"float", {4}},
    {"long", {8}},
    {"unsigned long", {8}},
    {"long int", {8}},
    {"ulong", {8}},
    {"long long", {8}},
    {"unsigned long long", {8}},
    {"long long int", {8}},
    {"unsigned long long int", {8}},
    {"int64_t", {8}},
    {"uint64_t", {8}},
    {"size_t", {8}},
    {"double", {8}},
    {"cuComplex", {8, 2}},
    {"cuFloatComplex", {8, 2}},
    {"cuDoubleComplex", {16, 2}},
    {"void", {1}},
    // Names that many projects and the libraries of CUDA give to the types above.
    {"u8", {1}},
    {"i8", {1}},
    {"s8", {1}},
    {"u16", {2}},
    {"i16", {2}},
    {"s16", {2}},
    {"uint16", {2}},
    {"int16", {2}},
    {"u32", {4}},
    {"i32", {4}},
    {"s32", {4}},
    {"f32", {4}},
    {"uint32", {4}},
    {"int32", {4}},
    {"cufftReal", {4}},
    {"u64", {8}},
    {"i64", {8}},
    {"uint64", {8}},
    {"int64", {8}},
    {"cufftComplex", {8, 2}},
    {"cufftDoubleComplex", {16, 2}},
}};

constexpr std::array<Entry, 13> vectors{{{"char", {1}},
                                         {"uchar", {1}},
                                         {"short", {2}},
                                         {"ushort", {2}},
                                         {"int", {4}},
                                         {"uint", {4}},
                                         {"float", {4}},
                                         {"long", {8}},
                                         {"ulong", {8}},
                                         {"longlong", {8}},
                                         {"ulonglong", {8}},
                                         {"double", {8}},
                                         {"bool", {1}}}};

class Types {
 public:
  template <std::size_t size>
  explicit Types(const std::array<Entry, size>& entries) : by_name_(entries.begin(), entries.end()) {
    for (const Entry& entry : entries) names_.add(entry.first);
  }
  TypeInfo find(std::string_view name) const {
    if (!names_.may_have(name)) return {};
    const auto at = by_name_.find(name);
    return at == by_name_.end() ? TypeInfo{} : at->second;
  }

 private:
  NameFilter<> names_;
  std::unordered_map<std::string_view, TypeInfo> by_name_;
};

}  // namespace

std::string_view without_qualifiers(std::string_view name) {
  name = trim(name);
  constexpr std::array<std::string_view, 6> qualifiers = {"const ", "volatile ", "typename ", "struct ", "class ", "union "};
  for (const auto* at = qualifiers.begin(); at != qualifiers.end();) {
    at = std::ranges::find_if(qualifiers, [&](std::string_view qualifier) { return name.starts_with(qualifier); });
    if (at != qualifiers.end()) name = trim(name.substr(at->size()));
  }
  return name;
}

bool is_type_by_convention(std::string_view name) {
  constexpr std::array<std::string_view, 17> names{"u8",  "i8",  "s8",  "u16",    "i16",   "s16", "uint16", "int16", "u32",
                                                   "i32", "s32", "f32", "uint32", "int32", "u64", "i64",    "uint64"};
  return name == "int64" || std::ranges::find(names, name) != names.end();
}

TypeInfo type_named(std::string_view name) {
  name = without_qualifiers(name);
  if (const std::size_t scope = name.rfind("::"); scope != name.npos) name.remove_prefix(scope + 2);
  static const Types plain_types(table), parts_of_vectors(vectors);
  if (const TypeInfo plain = plain_types.find(name); plain.bytes != 0) return plain;
  if (name.size() < 4 || name.back() < '1' || name.back() > '4') return {};
  TypeInfo part = parts_of_vectors.find(name.substr(0, name.size() - 1));
  part.parts = static_cast<std::uint32_t>(name.back() - '0');
  part.bytes *= part.parts;
  return part;
}

}  // namespace frx::derive::cuda
