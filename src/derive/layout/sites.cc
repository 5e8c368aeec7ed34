#include "derive/layout/sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "derive/layout/strides.h"
#include "derive/trace/modules.h"

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

std::string path_to(const LayoutTrace& trace, std::uint32_t node) {
  std::vector<std::string> names;
  for (std::uint32_t at = node; at != none && names.size() < longest_path; at = trace.nodes()[at].parent) {
    if (trace.nodes()[at].role == OperatorRole::autograd && at != node) continue;
    if (names.empty() || names.back() != trace.name(at)) names.emplace_back(trace.name(at));
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

// "model.py(42): forward" in its parts.
void read_frame(std::string_view frame, Site& site) {
  const std::size_t open = frame.find(".py(");
  if (open == frame.npos) return;
  site.file = std::string(frame.substr(0, open + 3));
  const char* const digits = frame.data() + open + 4;
  std::from_chars(digits, frame.data() + frame.size(), site.line);
  const std::size_t colon = frame.find("): ", open);
  if (colon != frame.npos) site.function = std::string(frame.substr(colon + 3));
}

SitePlaces places_of(const Timeline& timeline, const std::vector<std::uint32_t>& rows) {
  SitePlaces places;
  places.lines = trace::program_lines(timeline, rows);
  const trace::ModuleRanges modules = trace::module_ranges(timeline, {});
  if (modules.rows.empty()) return places;
  places.modules = trace::innermost_around(timeline, modules.rows, rows);
  places.module_around = modules.around;
  return places;
}

// "Model_0.Encoder_1.Attention_3". Names that stand for a whole path ("blocks.0.attention") are not repeated.
std::string module_path(const Timeline& timeline, const SitePlaces& places, std::uint32_t innermost) {
  const std::string_view own = trace::module_name(timeline.name_of(innermost));
  if (own.find('.') != own.npos) return std::string(own);
  std::vector<std::string> names;
  for (std::uint32_t at = innermost; at != none; at = places.module_around[at])
    names.emplace_back(trace::module_name(timeline.name_of(at)));
  std::ranges::reverse(names);
  return join(names, ".");
}

}  // namespace

std::string Site::text() const {
  std::string where;
  if (!file.empty()) {
    where = fmt::format("{}({}){}{}", file, line, function.empty() ? "" : ": ", function);
  } else if (!module.empty()) {
    where = fmt::format("{}{}", first_module, modules > 1 ? fmt::format(" and {} more", modules - 1) : "");
  } else {
    where = op_path;
    if (!shapes.empty()) where += " " + shapes;
    if (!beside.empty()) where += ", " + beside;
  }
  return backward ? where + " (backward)" : where;
}

Sites::Sites(const LayoutTrace& trace, std::vector<std::uint32_t> nodes) : trace_(trace) {
  std::ranges::sort(nodes);
  const auto twins = std::ranges::unique(nodes);
  nodes.erase(twins.begin(), twins.end());
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t node : nodes) {
    const Origin origin = origin_of(trace, node);
    rows.push_back(origin.row == none ? trace.nodes()[node].row : origin.row);
    asked_.push_back({origin.backward, origin.row != none || !origin.backward});
  }
  places_ = places_of(trace.timeline(), rows);
  std::unordered_map<std::string, std::uint32_t> known, known_places;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    Site site = described(nodes[i], i);
    // What stands before a call is no part of the key: in the first iteration of a loop it is another operator than in the others.
    const std::uint32_t next = site.file.empty() ? trace.next_sibling(nodes[i]) : none;
    const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", site.module, site.file, site.line, site.op_path,
                                        next == none ? std::string_view() : trace.name(next), site.shapes, site.backward);
    const std::string where =
        site.file.empty() ? fmt::format("{}\n{}\n{}", site.first_module, site.op_path, site.backward) : key + site.first_module;
    const auto place = known_places.try_emplace(where, static_cast<std::uint32_t>(known_places.size())).first;
    const auto [at, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(sites_.size()));
    if (is_new) sites_.push_back(std::move(site));
    of_node_[nodes[i]] = {at->second, place->second, i};
  }
  describe_by(std::move(nodes));
}

// Of one call.
Site Sites::described(std::uint32_t node, std::uint32_t question) const {
  Site site;
  site.backward = asked_[question].backward;
  site.op_path = path_to(trace_, node);
  if (asked_[question].has_place && !places_.lines.empty() && places_.lines[question] != none)
    read_frame(trace_.timeline().name_of(places_.lines[question]), site);
  site.first_module = module_of(question);
  if (!site.first_module.empty()) site.module = class_of(site.first_module);
  if (site.file.empty()) {
    site.beside = neighbours_of(trace_, node);
    site.shapes = shapes_of(trace_, node);
  }
  return site;
}

std::string Sites::module_of(std::uint32_t question) const {
  const bool has_module = asked_[question].has_place && !places_.modules.empty() && places_.modules[question] != none;
  return has_module ? module_path(trace_.timeline(), places_, places_.modules[question]) : std::string();
}

void Sites::describe_by(std::vector<std::uint32_t> nodes) {
  std::ranges::sort(nodes);
  std::unordered_map<std::uint32_t, std::set<std::string>> modules;  // by site
  std::uint32_t before = none;
  for (const std::uint32_t node : nodes) {
    if (node == std::exchange(before, node)) continue;
    const Found& found = of_node_.at(node);
    const auto [at, is_first] = modules.try_emplace(found.site);
    if (is_first) sites_[found.site] = described(node, found.question);
    if (std::string module = module_of(found.question); !module.empty()) at->second.insert(std::move(module));
  }
  for (const auto& [site, names] : modules) sites_[site].modules = names.size();
}

}  // namespace frx::derive::layout
