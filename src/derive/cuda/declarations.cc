#include "derive/cuda/declarations.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"

namespace frx::derive::cuda {
namespace {

constexpr std::uint32_t deepest_declarator = 64;
constexpr std::uint32_t most_specifiers = 64;  // before the name of a declaration, that are looked at

// The declarator inside pointers, references and arrays: the child `declarator`, or the last child.
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

}  // namespace

std::uint32_t extent_in(std::string_view digits) {
  std::uint32_t extent = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), extent);
  return read.ec == std::errc() && read.ptr == digits.data() + digits.size() ? extent : 0;
}

std::uint32_t product_of_extents(std::uint32_t elements, std::uint32_t extent) {
  constexpr std::uint32_t most = 1 << 20;
  return extent == 0 || elements == 0 || extent > most / elements ? 0 : elements * extent;
}

std::string_view callee_name(const Source& source, std::uint32_t call) {
  const std::uint32_t called = source.syntax.child(call, Role::function);
  if (source.syntax.is(called, NodeKind::field_expression)) return source.text_of(source.syntax.child(called, Role::field));
  const std::uint32_t name = called == none ? none : name_in(source, called);
  return name == none ? std::string_view() : source.text_of(name);
}

std::size_t count_of_arguments(const model::cuda::Syntax& syntax, std::uint32_t call) {
  const std::uint32_t list = syntax.child(call, Role::arguments);
  std::size_t count = 0;
  for (std::uint32_t c = list == none ? none : syntax.first_child(list); c != none; c = syntax.next_sibling(c))
    count += !syntax.is(c, NodeKind::token);
  return count;
}

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

std::string_view innermost_scope(const Source& source, std::uint32_t qualified) {
  const auto& syntax = source.syntax;
  std::uint32_t scope = none;
  for (std::uint32_t depth = 0; syntax.is(qualified, NodeKind::qualified_identifier) && depth < deepest_declarator; ++depth) {
    scope = syntax.child(qualified, Role::scope);
    qualified = syntax.child(qualified, Role::name);
  }
  if (scope == none) return {};
  const std::uint32_t name = name_in(source, scope);  // of b<T>
  return source.text_of(name == none ? scope : name);
}

std::string_view class_of_function(const Source& source, const Function& function) {
  if (!function.record.empty()) return function.record;
  return innermost_scope(source, source.syntax.child(function.declarator, Role::declarator));
}

bool has_word(const Source& source, std::uint32_t declaration, std::string_view word) {
  const auto& syntax = source.syntax;
  std::uint32_t seen = 0;
  for (std::uint32_t c = syntax.first_child(declaration); c != none && seen < most_specifiers; c = syntax.next_sibling(c), ++seen) {
    if (syntax[c].role == Role::declarator) return false;
    if (source.text_of(c) == word) return true;
  }
  return false;
}

bool is_declared_constant(const Source& source, std::uint32_t declaration) {
  return has_word(source, declaration, "const") || has_word(source, declaration, "constexpr");
}

bool is_one_statement(const Source& source, std::uint32_t body) {
  std::uint32_t only = none;
  for (std::uint32_t c = source.syntax.first_child(body); c != none; c = source.syntax.next_sibling(c)) {
    if (source.syntax.is(c, NodeKind::token)) continue;
    if (only != none) return false;
    only = c;
  }
  return only != none && (source.syntax.is(only, NodeKind::return_statement) || source.syntax.is(only, NodeKind::expression_statement));
}

bool hands_back_reference(const Source& source, const Function& function) {
  const std::uint32_t declarator = source.syntax.child(function.at.node, Role::declarator);
  return source.syntax.is(declarator, NodeKind::reference_declarator) && is_one_statement(source, function.body);
}

