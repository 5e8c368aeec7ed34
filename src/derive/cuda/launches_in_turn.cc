#include "derive/cuda/launches_in_turn.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "derive/cuda/declarations.h"
#include "derive/cuda/error_looks.h"
#include "derive/cuda/host_calls.h"
#include "derive/cuda/host_steps.h"

namespace frx::derive::cuda {
namespace {

using model::cuda::PreviousLaunch;
using model::cuda::SharedArgument;

constexpr std::size_t most_arguments = 64;
constexpr std::size_t most_made = 16;  // of a variable that are looked at

struct WrittenLaunch {
  std::uint32_t call = none;
  std::vector<std::string> shape;  // grid, block, shared memory and stream
  std::vector<std::string_view> arguments;
};

class LaunchesInTurn {
 public:
  LaunchesInTurn(const Program& program, const Function& function)
      : source_(program.sources()[function.at.source]), syntax_(source_.syntax), function_(function), steps_(program, function) {}

  PreviousLaunches find() {
    note_pointers();
    for (std::uint32_t n = function_.body; n < syntax_[function_.body].last; ++n) {
      if (syntax_.is(n, NodeKind::compound_statement)) look_through(n);
    }
    return std::move(found_);
  }

 private:
  void look_through(std::uint32_t compound) {
    std::optional<WrittenLaunch> previous;
    std::vector<std::string_view> changed;  // names, since then
    for (std::uint32_t c = syntax_.first_child(compound); c != none; c = syntax_.next_sibling(c)) {
      if (syntax_.is(c, NodeKind::token)) continue;
      const HostStep step = steps_.of(c);
      const bool is_plain = syntax_.is(c, NodeKind::expression_statement) || syntax_.is(c, NodeKind::do_statement);
      const bool ends = syntax_.is(c, NodeKind::return_statement) || syntax_.is(c, NodeKind::labeled_statement);
      const bool is_other_work = step.kind == HostStep::launches && syntax_.child(step.call, NodeKind::kernel_call_syntax) == none;
      if (ends || is_other_work || step.kind == HostStep::needs || (step.kind == HostStep::launches && !is_plain) || writes_memory(c)) {
        previous.reset();
      } else if (step.kind == HostStep::launches) {
        WrittenLaunch here = written(step.call);
        if (previous) join(*previous, here, changed);
        previous = std::move(here);
        changed.clear();
      } else {
        note_changes(c, changed);
      }
    }
  }

  WrittenLaunch written(std::uint32_t call) const {
    WrittenLaunch launch{.call = call, .shape = {}, .arguments = {}};
    const std::uint32_t list = syntax_.child(call, Role::arguments), config = syntax_.child(call, NodeKind::kernel_call_syntax);
    for (std::uint32_t c = config == none ? none : syntax_.first_child(config); c != none; c = syntax_.next_sibling(c)) {
      if (!syntax_.is(c, NodeKind::token) && launch.shape.size() < most_arguments) launch.shape.push_back(extent(c));
    }
    for (std::uint32_t c = list == none ? none : syntax_.first_child(list); c != none; c = syntax_.next_sibling(c)) {
      if (!syntax_.is(c, NodeKind::token) && launch.arguments.size() < most_arguments) launch.arguments.push_back(source_.text_of(c));
    }
    return launch;
  }

  // As it is written but for blanks, or the value of a variable that nothing changes, nor anything in that value.
  std::string extent(std::uint32_t node) const {
    std::string_view written = source_.text_of(node);
    const auto value = syntax_.is(node, NodeKind::identifier) ? values_.find(written) : values_.end();
    if (value != values_.end() && value->second != none && stays(written) && stay(value->second)) written = source_.text_of(value->second);
    std::string text;
    std::ranges::copy_if(written, std::back_inserter(text), [](unsigned char c) { return std::isspace(c) == 0; });
    return text;
  }

  bool stays(std::string_view name) const { return !set_.contains(name); }
  bool stay(std::uint32_t value) const {
    for (std::uint32_t n = value; n < syntax_[value].last; ++n) {
      if (syntax_.is(n, NodeKind::call) || (syntax_.is(n, NodeKind::identifier) && !stays(source_.text_of(n)))) return false;
    }
    return true;
  }

  // A copy or a fill of memory, or pointers that change places.
  bool writes_memory(std::uint32_t statement) const {
    for (std::uint32_t n = statement; n < syntax_[statement].last; ++n) {
      if (!syntax_.is(n, NodeKind::call)) continue;
      const std::string_view name = callee_name(source_, n);
      if (name == "swap" || runtime_name(name).starts_with("Memset") || runtime_name(name).starts_with("Memcpy")) return true;
    }
    return false;
  }

