#include "derive/layout/sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "derive/layout/strides.h"

namespace frx::derive::layout {
namespace {

using model::Timeline;

constexpr std::size_t longest_path = 4;

// What stands for a node in the program: of the backward pass the operator of the forward pass, where that is known.
struct Origin {
  std::uint32_t row = none;
  bool backward = false;
};

Origin origin_of(const LayoutTrace& trace, std::uint32_t node) {
  const trace::BackwardWork& backward = trace.backward();
  for (const std::uint32_t work : trace.all_work(node)) {
    if (backward.is_backward[work]) return {backward.forward[work], true};
  }
  for (std::uint32_t at = node; at != none; at = trace.nodes()[at].parent) {
    if (trace.name(at).starts_with("autograd::engine")) return {none, true};
  }
  return {trace.nodes()[node].row, false};
}

// Names of the operator and of those around it, the innermost first.
std::array<std::uint32_t, longest_path> path_to(const LayoutTrace& trace, std::uint32_t node) {
  std::array<std::uint32_t, longest_path> names;
  names.fill(none);
  std::size_t count = 0;
  for (std::uint32_t at = node; at != none && count < longest_path; at = trace.nodes()[at].parent) {
    if (trace.nodes()[at].role == OperatorRole::autograd && at != node) continue;
    const std::uint32_t name = trace.timeline().name[trace.nodes()[at].row];
    if (count == 0 || names[count - 1] != name) names[count++] = name;
  }
  return names;
}

std::string text_of_path(const LayoutTrace& trace, std::uint32_t node) {
  std::vector<std::string> names;
  for (const std::uint32_t name : path_to(trace, node)) {
    if (name != none) names.emplace_back(trace.timeline().names[name]);
  }
  std::ranges::reverse(names);
  return join(names, " > ");
}

std::string neighbours_of(const LayoutTrace& trace, std::uint32_t node) {
  const std::uint32_t before = trace.previous_sibling(node), after = trace.next_sibling(node);
  if (before == none && after == none) return {};
  if (after == none) return fmt::format("after {}", trace.name(before));
  if (before == none) return fmt::format("before {}", trace.name(after));
  return fmt::format("between {} and {}", trace.name(before), trace.name(after));
}

std::string shapes_of(const LayoutTrace& trace, std::uint32_t node) {
  const RecordedInputs* const inputs = trace.inputs(node);
  const RecordedTensor* const first = inputs ? tensor_at(*inputs, 0) : nullptr;
  return first ? text_of(first->shape) : std::string();
}

// "Attention" of "Attention_3"; "blocks.*.attention" of "blocks.3.attention".
std::string class_of(std::string_view module) {
  std::vector<std::string> parts;
  for (std::string_view part : split(module, '.')) {
    const std::size_t last = part.find_last_not_of("0123456789");
    if (last == part.npos) {
      parts.emplace_back("*");
      continue;
    }
    if (last + 1 < part.size() && part[last] == '_' && last > 0) part = part.substr(0, last);
    parts.emplace_back(part);
  }
  return join(parts, ".");
}

void put_line(const trace::ProgramLine& line, Site& site) {
  site.file = line.file;
  site.line = line.line;
  site.function = line.function;
  site.is_line_of_call = line.is_of_call;
}

SitePlaces places_of(const Timeline& timeline, const std::vector<std::uint32_t>& rows, const trace::ProgramFiles& program) {
  SitePlaces places;
  places.lines = trace::program_places(timeline, rows, program);
  const trace::ModuleRanges modules = trace::module_ranges(timeline, {});
  if (modules.rows.empty()) return places;
  places.modules = trace::innermost_around(timeline, modules.rows, rows);
  places.module_around = modules.around;
  return places;
}

// Numbers of the paths of modules, so that the text of one is made only once.
class ModulePaths {
 public:
  ModulePaths(const Timeline& timeline, const SitePlaces& places, Interner& texts) : timeline_(timeline), places_(places), texts_(texts) {}