std::uint32_t indirections(const Source& source, std::uint32_t declarator) {
  std::uint32_t count = 0;
  for (std::uint32_t depth = 0; declarator != none && depth < deepest_declarator; ++depth) {
    const NodeKind kind = source.syntax.kind(declarator);
    if (kind == NodeKind::identifier || kind == NodeKind::field_identifier) return count;
    if (kind == NodeKind::pointer_declarator || kind == NodeKind::array_declarator || kind == NodeKind::abstract_pointer_declarator ||
        kind == NodeKind::abstract_array_declarator) {
      ++count;
    }
    declarator = inner(source, declarator);
  }
  return count;
}

namespace {

// The declarations of one file, as written.
class Declarer {
 public:
  Declarer(const Source& source, std::uint32_t index) : source_(source), syntax_(source.syntax), index_(index) {}

  // Of the nodes from `first` to before `last`, which are whole declarations of the file.
  std::vector<Declaration> read(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t n = first; n < last; ++n) {
      if (syntax_[n].begin >= source_.size) break;  // bodies of macros
      switch (syntax_.kind(n)) {
        case NodeKind::function_definition: add_function(n); break;
        case NodeKind::declaration: add_declaration(n); break;
        case NodeKind::field_declaration: add_constants_of_class(n); break;
        case NodeKind::enumerator: add_enumerator(n); break;
        case NodeKind::alias_declaration:
        case NodeKind::type_definition: add_alias(n); break;
        case NodeKind::struct_specifier:
        case NodeKind::class_specifier:
        case NodeKind::union_specifier: add_struct(n); break;
        case NodeKind::field_expression: add_named_member(n); break;
        default: break;
      }
    }
    return std::move(found_);
  }

 private:
  std::string_view text(std::uint32_t node) const { return source_.text_of(node); }

  void add_function(std::uint32_t node) {
    Function function;
    function.at = {index_, node};
    function.declarator = function_declarator(source_, node);
    function.body = syntax_.child(node, Role::body);
    if (function.declarator == none || function.body == none) return;
    function.name_node = name_in(source_, syntax_.child(function.declarator, Role::declarator));
    function.is_kernel = has_word(source_, node, "__global__");
    function.is_device = has_word(source_, node, "__device__");
    function.record = record_around(node);
    if (function.record.empty()) {
      function.record = innermost_scope(source_, syntax_.child(function.declarator, Role::declarator));
      function.is_outside = !function.record.empty();
    }
    if (function.name_node == none) {
      // The operator of a class that launches, or one that objects of device code are used with.
      function.name_node = syntax_.child(function.declarator, Role::declarator);
      if (function.name_node == none || function.is_kernel || (function.is_device && function.record.empty())) return;
    }
    function.name = text(function.name_node);
    constexpr std::uint32_t most_nodes_that_wait = 200;
    function.may_only_wait = !function.is_kernel && !function.is_device && syntax_[node].last - node <= most_nodes_that_wait &&
                             (text(function.body).find("DeviceSynchronize(") != std::string_view::npos ||
                              text(function.body).find("ThreadSynchronize(") != std::string_view::npos);
    if (function.is_kernel || function.is_device) {
      pointers_.clear();
      end_of_pointers_ = syntax_[node].last;
    }
    const std::uint32_t parameters = syntax_.child(function.declarator, Role::parameters);
    for (std::uint32_t p = parameters == none ? none : syntax_.first_child(parameters); p != none; p = syntax_.next_sibling(p)) {
      const NodeKind kind = syntax_.kind(p);
      if (kind != NodeKind::parameter && kind != NodeKind::optional_parameter) continue;
      function.parameters.push_back(p);
      if (end_of_pointers_ == syntax_[node].last) add_pointer(p);
    }
    found_.emplace_back(std::move(function));
  }

  // A parameter that points to objects of some class.
  void add_pointer(std::uint32_t parameter) {
    const std::uint32_t type = syntax_.child(parameter, Role::type), declarator = syntax_.child(parameter, Role::declarator);
    if (!syntax_.is(type, NodeKind::type_identifier) || indirections(source_, declarator) != 1) return;
    const std::uint32_t name = name_in(source_, declarator);
    if (name != none) pointers_.insert_or_assign(text(name), text(type));
  }

