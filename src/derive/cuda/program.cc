#include "derive/cuda/program.h"

#include <algorithm>

namespace frx::derive::cuda {
namespace {

constexpr std::uint32_t deepest_declarator = 64;

// The declarator inside pointers, references and arrays, as it stands in `declarator` or as its last child.
std::uint32_t inner(const Source& source, std::uint32_t node) {
  const std::uint32_t next = source.syntax.child(node, Role::declarator);
  if (next != none) return next;
  std::uint32_t last = none;
  for (std::uint32_t c = source.syntax.first_child(node); c != none; c = source.syntax.next_sibling(c)) {
    if (source.syntax.kind(c) != NodeKind::token) last = c;
  }
  return last;
}

std::uint32_t function_declarator(const Source& source, std::uint32_t node) {
  std::uint32_t at = source.syntax.child(node, Role::declarator);
  for (std::uint32_t depth = 0; at != none && depth < deepest_declarator; ++depth) {
    if (source.syntax.is(at, NodeKind::function_declarator)) return at;
    at = inner(source, at);
  }
  return none;
}

std::uint32_t aligned(std::uint32_t offset, std::uint32_t to) { return to == 0 ? offset : (offset + to - 1) / to * to; }

}  // namespace

std::uint32_t name_in(const Source& source, std::uint32_t node) {
  const auto& syntax = source.syntax;
  for (std::uint32_t depth = 0; node != none && depth < deepest_declarator; ++depth) {
    switch (syntax.kind(node)) {
      case NodeKind::identifier:
      case NodeKind::field_identifier:
      case NodeKind::type_identifier: return node;
      case NodeKind::qualified_identifier:
      case NodeKind::template_function:
      case NodeKind::template_method:
      case NodeKind::template_type: node = syntax.child(node, Role::name); break;
      case NodeKind::field_expression: node = syntax.child(node, Role::field); break;
      case NodeKind::init_declarator:
      case NodeKind::array_declarator:
      case NodeKind::function_declarator: node = syntax.child(node, Role::declarator); break;
      case NodeKind::pointer_declarator:
      case NodeKind::reference_declarator:
      case NodeKind::parenthesized:
      case NodeKind::parenthesized_declarator:
      case NodeKind::attributed_declarator: node = inner(source, node); break;
      case NodeKind::parameter:
      case NodeKind::optional_parameter: node = syntax.child(node, Role::declarator); break;
      default: return none;
    }
  }
  return none;
}

bool has_word(const Source& source, std::uint32_t declaration, std::string_view word) {
  const auto& syntax = source.syntax;
  for (std::uint32_t c = syntax.first_child(declaration); c != none; c = syntax.next_sibling(c)) {
    if (syntax[c].role == Role::declarator) return false;
    if (source.text_of(c) == word) return true;
  }
  return false;
}

std::uint32_t indirections(const Source& source, std::uint32_t declarator) {
  std::uint32_t count = 0;
  for (std::uint32_t depth = 0; declarator != none && depth < deepest_declarator; ++depth) {
    const NodeKind kind = source.syntax.kind(declarator);
    if (kind == NodeKind::identifier || kind == NodeKind::field_identifier) return count;
    if (kind == NodeKind::pointer_declarator || kind == NodeKind::array_declarator ||
        kind == NodeKind::abstract_pointer_declarator || kind == NodeKind::abstract_array_declarator) {
      ++count;
    }
    declarator = inner(source, declarator);
  }
  return count;
}

Program::Program(std::span<const Source> sources) : sources_(sources) {
  for (std::uint32_t i = 0; i < sources.size(); ++i) add(i);
}

void Program::add(std::uint32_t index) {
  const Source& source = sources_[index];
  for (std::uint32_t i = 0; i < source.macros.size(); ++i) macros_.try_emplace(source.macros[i].name, index, i);
  for (std::uint32_t n = 0; n < source.syntax.size(); ++n) {
    if (source.syntax[n].begin >= source.size) break;  // bodies of macros
    switch (source.syntax.kind(n)) {
      case NodeKind::function_definition: add_function({index, n}); break;
      case NodeKind::declaration: add_declaration({index, n}); break;
      case NodeKind::enumerator:
        enumerators_.try_emplace(source.text_of(source.syntax.child(n, Role::name)), NodeRef{index, n});
        break;
      case NodeKind::alias_declaration:
      case NodeKind::type_definition: add_alias({index, n}); break;
      case NodeKind::struct_specifier:
      case NodeKind::class_specifier: add_struct({index, n}); break;
      default: break;
    }
  }
}

void Program::add_function(NodeRef at) {
  const Source& source = sources_[at.source];
  Function function;
  function.at = at;
  function.declarator = function_declarator(source, at.node);
  function.body = source.syntax.child(at.node, Role::body);
  if (function.declarator == none || function.body == none) return;
  function.name_node = name_in(source, source.syntax.child(function.declarator, Role::declarator));
  if (function.name_node == none) return;
  function.name = source.text_of(function.name_node);
  function.is_kernel = has_word(source, at.node, "__global__");
  function.is_device = has_word(source, at.node, "__device__");
  const std::uint32_t parameters = source.syntax.child(function.declarator, Role::parameters);
  for (std::uint32_t p = parameters == none ? none : source.syntax.first_child(parameters); p != none;
       p = source.syntax.next_sibling(p)) {
    const NodeKind kind = source.syntax.kind(p);
    if (kind == NodeKind::parameter || kind == NodeKind::optional_parameter) function.parameters.push_back(p);
  }
  // A constexpr or a macro-qualified function may run on the device as well; a kernel may not be called.
  if (function.is_kernel) kernel_names_.insert(function.name);
  if (!function.is_kernel) device_functions_[function.name].push_back(static_cast<std::uint32_t>(functions_.size()));
  functions_.push_back(std::move(function));
}

void Program::add_declaration(NodeRef at) {
  const Source& source = sources_[at.source];
  std::uint32_t depth = 0;
  for (std::uint32_t p = source.syntax[at.node].parent; p != none; p = source.syntax[p].parent) {
    if (++depth > deepest_declarator) return;
    if (source.syntax.is(p, NodeKind::compound_statement) || source.syntax.is(p, NodeKind::function_definition)) return;
    if (source.syntax.is(p, NodeKind::field_declaration_list)) return;
  }
  Global global;
  global.declaration = at;
  global.is_constant_memory = has_word(source, at.node, "__constant__");
  global.is_shared = has_word(source, at.node, "__shared__");
  global.is_device = has_word(source, at.node, "__device__");
  for (std::uint32_t c = source.syntax.first_child(at.node); c != none; c = source.syntax.next_sibling(c)) {
    if (source.syntax[c].role != Role::declarator) continue;
    const std::uint32_t name = name_in(source, c);
    if (name == none || source.syntax.is(c, NodeKind::function_declarator)) continue;
    global.declarator = {at.source, c};
    const auto [entry, is_new] = globals_.try_emplace(source.text_of(name), global);
    if (!is_new) entry->second.is_ambiguous = true;
  }
}

void Program::add_alias(NodeRef at) {
  const Source& source = sources_[at.source];
  std::uint32_t name = source.syntax.child(at.node, Role::name);
  if (name == none) name = name_in(source, source.syntax.child(at.node, Role::declarator));
  const std::uint32_t type = source.syntax.child(at.node, Role::type);
  if (name == none || type == none) return;
  // `typedef float* p;` is no name for float.
  const std::uint32_t declarator = source.syntax.child(at.node, Role::declarator);
  if (declarator != none && indirections(source, declarator) > 0) return;
  if (source.syntax.is(type, NodeKind::struct_specifier)) {
    const std::uint32_t tag = source.syntax.child(type, Role::name);
    if (tag == none) return add_struct({at.source, type});
    aliases_.try_emplace(source.text_of(name), source.text_of(tag));
    return;
  }
  aliases_.try_emplace(source.text_of(name), source.text_of(type));
}

void Program::add_struct(NodeRef at) {
  const Source& source = sources_[at.source];
  const std::uint32_t body = source.syntax.child(at.node, Role::body);
  std::string_view name = source.text_of(source.syntax.child(at.node, Role::name));
  if (name.empty()) {  // typedef struct { ... } name;
    const std::uint32_t parent = source.syntax[at.node].parent;
    if (!source.syntax.is(parent, NodeKind::type_definition)) return;
    name = source.text_of(source.syntax.child(parent, Role::declarator));
  }
  if (body == none || name.empty()) return;
  Struct result;
  std::uint32_t offset = 0, widest = 1;
  bool known = true;
  for (std::uint32_t c = source.syntax.first_child(body); c != none; c = source.syntax.next_sibling(c)) {
    if (!source.syntax.is(c, NodeKind::field_declaration) || has_word(source, c, "static")) continue;
    for (std::uint32_t d = source.syntax.first_child(c); d != none; d = source.syntax.next_sibling(d)) {
      if (source.syntax[d].role != Role::declarator) continue;
      if (source.syntax.is(d, NodeKind::function_declarator)) continue;
      const std::uint32_t bytes = source.syntax.is(d, NodeKind::pointer_declarator)
                                      ? 8
                                      : type(source.text_of(source.syntax.child(c, Role::type))).bytes;
      if (bytes == 0 || source.syntax.is(d, NodeKind::array_declarator)) known = false;
      const std::uint32_t alignment = std::clamp(bytes & (0u - bytes), 1u, 16u);
      offset = aligned(offset, alignment);
      widest = std::max(widest, alignment);
      if (known) result.fields[source.text_of(name_in(source, d))] = {offset, bytes};
      offset += bytes;
    }
  }
  result.bytes = known ? aligned(offset, widest) : 0;
  structs_.try_emplace(name, std::move(result));
}

std::span<const std::uint32_t> Program::device_functions(std::string_view name) const {
  const auto at = device_functions_.find(name);
  return at == device_functions_.end() ? std::span<const std::uint32_t>() : at->second;
}

const Global* Program::global(std::string_view name) const {
  const auto at = globals_.find(name);
  return at == globals_.end() ? nullptr : &at->second;
}

std::optional<NodeRef> Program::enumerator(std::string_view name) const {
  const auto at = enumerators_.find(name);
  return at == enumerators_.end() ? std::nullopt : std::optional(at->second);
}

const model::cuda::Macro* Program::macro(std::string_view name, std::uint32_t& source) const {
  const auto at = macros_.find(name);
  if (at == macros_.end()) return nullptr;
  source = at->second.first;
  const model::cuda::Macro& macro = sources_[source].macros[at->second.second];
  return macro.is_ambiguous ? nullptr : &macro;
}

const Struct* Program::struct_named(std::string_view name) const {
  for (int steps = 0; steps < 8; ++steps) {
    if (const std::size_t scope = name.rfind("::"); scope != name.npos) name.remove_prefix(scope + 2);
    if (const auto at = structs_.find(name); at != structs_.end()) return &at->second;
    const auto alias = aliases_.find(name);
    if (alias == aliases_.end()) return nullptr;
    name = alias->second;
  }
  return nullptr;
}

TypeInfo Program::type(std::string_view name) const {
  for (int steps = 0; steps < 8; ++steps) {
    if (const TypeInfo known = type_named(name); known.bytes != 0) return known;
    if (const auto alias = aliases_.find(name); alias != aliases_.end() && alias->second != name) {
      name = alias->second;
      continue;
    }
    std::uint32_t source = 0;
    if (const model::cuda::Macro* m = macro(name, source); m && m->body != name) {
      name = m->body;
      continue;
    }
    break;
  }
  const Struct* found = struct_named(name);
  return found ? TypeInfo{found->bytes} : TypeInfo{};
}

}  // namespace frx::derive::cuda