  // "Model_0.Encoder_1.Attention_3", of the innermost module. A name that stands for a whole path ("blocks.0.attention") is not repeated.
  std::uint32_t of(std::uint32_t innermost) {
    const std::uint32_t outer = is_path(innermost) ? none : outer_path(places_.module_around[innermost]);
    return appended(outer, timeline_.name[innermost]);
  }

  // The number of its text with numbers left out, which is that of its class.
  std::uint32_t class_number(std::uint32_t path) {
    while (classes_.size() <= path) classes_.push_back(class_texts_.add(class_of(texts_[static_cast<std::uint32_t>(classes_.size())])));
    return classes_[path];
  }

 private:
  bool is_path(std::uint32_t row) const { return trace::module_name(timeline_.name_of(row)).find('.') != std::string_view::npos; }

  std::uint32_t outer_path(std::uint32_t row) {
    std::vector<std::uint32_t> open;
    for (; row != none && !of_row_.contains(row); row = places_.module_around[row]) open.push_back(row);
    std::uint32_t path = row == none ? none : of_row_.at(row);
    for (; !open.empty(); open.pop_back()) path = of_row_[open.back()] = appended(path, timeline_.name[open.back()]);
    return path;
  }

  std::uint32_t appended(std::uint32_t outer, std::uint32_t name) {
    const auto [at, is_new] = appended_.try_emplace(std::uint64_t{outer} << 32 | name, none);
    if (is_new) {
      const std::string_view own = trace::module_name(timeline_.names[name]);
      at->second = texts_.add(outer == none ? std::string(own) : fmt::format("{}.{}", texts_[outer], own));
    }
    return at->second;
  }