  // p[i].member, p->member; not p[i].method().
  void add_named_member(std::uint32_t node) {
    if (node >= end_of_pointers_ || pointers_.empty()) return;
    const std::uint32_t parent = syntax_[node].parent;
    if (syntax_.is(parent, NodeKind::call) && syntax_.child(parent, Role::function) == node) return;
    std::uint32_t object = syntax_.child(node, Role::argument);
    if (syntax_.is(object, NodeKind::subscript)) object = syntax_.child(object, Role::argument);
    const auto pointer = syntax_.is(object, NodeKind::identifier) ? pointers_.find(text(object)) : pointers_.end();
    if (pointer == pointers_.end()) return;
    const NamedMember found{pointer->second, text(syntax_.child(node, Role::field))};
    if (members_.emplace(found.type, found.member).second) found_.emplace_back(found);
  }

  // The name of the class in whose braces a function stands.
  std::string_view record_around(std::uint32_t node) const {
    std::uint32_t list = syntax_[node].parent;
    if (syntax_.is(list, NodeKind::template_declaration)) list = syntax_[list].parent;
    if (!syntax_.is(list, NodeKind::field_declaration_list)) return "";
    return text(name_in(source_, syntax_.child(syntax_[list].parent, Role::name)));
  }

  // It counts from the last one before it in its list that has a value.
  void add_enumerator(std::uint32_t node) {
    const std::uint32_t list = syntax_[node].parent, value = syntax_.child(node, Role::value);
    ++last_enumerator_.behind;
    if (list != enumerators_of_) last_enumerator_ = {{index_, none}, 0};
    if (value != none) last_enumerator_ = {{index_, value}, 0};
    enumerators_of_ = list;
    found_.emplace_back(Enumerator{text(syntax_.child(node, Role::name)), last_enumerator_});
  }

  void add_declaration(std::uint32_t node) {
    std::uint32_t depth = 0;
    for (std::uint32_t p = syntax_[node].parent; p != none; p = syntax_[p].parent) {
      if (++depth > deepest_declarator) return;
      if (syntax_.is(p, NodeKind::compound_statement) || syntax_.is(p, NodeKind::function_definition)) return;
      if (syntax_.is(p, NodeKind::field_declaration_list)) return;
    }
    Global global;
    global.declaration = {index_, node};
    global.is_constant_memory = has_word(source_, node, "__constant__");
    global.is_shared = has_word(source_, node, "__shared__");
    global.is_device = has_word(source_, node, "__device__");
    for (std::uint32_t c = syntax_.first_child(node); c != none; c = syntax_.next_sibling(c)) {
      if (syntax_[c].role != Role::declarator) continue;
      const std::uint32_t name = name_in(source_, c);
      if (name == none || syntax_.is(c, NodeKind::function_declarator)) continue;
      global.declarator = {index_, c};
      global.value = syntax_.child(c, Role::value);
      const std::uint32_t declared = syntax_.is(c, NodeKind::init_declarator) ? syntax_.child(c, Role::declarator) : c;
      found_.emplace_back(NamedGlobal{innermost_scope(source_, declared), text(name), global});
      add_number(node, c, text(name));
    }
  }

  // struct Tile { static constexpr int rows = 8, columns = 32; };
  void add_constants_of_class(std::uint32_t node) {
    if (!has_word(source_, node, "static") || !is_declared_constant(source_, node)) return;
    const std::string_view record = record_around(node);
    if (record.empty()) return;
    Global constant;
    constant.declaration = {index_, node};
    for (std::uint32_t c = syntax_.first_child(node); c != none; c = syntax_.next_sibling(c)) {
      if (syntax_[c].role == Role::declarator) {
        constant.declarator = {index_, c};
      } else if (syntax_[c].role == Role::default_value && syntax_.is(constant.declarator.node, NodeKind::field_identifier)) {
        constant.value = c;
        found_.emplace_back(NamedGlobal{record, text(constant.declarator.node), constant});
      }
    }
  }