  void note_changes(std::uint32_t statement, std::vector<std::string_view>& changed) const {
    for (std::uint32_t n = statement; n < syntax_[statement].last; ++n) {
      if (const std::uint32_t target = changed_by(source_, n); target != none) changed.push_back(source_.text_of(target));
      const bool declares = syntax_.is(n, NodeKind::init_declarator);
      const std::string_view declared = declares ? source_.text_of(name_in(source_, n)) : std::string_view();
      // One that is declared here alone was no argument before.
      const auto value = values_.find(declared);
      if (!declared.empty() && (value == values_.end() || value->second == none)) changed.push_back(declared);
    }
  }

  void join(const WrittenLaunch& there, const WrittenLaunch& here, const std::vector<std::string_view>& changed) {
    if (there.shape != here.shape) return;
    const std::string_view all = source_.text_of(here.call);
    const auto is_used = [&](std::string_view name) {
      return all.find(name) != all.npos ||
             std::ranges::any_of(here.shape, [&](const std::string& extent) { return holds_word(extent, name); });
    };
    if (std::ranges::any_of(changed, is_used) || have_aliases(there, here)) return;
    auto previous = std::make_shared<PreviousLaunch>();
    const std::uint32_t name = name_in(source_, syntax_.child(there.call, Role::function));
    if (name == none) return;
    previous->kernel = std::string(source_.text_of(name));
    previous->place = source_.place_of(name);
    for (std::size_t i = 0; i < here.arguments.size(); ++i) {
      const std::string_view text = here.arguments[i];
      const auto is_same = [text](const SharedArgument& one) { return one.text == text; };
      if (std::ranges::find(there.arguments, text) == there.arguments.end() || std::ranges::any_of(previous->arguments, is_same)) continue;
      SharedArgument argument{std::string(text), {}, {}};
      for (std::uint32_t k = 0; k < there.arguments.size(); ++k) {
        if (there.arguments[k] == text) argument.there.push_back(k);
      }
      for (std::uint32_t k = 0; k < here.arguments.size(); ++k) {
        if (here.arguments[k] == text) argument.here.push_back(k);
      }
      previous->arguments.push_back(std::move(argument));
    }
    if (!previous->arguments.empty()) found_.emplace(here.call, std::move(previous));
  }

  // float* up = t + width; float* p = &t[n]; float* q = t;
  void note_pointers() {
    for (std::uint32_t n = function_.body; n < syntax_[function_.body].last; ++n) {
      const bool is_declared = syntax_.is(n, NodeKind::init_declarator);
      note_set(n);
      if (!is_declared && !syntax_.is(n, NodeKind::assignment)) continue;
      const std::uint32_t value = syntax_.child(n, is_declared ? Role::value : Role::right);
      const std::uint32_t name = is_declared ? name_in(source_, n) : syntax_.child(n, Role::left);
      if (value == none || name == none) continue;
      const std::string_view made = source_.text_of(value);
      const auto [known, is_first] = values_.try_emplace(source_.text_of(name), is_declared ? value : none);
      if (!is_first) known->second = none;
      const bool may_be_place = syntax_.is(value, NodeKind::identifier) || made.find_first_of("+&") != made.npos;
      std::vector<std::string_view>& all = made_of_[source_.text_of(name)];
      if (may_be_place && all.size() < most_made) all.push_back(made);
    }
  }

  // What the function sets, counts or gives a pointer to.
  void note_set(std::uint32_t node) {
    const std::uint32_t target = changed_by(source_, node);
    for (std::uint32_t n = target; target != none && n < syntax_[target].last; ++n) {
      if (syntax_.is(n, NodeKind::identifier)) set_.insert(source_.text_of(n));
    }
  }

  // t beside t + 1, or beside `up`: by one of them the second launch may reach what is of other threads of the first one.
  bool have_aliases(const WrittenLaunch& there, const WrittenLaunch& here) const {
    return std::ranges::any_of(there.arguments, [&](std::string_view first) {
      return std::ranges::any_of(here.arguments, [&](std::string_view second) {
        return first != second && (leads_into(second, first) || leads_into(first, second));
      });
    });
  }

  // Is it a variable, which the other argument is made of?
  bool leads_into(std::string_view other, std::string_view array) const {
    if (array.empty() || std::isdigit(static_cast<unsigned char>(array.front())) != 0) return false;
    if (holds_word(other, array)) return true;
    const auto values = made_of_.find(other);
    if (values == made_of_.end()) return false;
    return values->second.size() >= most_made ||
           std::ranges::any_of(values->second, [&](std::string_view value) { return holds_word(value, array); });
  }

  static bool holds_word(std::string_view text, std::string_view word) {
    const auto is_part = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
    }
    return false;
  }

  const Source& source_;
  const model::cuda::Syntax& syntax_;
  const Function& function_;
  const HostSteps steps_;
  std::unordered_map<std::string_view, std::vector<std::string_view>> made_of_;  // places that variables are set to
  std::unordered_map<std::string_view, std::uint32_t> values_;                   // nodes, of variables that are declared once; else none
  std::unordered_set<std::string_view> set_;
  PreviousLaunches found_;
};

}  // namespace

PreviousLaunches previous_launches(const Program& program, const Function& function) { return LaunchesInTurn(program, function).find(); }

}  // namespace frx::derive::cuda