  const Timeline& timeline_;
  const SitePlaces& places_;
  Interner& texts_;
  std::unordered_map<std::uint32_t, std::uint32_t> of_row_;    // of modules around others
  std::unordered_map<std::uint64_t, std::uint32_t> appended_;  // by path and the name of a module in it
  Interner class_texts_;
  std::vector<std::uint32_t> classes_;  // by path
};

// Numbers of all that tells one call from another; `none` where there is nothing.
struct CallKey {
  std::array<std::uint32_t, longest_path> path;  // names of operators
  std::uint32_t first_module = none, module = none, line = none, next = none, shapes = none;
  bool backward = false;
  friend bool operator==(const CallKey&, const CallKey&) = default;
};

struct CallKeyHash {
  std::size_t operator()(const CallKey& key) const {
    std::uint64_t hash = key.backward;
    const auto add = [&](std::uint32_t number) { hash = (std::rotl(hash, 23) ^ number) * 0x9E3779B97F4A7C15U; };
    for (const std::uint32_t name : key.path) add(name);
    for (const std::uint32_t number : {key.first_module, key.module, key.line, key.next, key.shapes}) add(number);
    return hash ^ (hash >> 32);
  }
};

// Equal numbers for equal texts, each made once for equal sources of it.
class TextNumbers {
 public:
  template <typename Make>
  std::uint32_t of(std::uint64_t source, const Make& make) {
    const auto [at, is_new] = of_source_.try_emplace(source, none);
    if (!is_new) return at->second;
    const std::string text = make();
    return at->second = text.empty() ? none : texts_.add(text);
  }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> of_source_;
  Interner texts_;
};

std::string text_of(const trace::ProgramLine& line) {
  return line.file.empty() ? std::string() : fmt::format("{}\n{}", line.file, line.line);
}

}  // namespace

std::string Site::text() const {
  std::string where;
  if (!file.empty()) {
    where = trace::ProgramLine{file, line, function, is_line_of_call}.text();
  } else if (!module.empty()) {
    where = fmt::format("{}{}", first_module, modules > 1 ? fmt::format(" and {} more", modules - 1) : "");
  } else {
    where = op_path;
    if (!shapes.empty()) where += " " + shapes;
    if (!beside.empty()) where += ", " + beside;
  }
  return backward ? where + " (backward)" : where;
}

Sites::Sites(const LayoutTrace& trace, std::vector<std::uint32_t> nodes) : trace_(trace), question_of_(trace.nodes().size(), none) {
  std::ranges::sort(nodes);
  const auto twins = std::ranges::unique(nodes);
  nodes.erase(twins.begin(), twins.end());
  std::vector<std::uint32_t> rows;
  rows.reserve(nodes.size());
  found_.resize(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const Origin origin = origin_of(trace, nodes[i]);
    rows.push_back(origin.row == none ? trace.nodes()[nodes[i]].row : origin.row);
    question_of_[nodes[i]] = i;
    found_[i].backward = origin.backward;
    found_[i].has_place = origin.row != none || !origin.backward;
  }
  const Timeline& timeline = trace.timeline();
  places_ = places_of(timeline, rows, trace.program());
  ModulePaths modules(timeline, places_, module_texts_);
  TextNumbers lines, shapes;
  std::unordered_map<CallKey, std::uint32_t, CallKeyHash> known, known_places;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const std::uint32_t node = nodes[i];
    Found& found = found_[i];
    CallKey key{path_to(trace, node)};
    key.backward = found.backward;
    if (const std::uint32_t module = found.has_place ? places_.module_at(i) : none; module != none) {
      found.module = key.first_module = modules.of(module);
      key.module = modules.class_number(found.module);
    }
    if (const trace::ProgramPlace line = places_.line_at(i); found.has_place && line.is_known()) {
      key.line = lines.of(std::uint64_t{line.function} << 32U | line.call, [&] { return text_of(trace::program_line(timeline, line)); });
    }
    CallKey place = key;
    if (key.line == none) {
      place.module = none;
      // What stands before a call is no part of the key: in the first iteration of a loop it is another operator than in the others.
      const std::uint32_t next = trace.next_sibling(node), inputs = trace.signature(node);
      if (next != none) key.next = timeline.name[trace.nodes()[next].row];
      if (inputs != none) key.shapes = shapes.of(inputs, [&] { return shapes_of(trace, node); });
    }
    key.first_module = none;
    found.place = known_places.try_emplace(place, static_cast<std::uint32_t>(known_places.size())).first->second;
    const auto [at, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(sites_.size()));
    if (is_new) sites_.emplace_back();
    found.site = at->second;
  }
  describe_by(std::move(nodes));
}

// Of one call.
Site Sites::described(std::uint32_t node) const {
  Site site;
  const std::uint32_t question = question_of_[node];
  const Found& found = found_[question];
  site.backward = found.backward;
  site.op_path = text_of_path(trace_, node);
  if (found.has_place) put_line(trace::program_line(trace_.timeline(), places_.line_at(question)), site);
  if (found.module != none) site.first_module = module_texts_[found.module];
  if (!site.first_module.empty()) site.module = class_of(site.first_module);
  if (site.file.empty()) {
    site.beside = neighbours_of(trace_, node);
    site.shapes = shapes_of(trace_, node);
  }
  return site;
}

void Sites::describe_by(std::vector<std::uint32_t> nodes) {
  std::ranges::sort(nodes);
  constexpr std::uint32_t undescribed = none;
  std::vector<std::uint32_t> modules(sites_.size(), undescribed);  // by site: how many
  std::unordered_set<std::uint64_t> counted;                       // sites with modules
  std::uint32_t before = none;
  for (const std::uint32_t node : nodes) {
    if (node == std::exchange(before, node)) continue;
    const Found& found = found_of(node);
    std::uint32_t& count = modules[found.site];
    if (count == undescribed) {
      sites_[found.site] = described(node);
      count = 0;
    }
    if (found.module != none && counted.insert(std::uint64_t{found.site} << 32 | found.module).second) ++count;
  }
  for (std::size_t site = 0; site < sites_.size(); ++site) {
    if (modules[site] != undescribed) sites_[site].modules = modules[site];
  }
}

}  // namespace frx::derive::layout