  void add_number(std::uint32_t declaration, std::uint32_t declarator, std::string_view name) {
    if (!syntax_.is(declarator, NodeKind::init_declarator) ||
        !syntax_.is(syntax_.child(declarator, Role::declarator), NodeKind::identifier))
      return;
    if (!is_declared_constant(source_, declaration)) return;
    const std::uint32_t value = syntax_.child(declarator, Role::value);
    if (const std::uint32_t number = value == none ? 0 : extent_in(text(value)); number != 0)
      found_.emplace_back(NamedNumber{name, number});
  }

  // typedef struct Row { ... } Row, *RowPointer;
  void add_alias(std::uint32_t node) {
    const std::uint32_t type = syntax_.child(node, Role::type);
    if (type == none) return;
    std::string_view of = text(type);
    if (is_record(type)) {
      const std::uint32_t tag = syntax_.child(type, Role::name);
      if (tag == none) add_struct(type);
      of = tag == none ? name_of_unnamed(type) : text(tag);
      if (of.empty()) return;
    }
    if (const std::uint32_t name = syntax_.child(node, Role::name); name != none) {  // using Row = float*;
      std::uint32_t pointers = 0;
      for (; of.ends_with('*'); of = trim(of.substr(0, of.size() - 1))) ++pointers;
      found_.emplace_back(Alias{text(name), of, pointers});
      return;
    }
    for (std::uint32_t d = syntax_.first_child(node); d != none; d = syntax_.next_sibling(d)) {
      if (syntax_[d].role != Role::declarator) continue;
      const std::uint32_t name = name_in(source_, d);
      const std::uint32_t pointers = pointers_around(d, name);
      // `typedef float Row[4];` does not name float, nor a function what it returns.
      if (name != none && indirections(source_, d) == pointers && text(name) != of) found_.emplace_back(Alias{text(name), of, pointers});
    }
  }

  // How many `*` alone stand around a name.
  std::uint32_t pointers_around(std::uint32_t declarator, std::uint32_t name) const {
    std::uint32_t count = 0;
    for (; syntax_.is(declarator, NodeKind::pointer_declarator) && count < deepest_declarator; ++count)
      declarator = inner(source_, declarator);
    return declarator == name ? count : 0;
  }

  // Of `typedef struct { ... } name;`, else "".
  std::string_view name_of_unnamed(std::uint32_t record) const {
    const std::uint32_t parent = syntax_[record].parent;
    return syntax_.is(parent, NodeKind::type_definition) ? text(syntax_.child(parent, Role::declarator)) : std::string_view();
  }

  void add_struct(std::uint32_t node) {
    const std::uint32_t body = syntax_.child(node, Role::body);
    Record record;
    record.name = text(syntax_.child(node, Role::name));
    if (record.name.empty()) record.name = name_of_unnamed(node);
    if (body == none || record.name.empty()) return;
    record.holds_shared = holds_shared(body);
    record.is_union = syntax_.is(node, NodeKind::union_specifier);
    read_head(node, body, record);
    add_members(body, record.members, record, 0);
    found_.emplace_back(std::move(record));
  }

  bool is_record(std::uint32_t type) const {
    return syntax_.is(type, NodeKind::struct_specifier) || syntax_.is(type, NodeKind::class_specifier) ||
           syntax_.is(type, NodeKind::union_specifier);
  }

  // A struct, class or union with members that has no name, as the type of a declaration; else none.
  std::uint32_t unnamed_record(std::uint32_t type) const {
    return is_record(type) && syntax_.child(type, Role::name) == none && syntax_.child(type, Role::body) != none ? type : none;
  }

