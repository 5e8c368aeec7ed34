#include "derive/cuda/live_scalars.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <memory_resource>
#include <utility>

namespace frx::derive::cuda {
namespace {

struct Variable {
  std::uint32_t from = 0, to = 0;  // nodes
  std::uint32_t registers = 1;
  bool is_empty = false;    // nothing was assigned yet
  bool is_literal = false;  // it was given a number, and nothing else since
};

class Scan {
 public:
  Scan(const Program& program, const Source& source, const std::set<std::string_view>& in_memory)
      : program_(program), source_(source), in_memory_(in_memory) {}

  std::uint32_t most_alive(std::uint32_t body) {
    for (std::uint32_t n = body; n < source_.syntax[body].last; ++n) {
      leave(n);
      enter(n);
    }
    return most();
  }

 private:
  void leave(std::uint32_t n) {
    while (!scopes_.empty() && n >= source_.syntax[scopes_.back().node].last) {
      for (; declared_.size() > scopes_.back().declared; declared_.pop_back()) names_[declared_.back()].pop_back();
      scopes_.pop_back();
    }
    while (!loops_.empty() && n >= source_.syntax[loops_.back()].last) loops_.pop_back();
  }

  void enter(std::uint32_t n) {
    switch (source_.syntax.kind(n)) {
      case NodeKind::for_statement:
      case NodeKind::while_statement:
      case NodeKind::do_statement: loops_.push_back(n); [[fallthrough]];
      case NodeKind::compound_statement: scopes_.push_back({n, declared_.size()}); break;
      case NodeKind::declaration: declare(n); break;
      case NodeKind::identifier: use(n); break;
      default: break;
    }
  }

  std::uint32_t elements(std::uint32_t declarator) const {
    std::uint64_t count = 1;
    for (std::uint32_t d = declarator; source_.syntax.is(d, NodeKind::array_declarator); d = source_.syntax.child(d, Role::declarator)) {
      const std::uint32_t size = source_.syntax.child(d, Role::size);
      if (size == none) return 1;
      std::string_view digits = source_.text_of(size);
      std::uint32_t where = 0;
      if (const auto* macro = program_.macro(digits, where)) digits = macro->body;
      std::uint64_t extent = 0;
      if (std::from_chars(digits.data(), digits.data() + digits.size(), extent).ec != std::errc()) return 1;
      count = std::min<std::uint64_t>(count * std::min<std::uint64_t>(extent, 65536), 65536);
    }
    return static_cast<std::uint32_t>(count);
  }

  // `const float k = -1.0f / 8` is an immediate operand, too, and so are the elements of {1, sqrt(2.0f)} where their index is constant.
  bool is_literal(std::uint32_t value) const {
    for (std::uint32_t n = value; value != none && n < source_.syntax[value].last; ++n) {
      if (!source_.syntax.is(n, NodeKind::identifier)) continue;
      const std::string_view name = source_.text_of(n);
      if (name != "sqrt" && name != "sqrtf") return false;
    }
    return value != none;
  }

  void declare(std::uint32_t n) {
    // A constant is an immediate operand.
    if (scopes_.empty() || has_word(source_, n, "__shared__") || has_word(source_, n, "constexpr")) return;
    const std::uint32_t type = source_.syntax.child(n, Role::type);
    const std::uint32_t bytes = type == none ? 0 : program_.type(source_.text_of(type)).bytes;
    const bool is_auto = source_.syntax.is(type, NodeKind::placeholder_type);
    for (std::uint32_t c = source_.syntax.first_child(n); c != none; c = source_.syntax.next_sibling(c)) {
      if (source_.syntax[c].role != Role::declarator) continue;
      const std::uint32_t name = name_in(source_, c);
      std::uint32_t plain = c;
      if (source_.syntax.is(c, NodeKind::init_declarator)) plain = source_.syntax.child(c, Role::declarator);
      if (name == none || source_.syntax.is(plain, NodeKind::function_declarator)) continue;
      if (has_word(source_, n, "const") && is_literal(source_.syntax.child(c, Role::value))) continue;
      Variable variable{n, n, (bytes * elements(plain) + 3) / 4};
      if (source_.syntax.is(plain, NodeKind::pointer_declarator)) variable.registers = 2;
      if (is_auto || source_.syntax.is(plain, NodeKind::reference_declarator)) variable.registers = 1;
      const std::uint32_t value = source_.syntax.is(c, NodeKind::init_declarator) ? source_.syntax.child(c, Role::value) : none;
      variable.is_empty = value == none;
      variable.is_literal = value != none && is_literal(value);
      if (in_memory_.contains(source_.text_of(name))) variable.registers = 0;
      if (source_.syntax.is(plain, NodeKind::pointer_declarator) || variable.registers == 0) variable.registers = 0;
      declared_.push_back(source_.text_of(name));
      names_[source_.text_of(name)].push_back(static_cast<std::uint32_t>(variables_.size()));
      variables_.push_back(variable);
    }
  }

