// Some CUDA files as one program: where each function, constant, type and macro is defined.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "derive/cuda/types.h"
#include "model/cuda_source.h"

namespace frx::derive::cuda {

using model::cuda::NodeKind;
using model::cuda::none;
using model::cuda::Role;
using model::cuda::Source;

// A node of one of the files.
struct NodeRef {
  std::uint32_t source = 0, node = none;
  bool operator==(const NodeRef&) const = default;
};

struct Function {
  NodeRef at;             // function_definition
  std::string_view name;  // without namespaces
  std::uint32_t name_node = none;
  std::uint32_t declarator = none;  // function_declarator
  std::uint32_t body = none;
  std::vector<std::uint32_t> parameters;
  bool is_kernel = false, is_device = false;
};

// A variable at the outermost level: a constant, or memory of the device.
struct Global {
  NodeRef declaration, declarator;
  bool is_constant_memory = false, is_device = false, is_shared = false;
  bool is_ambiguous = false;
};

struct Field {
  std::uint32_t offset = 0, bytes = 0;
};

struct Struct {
  std::uint32_t bytes = 0;  // 0: unknown
  std::unordered_map<std::string_view, Field> fields;
};

class Program {
 public:
  // `sources` must outlive the program.
  explicit Program(std::span<const Source> sources);

  std::span<const Source> sources() const { return sources_; }
  const std::vector<Function>& functions() const { return functions_; }
  // Those that code on the device can call, by name.
  std::span<const std::uint32_t> device_functions(std::string_view name) const;

  bool is_kernel(std::string_view name) const { return kernel_names_.contains(name); }

  const Global* global(std::string_view name) const;
  // Value of an enumerator: it and those before it in its list, since the last one with a value.
  std::optional<NodeRef> enumerator(std::string_view name) const;
  const model::cuda::Macro* macro(std::string_view name, std::uint32_t& source) const;
  const Struct* struct_named(std::string_view name) const;
  // Follows aliases and macros; zero bytes when not known.
  TypeInfo type(std::string_view name) const;

 private:
  void add(std::uint32_t source);
  void add_function(NodeRef at);
  void add_declaration(NodeRef at);
  void add_alias(NodeRef at);
  void add_struct(NodeRef at);

  std::span<const Source> sources_;
  std::vector<Function> functions_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> device_functions_;
  std::unordered_set<std::string_view> kernel_names_;
  std::unordered_map<std::string_view, Global> globals_;
  std::unordered_map<std::string_view, NodeRef> enumerators_;
  std::unordered_map<std::string_view, std::pair<std::uint32_t, std::uint32_t>> macros_;
  std::unordered_map<std::string_view, std::string_view> aliases_;
  std::unordered_map<std::string_view, Struct> structs_;
};

// The last name in `a::b::name<T>`, `object.name`, `*name`, `name[3]`: the identifier's node, or none.
std::uint32_t name_in(const Source& source, std::uint32_t node);

// Does a declaration or definition have that word before its name: "__shared__", "extern", "const"?
bool has_word(const Source& source, std::uint32_t declaration, std::string_view word);

// How many `*` and `[]` a declarator adds.
std::uint32_t indirections(const Source& source, std::uint32_t declarator);

}  // namespace frx::derive::cuda