  // `record`: the one around all of them.
  void add_members(std::uint32_t body, std::vector<RecordMember>& members, Record& record, std::uint32_t depth) const {
    constexpr std::uint32_t deepest = 8;
    if (depth > deepest) {
      record.has_unknown_parts = true;
      return;
    }
    for (std::uint32_t c = syntax_.first_child(body); c != none; c = syntax_.next_sibling(c)) {
      record.has_unknown_parts = record.has_unknown_parts || has_unknown_parts(c);
      record.is_aggregate = record.is_aggregate && !makes_values(c, record.name);
      if (!syntax_.is(c, NodeKind::field_declaration) || has_word(source_, c, "static")) continue;
      RecordMember written_here;
      if (const std::uint32_t type = unnamed_record(syntax_.child(c, Role::type)); type != none) {
        written_here.is_union = syntax_.is(type, NodeKind::union_specifier);
        add_members(syntax_.child(type, Role::body), written_here.parts, record, depth + 1);
        if (syntax_.child(c, Role::declarator) == none) members.push_back(written_here);
      }
      for (std::uint32_t d = syntax_.first_child(c); d != none; d = syntax_.next_sibling(d)) {
        if (syntax_[d].role != Role::declarator || syntax_.is(d, NodeKind::function_declarator)) continue;
        std::uint32_t pointers = 0, plain = d;
        for (; syntax_.is(plain, NodeKind::pointer_declarator) && pointers < deepest_declarator; ++pointers)
          plain = syntax_.child(plain, Role::declarator);
        const bool is_array = syntax_.is(plain, NodeKind::array_declarator);
        RecordMember& member = members.emplace_back(written_here);
        member.name = text(name_in(source_, d));
        if (member.parts.empty()) member.type = text(syntax_.child(c, Role::type));
        member.is_pointer = pointers > 0;
        member.is_reference = syntax_.is(plain, NodeKind::reference_declarator);
        member.is_array = is_array;
        member.levels = indirections(source_, d);
        if (is_array) member.pointers = pointers;
        set_extents(plain, member);
      }
    }
  }

  // What stands before the members, and behind them in `typedef struct { ... } __attribute__((aligned(16))) Place;`.
  void read_head(std::uint32_t node, std::uint32_t body, Record& record) const {
    const std::string_view whole = text(node);
    const std::uint32_t begin = syntax_[node].begin, end = syntax_[body].begin + static_cast<std::uint32_t>(text(body).size());
    const std::string_view head = whole.substr(0, std::min<std::size_t>(syntax_[body].begin - begin, whole.size()));
    const std::uint32_t before = alignment_in(head), behind = alignment_in(whole.substr(std::min<std::size_t>(end - begin, whole.size())));
    record.alignment = std::max(before, behind);
    record.has_unknown_parts = before == 0 || behind == 0;
    for (std::size_t colon = head.find(':'); colon != head.npos; colon = head.find(':', colon + 2)) {
      if (head.substr(colon, 2) != "::") record.has_unknown_parts = true;  // struct Circle : Shape
    }
  }

  // 1 where none is asked for; 0: unknown.
  static std::uint32_t alignment_in(std::string_view specifiers) {
    constexpr std::uint32_t largest = 1024;
    const std::size_t word = specifiers.find("align");
    if (word == specifiers.npos) return 1;
    const std::size_t open = specifiers.find('(', word), close = specifiers.find(')', word);
    if (open == specifiers.npos || close == specifiers.npos || close < open) return 0;
    const std::uint32_t alignment = extent_in(trim(specifiers.substr(open + 1, close - open - 1)));
    return alignment <= largest && std::has_single_bit(alignment) ? alignment : 0;
  }

  // struct Inner { ... }; enum Kind { ... };
  bool declares_type(std::uint32_t type) const {
    return type != none && (is_record(type) ? syntax_.child(type, Role::name) != none : text(type).starts_with("enum"));
  }

  bool has_unknown_parts(std::uint32_t member) const {
    if (has_word(source_, member, "virtual")) return true;
    if (!syntax_.is(member, NodeKind::field_declaration)) return false;
    bool any_name = false, any_bits = false;
    for (std::uint32_t d = syntax_.first_child(member); d != none; d = syntax_.next_sibling(d)) {
      any_name = any_name || syntax_[d].role == Role::declarator;
      any_bits = any_bits || (text(d).starts_with(':') && !text(d).starts_with("::"));
    }
    const std::uint32_t type = syntax_.child(member, Role::type);
    return any_bits || (!any_name && !(declares_type(type) || unnamed_record(type) != none));
  }

