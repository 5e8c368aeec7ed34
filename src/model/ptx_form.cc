#include "model/ptx_form.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace frx::model::ptx {
namespace {

struct TypeName {
  std::string_view name;
  int bits;
};

// In the order of Type.
constexpr std::array<TypeName, 22> types = {{{"", 0},     {"b8", 8},   {"b16", 16}, {"b32", 32},   {"b64", 64},  {"b128", 128},
                                             {"u8", 8},   {"u16", 16}, {"u32", 32}, {"u64", 64},   {"s8", 8},    {"s16", 16},
                                             {"s32", 32}, {"s64", 64}, {"f16", 16}, {"f16x2", 32}, {"bf16", 16}, {"bf16x2", 32},
                                             {"f32", 32}, {"f64", 64}, {"pred", 0}, {"opaque", 0}}};

// In the order of Space.
constexpr std::array<std::string_view, 6> spaces = {"", "global", "shared", "local", "const", "param"};

// In the order of Category.
constexpr std::array<std::string_view, 18> categories = {
    "global_load", "global_store", "shared_load", "shared_store", "local_load", "local_store", "tensor", "sfu",     "atomic",
    "barrier",     "control_flow", "conversion",  "comparison",   "fp64",       "fp16",        "fp32",   "integer", "other"};

// Short names as numbers, so that one comparison tells them apart: every modifier of every instruction is looked up.
constexpr std::size_t longest_key = 8;
constexpr std::uint64_t key_of(std::string_view name) {
  std::uint64_t key = 0;
  for (const char letter : name) key = key << 8 | static_cast<unsigned char>(letter);
  return key;
}

struct KeyedType {
  std::uint64_t key = 0;
  Type type = Type::none;
};

// In ascending order of the keys.
constexpr std::array<KeyedType, types.size()> types_by_key = [] {
  std::array<KeyedType, types.size()> keyed = {};
  for (std::size_t i = 0; i < types.size(); ++i) keyed[i] = {key_of(types[i].name), static_cast<Type>(i)};
  std::ranges::sort(keyed, {}, &KeyedType::key);
  return keyed;
}();

}  // namespace

std::string_view name_of(Category category) { return categories[static_cast<std::size_t>(category)]; }

Type type_named(std::string_view name) {
  if (name.size() >= 6 && (name == "texref" || name == "samplerref" || name == "surfref")) return Type::opaque;
  if (name.empty() || name.size() > longest_key) return Type::none;
  const std::uint64_t key = key_of(name);
  const auto found = std::ranges::lower_bound(types_by_key, key, {}, &KeyedType::key);
  return found != types_by_key.end() && found->key == key ? found->type : Type::none;
}

std::string_view name_of(Type type) { return types[static_cast<std::size_t>(type)].name; }

int bits_of(Type type) { return types[static_cast<std::size_t>(type)].bits; }

Space space_named(std::string_view name) {
  for (std::size_t i = 1; i < spaces.size(); ++i) {
    if (spaces[i] == name) return static_cast<Space>(i);
  }
  return Space::none;
}

std::string_view name_of(Space space) { return spaces[static_cast<std::size_t>(space)]; }

}  // namespace frx::model::ptx
