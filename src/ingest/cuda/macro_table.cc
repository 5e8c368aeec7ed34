#include "ingest/cuda/macro_table.h"

#include <algorithm>
#include <array>

#include "ingest/cuda/directive.h"
#include "ingest/cuda/scanner.h"

namespace frx::ingest::cuda {
namespace {

using model::cuda::Macro;

constexpr std::size_t most_forgetting = 1'000'000;
constexpr int most_steps_back = 16;

// Words of the language and of CUDA, which a header for another compiler may define, and names whose meaning the analysis knows.
constexpr std::array kept_names = std::to_array<std::string_view>({"NULL",         "TRUE",
                                                                   "FALSE",        "__constant__",
                                                                   "__device__",   "__forceinline__",
                                                                   "__global__",   "__host__",
                                                                   "__inline__",   "__managed__",
                                                                   "__noinline__", "__restrict__",
                                                                   "__shared__",   "__launch_bounds__",
                                                                   "abs",          "assert",
                                                                   "bool",         "ceil",
                                                                   "const",        "double",
                                                                   "fabs",         "false",
                                                                   "float",        "floor",
                                                                   "fma",          "fmax",
                                                                   "fmin",         "inline",
                                                                   "int",          "max",
                                                                   "min",          "printf",
                                                                   "restrict",     "sqrt",
                                                                   "static",       "true",
                                                                   "umax",         "umin",
                                                                   "unsigned",     "void"});

// The body of a macro that is no value and no type, although its brackets match.
constexpr std::array structural =
    std::to_array<std::string_view>({"const", "volatile", "__restrict__", "__restrict", "__forceinline__", "__noinline__", "__constant__",
                                     "typename", "break", "continue", "__launch_bounds__", "__attribute__", "_Pragma"});

bool has_structure(std::string_view body) {
  Scanner scanner(body);
  std::string_view last;
  for (Piece piece = scanner.next(); piece.kind != Piece::end; piece = scanner.next()) {
    if (piece.kind == Piece::comment) continue;
    last = scanner.of(piece);
    if (std::ranges::find(structural, last) != structural.end()) return true;
  }
  return last == "*" || last == "&";
}

bool is_name(std::string_view body) {
  return !body.empty() && (body[0] < '0' || body[0] > '9') && std::ranges::all_of(body, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

bool means_the_same(const Macro& a, const Macro& b) {
  return a.body == b.body && a.is_function == b.is_function && a.parameters == b.parameters;
}

bool is_replaceable(const Macro& macro) { return std::ranges::find(kept_names, macro.name) == kept_names.end(); }

MacroUse use_of(const Macro& macro) {
  if (!is_replaceable(macro)) return MacroUse::keep;
  if (macro.is_function) return MacroUse::expand;
  if (is_name(macro.body) && may_be_expression(macro.body) && !has_structure(macro.body)) return MacroUse::alias;
  return may_be_expression(macro.body) && !has_structure(macro.body) ? MacroUse::keep : MacroUse::expand;
}

void MacroTable::add(std::string_view name, Event event) {
  auto at = by_name_.find(name);
  if (at == by_name_.end()) at = by_name_.emplace(std::string(name), Events()).first;
  at->second.push_back(event);
  filter_.add(name);
  log_.emplace_back(event.place, &at->second);
}

void MacroTable::define(Macro macro, std::size_t place, bool is_certain) {
  const auto number = static_cast<std::uint32_t>(definitions_.size());
  const MacroUse use = use_of(macro);
  add(macro.name, {place, number, is_certain});
  definitions_.push_back({std::move(macro), use});
}

void MacroTable::undefine(std::string_view name, std::size_t place, bool is_certain) {
  if (is_known(name)) add(name, {place, none, is_certain});
}

void MacroTable::forget(std::size_t begin, std::size_t end) {
  auto kept = log_.end();
  while (kept != log_.begin() && (kept - 1)->first >= begin && forgetting_ < most_forgetting) {
    --kept;
    ++forgetting_;
  }
  log_.erase(std::remove_if(kept, log_.end(),
                            [&](const auto& entry) {
                              if (entry.first < begin || entry.first >= end) return false;
                              forgetting_ += entry.second->size();
                              std::erase_if(*entry.second, [&](const Event& event) { return event.place == entry.first; });
                              return true;
                            }),
             log_.end());
}

const MacroDefinition* MacroTable::at(std::string_view name, std::size_t place) const {
  if (!may_know(name)) return nullptr;
  const auto entry = by_name_.find(name);
  if (entry == by_name_.end()) return nullptr;
  const Events& events = entry->second;
  auto event = std::ranges::upper_bound(events, place, {}, &Event::place);
  const MacroDefinition* found = nullptr;
  for (int steps = 0; event != events.begin(); ++steps) {
    --event;
    if (steps == most_steps_back) return nullptr;
    if (event->definition == none) return event->is_certain ? found : nullptr;
    const MacroDefinition& one = definitions_[event->definition];
    if (!found) {
      found = &one;
    } else if (!means_the_same(found->macro, one.macro)) {
      // Whichever it is, it defines kernels.
      const auto defines_kernel = [](const Macro& m) { return !m.is_function && m.body.find(kernel_word) != std::string::npos; };
      if (!defines_kernel(found->macro) || !defines_kernel(one.macro)) return nullptr;
    }
    if (event->is_certain) return found;
  }
  return found;
}

std::optional<bool> MacroTable::is_defined(std::string_view name, std::size_t place) const {
  if (!may_know(name)) return std::nullopt;
  const auto entry = by_name_.find(name);
  if (entry == by_name_.end()) return std::nullopt;
  const auto event = std::ranges::upper_bound(entry->second, place, {}, &Event::place);
  if (event == entry->second.begin() || !(event - 1)->is_certain) return std::nullopt;
  return (event - 1)->definition != none;
}

std::vector<Macro> MacroTable::all() const {
  std::vector<Macro> macros;
  std::unordered_map<std::string_view, std::size_t> numbers;
  std::vector<bool> is_live(definitions_.size());
  for (const auto& [name, events] : by_name_) {
    for (const Event& event : events) {
      if (event.definition != none) is_live[event.definition] = true;
    }
  }
  for (std::size_t i = 0; i < definitions_.size(); ++i) {
    if (!is_live[i]) continue;
    const Macro& macro = definitions_[i].macro;
    const auto [at, is_new] = numbers.try_emplace(macro.name, macros.size());
    if (is_new) {
      macros.push_back(macro);
    } else if (macros[at->second].body != macro.body) {
      macros[at->second].is_ambiguous = true;
    }
  }
  return macros;
}

}  // namespace frx::ingest::cuda