  // Is it assigned to there, or may it be, by a function that is given it?
  bool may_change(std::uint32_t name) const {
    std::uint32_t whole = name, parent = source_.syntax[name].parent;
    while (source_.syntax.is(parent, NodeKind::subscript) && source_.syntax[whole].role == Role::argument) {
      whole = parent;  // an element of an array
      parent = source_.syntax[whole].parent;
    }
    if (source_.syntax.is(parent, NodeKind::assignment)) return source_.syntax[whole].role == Role::left;
    if (whole != name && source_.syntax.is(parent, NodeKind::argument_list)) return false;  // the value of an element
    return source_.syntax.is(parent, NodeKind::update) || source_.syntax.is(parent, NodeKind::argument_list) ||
           source_.syntax.is(parent, NodeKind::pointer_expression);
  }

  // A variable that was declared before a loop and is used in it is needed until the loop ends.
  void use(std::uint32_t n) {
    const auto at = names_.find(source_.text_of(n));
    if (at == names_.end() || at->second.empty()) return;
    Variable& variable = variables_[at->second.back()];
    if (source_.syntax[n].role == Role::declarator) return;                        // its declaration
    if (std::exchange(variable.is_empty, false)) variable.from = variable.to = n;  // it holds nothing before
    variable.is_literal = variable.is_literal && !may_change(n);
    std::uint32_t until = n;
    const auto loop = std::ranges::upper_bound(loops_, variable.from);
    if (loop != loops_.end()) until = source_.syntax[*loop].last;
    variable.to = std::max(variable.to, until);
  }

  std::uint32_t most() const {
    std::vector<std::pair<std::uint32_t, std::int64_t>> events;
    for (const Variable& v : variables_) {
      if (v.to == v.from || v.is_literal) continue;  // never used, or an immediate operand
      events.emplace_back(v.from, v.registers);
      events.emplace_back(v.to + 1, -static_cast<std::int64_t>(v.registers));
    }
    std::ranges::sort(events);
    std::int64_t alive = 0, highest = 0;
    for (const auto& [node, change] : events) highest = std::max(highest, alive += change);
    return static_cast<std::uint32_t>(std::min<std::int64_t>(highest, std::numeric_limits<std::uint32_t>::max()));
  }

  struct OpenScope {
    std::uint32_t node;
    std::size_t declared;  // names before it
  };
  const Program& program_;
  const Source& source_;
  const std::set<std::string_view>& in_memory_;
  std::array<std::byte, 8192> buffer_;  // enough for most kernels
  std::pmr::monotonic_buffer_resource scratch_{buffer_.data(), buffer_.size()};
  std::pmr::vector<OpenScope> scopes_{&scratch_};
  std::pmr::vector<std::uint32_t> loops_{&scratch_};
  std::pmr::vector<Variable> variables_{&scratch_};
  std::pmr::vector<std::string_view> declared_{&scratch_};
  std::pmr::unordered_map<std::string_view, std::pmr::vector<std::uint32_t>> names_{&scratch_};
};

}  // namespace

std::uint32_t live_scalars(const Program& program, const Function& function, const std::set<std::string_view>& in_memory) {
  return Scan(program, program.sources()[function.at.source], in_memory).most_alive(function.body);
}

}  // namespace frx::derive::cuda