  // Is a member a constructor of the class, or has it a value from the beginning?
  bool makes_values(std::uint32_t member, std::string_view record) const {
    std::string_view written = text(member);
    if (const std::uint32_t body = syntax_.child(member, Role::body); body != none)
      written = written.substr(0, syntax_[body].begin - syntax_[member].begin);
    if (syntax_.is(member, NodeKind::field_declaration) && written.find('(') == written.npos)
      return written.find_first_of("={") != written.npos;
    for (std::size_t at = written.find(record); at != written.npos; at = written.find(record, at + 1)) {
      const std::string_view behind = trim(written.substr(at + record.size()));
      const char before = at == 0 ? ' ' : written[at - 1];
      const bool is_in_word = before == '~' || before == '_' || std::isalnum(static_cast<unsigned char>(before)) != 0;
      if (!is_in_word && behind.starts_with('(')) return true;
    }
    return false;
  }

  // Of `float r[3][N]`: 3, and N. One that is neither number nor name is unknown.
  void set_extents(std::uint32_t declarator, RecordMember& member) const {
    for (std::uint32_t d = declarator; syntax_.is(d, NodeKind::array_declarator); d = syntax_.child(d, Role::declarator)) {
      const std::uint32_t size = syntax_.child(d, Role::size);
      if (syntax_.is(syntax_.child(d, Role::declarator), NodeKind::array_declarator)) member.inner.push_back(text(size));
      if (syntax_.is(size, NodeKind::identifier)) {
        member.extents.push_back(text(size));
      } else {
        member.elements = product_of_extents(member.elements, extent_in(text(size)));
      }
    }
  }

  // template <class T> struct SharedMemory { __device__ operator T*() { extern __shared__ int bytes[]; return (T*)bytes; } };
  bool holds_shared(std::uint32_t body) const {
    constexpr std::uint32_t longest = 400;  // nodes of a class that does nothing else
    if (syntax_[body].last - body > longest) return false;
    for (std::uint32_t n = body; n < syntax_[body].last; ++n) {
      if (syntax_.is(n, NodeKind::declaration) && has_word(source_, n, "__shared__")) return true;
    }
    return false;
  }

  const Source& source_;
  const model::cuda::Syntax& syntax_;
  std::uint32_t index_;
  std::uint32_t enumerators_of_ = none;  // the list of the last enumerator
  EnumeratorValue last_enumerator_;
  std::vector<Declaration> found_;
  std::unordered_map<std::string_view, std::string_view> pointers_;  // types by name, of parameters of the last function of device code,
  std::uint32_t end_of_pointers_ = 0;                                // which ends there
  std::set<std::pair<std::string_view, std::string_view>> members_;  // types and members that were found
};

}  // namespace

// A large file is read in parts: some declarations at file scope each.
std::vector<Declaration> declarations_in(const Source& source, std::uint32_t index) {
  constexpr std::uint32_t part = 65'536;  // nodes
  const model::cuda::Syntax& syntax = source.syntax;
  std::vector<std::uint32_t> begins{0};
  for (std::uint32_t n = 1; n < syntax.size(); n = syntax[n].last) {
    if (n - begins.back() >= part) begins.push_back(n);
  }
  begins.push_back(syntax.size());
  std::vector<std::vector<Declaration>> found(begins.size() - 1);
  for_each_in_parallel(found.size(), [&](std::size_t i) { found[i] = Declarer(source, index).read(begins[i], begins[i + 1]); });
  std::vector<Declaration> all = std::move(found.front());
  for (std::vector<Declaration>& some : std::span(found).subspan(1)) std::ranges::move(some, std::back_inserter(all));
  return all;
}

}  // namespace frx::derive::cuda
