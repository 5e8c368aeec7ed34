#include "derive/cuda/host_loops.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "derive/cuda/declarations.h"
#include "derive/cuda/error_looks.h"
#include "derive/cuda/host_calls.h"
#include "derive/cuda/loop_counts.h"

namespace frx::derive::cuda {
namespace {

constexpr std::uint32_t most_nodes = 4096;  // of a loop that is looked through

}  // namespace

bool allocates_or_frees(std::string_view name) {
  constexpr std::array<std::string_view, 8> calls{"Malloc",     "MallocManaged", "MallocPitch", "Malloc3D",
                                                  "MallocHost", "HostAlloc",     "Free",        "FreeHost"};
  return std::ranges::find(calls, runtime_name(name)) != calls.end();
}

namespace {

// if (done) return; if (i % 100 != 0) continue;   Not one because of an error.
bool leaves_before(const Source& source, std::uint32_t statement) {
  const model::cuda::Syntax& syntax = source.syntax;
  if (!syntax.is(statement, NodeKind::if_statement)) return false;
  const std::string_view condition = source.text_of(syntax.child(statement, Role::condition));
  for (const std::string_view word : {"err", "status", "success", "null", "result", "<= 0", "== 0"}) {
    if (contains_ignoring_case(condition, word)) return false;
  }
  for (std::uint32_t n = statement; n < syntax[statement].last; ++n) {
    if (syntax.is(n, NodeKind::return_statement) || syntax.is(n, NodeKind::continue_statement)) return true;
  }
  return false;
}

// #ifdef DEBUG, with a node behind it and #endif behind that, both within a statement. Lines of the preprocessor are among those that it
// changed.
bool is_in_conditional_text(const Source& source, std::uint32_t node, std::uint32_t around) {
  constexpr int most_lines = 512;  // that are looked back over
  const std::uint32_t first = source.place_of(around).line, last = source.place_of(node).line;
  if (first == 0 || last <= first) return false;
  const auto begin = source.changed_lines.begin();
  auto at = std::ranges::lower_bound(source.changed_lines, last, {}, [](const auto& line) { return line.first; });
  int ends = 0;
  for (int looked_at = 0; at != begin && (--at)->first > first && looked_at < most_lines; ++looked_at) {
    std::string_view line = trim(source.line(at->first));
    if (!line.starts_with('#')) continue;
    line = trim(line.substr(1));
    if (line.starts_with("endif")) ++ends;
    if (line.starts_with("if") && ends-- == 0) return true;
  }
  return false;
}

}  // namespace

bool is_made_always(const Source& source, std::uint32_t call, std::uint32_t around) {
  const model::cuda::Syntax& syntax = source.syntax;
  if (is_in_conditional_text(source, call, around)) return false;
  for (std::uint32_t at = call; at != none && at != around; at = syntax[at].parent) {
    const std::uint32_t next = syntax[at].parent;
    if (syntax.is(next, NodeKind::switch_statement) || syntax.is(next, NodeKind::lambda)) return false;
    const bool is_chosen = syntax.is(next, NodeKind::if_statement) || syntax.is(next, NodeKind::conditional);
    if (is_chosen && syntax[at].role != Role::condition) return false;
    const std::string_view op = syntax.is(next, NodeKind::binary) ? source.text_of(syntax.child(next, Role::op)) : "";
    if ((op == "&&" || op == "||") && syntax[at].role == Role::right) return false;
    if (syntax.is(next, NodeKind::other) && source.text_of(next).starts_with("catch")) return false;
    if (!syntax.is(next, NodeKind::compound_statement)) continue;
    for (std::uint32_t c = syntax.first_child(next); c != at && c != none; c = syntax.next_sibling(c)) {
      if (leaves_before(source, c)) return false;
    }
  }
  return true;
}

namespace {

// thrust::device_vector<float>, with the allocator that it has by itself, and no iterator of it.
bool is_device_vector(std::string_view type) {
  constexpr std::string_view name = "device_vector<";
  const std::size_t at = type.find(name);
  if (at == type.npos || !type.ends_with('>') || (at > 0 && type[at - 1] != ':')) return false;
  const std::string_view before = type.substr(0, at), element = type.substr(at + name.size(), type.size() - at - name.size() - 1);
  return before.find('<') == before.npos && element.find_first_of(",>") == element.npos;
}

// return v; keep(std::move(v)); swap(v, old): does a vector outlive the statements in which it is made?
bool is_handed_on(const Source& source, std::uint32_t around, std::string_view variable) {
  const model::cuda::Syntax& syntax = source.syntax;
  for (std::uint32_t n = around; n < syntax[around].last; ++n) {
    if (!syntax.is(n, NodeKind::identifier) || source.text_of(n) != variable) continue;
    const std::uint32_t parent = syntax[n].parent, call = syntax.is(parent, NodeKind::argument_list) ? syntax[parent].parent : none;
    const std::string_view called = call != none && syntax.is(call, NodeKind::call) ? callee_name(source, call) : "";
    if (syntax.is(parent, NodeKind::return_statement) || called == "move" || called == "swap") return true;
  }
  return false;
}

}  // namespace

bool makes_device_vector(const Source& source, std::uint32_t node, std::uint32_t around) {
  const model::cuda::Syntax& syntax = source.syntax;
  if (!syntax.is(node, NodeKind::declaration) || !is_device_vector(source.text_of(syntax.child(node, Role::type)))) return false;
  if (has_word(source, node, "static")) return false;
  for (std::uint32_t c = syntax.first_child(node); c != none; c = syntax.next_sibling(c)) {
    const std::uint32_t name = syntax[c].role == Role::declarator ? name_in(source, c) : none;
    if (name == none) continue;
    // keys(n), and neither keys nor keys = made() nor keys(std::move(others))
    const std::string_view written = source.text_of(c), variable = source.text_of(name);
    const std::string_view behind = written.starts_with(variable) ? trim(written.substr(variable.size())) : "";
    const bool has_size = behind.starts_with('(') && behind != "()" && behind != "(0)" && behind.find("move(") == behind.npos;
    if (has_size && !is_handed_on(source, around, variable)) return true;
  }
  return false;
}

std::string allocating_call(const Source& source, std::uint32_t node) {
  return source.syntax.is(node, NodeKind::declaration) ? "thrust::device_vector" : std::string(callee_name(source, node));
}

bool is_of_several_devices(std::string_view name) { return runtime_name(name) == "SetDevice" || runtime_name(name) == "StreamCreate"; }

namespace {

// Takes a loop times, or has each device or stream something of its own?
bool takes_times_or_devices(std::string_view call) {
  constexpr std::array<std::string_view, 7> of_times{"time", "clock", "bench", "record", "start", "stop", "now"};
  return is_of_several_devices(call) ||
         std::ranges::any_of(of_times, [&](std::string_view part) { return contains_ignoring_case(call, part); });
}

bool is_few(std::string_view number, std::int64_t fewest) {
  const std::size_t digits = std::min(number.find_first_not_of("0123456789"), number.size());
  const std::uint32_t value = extent_in(number.substr(0, digits));
  return value != 0 && value < fewest;
}

// for (auto _ : state) of Google Benchmark; a loop with a call that takes times in the statement before it or behind it.
bool is_measured(const Source& source, std::uint32_t loop) {
  const model::cuda::Syntax& syntax = source.syntax;
  const std::uint32_t variable = syntax.is(loop, NodeKind::for_range_loop) ? syntax.child(loop, Role::declarator) : none;
  if (source.text_of(variable) == "_") return true;
  const std::uint32_t around = syntax[loop].parent;
  std::uint32_t before = loop - 1;  // the last node of the statement before
  while (before != around && syntax[before].parent != around) before = syntax[before].parent;
  if (before == around) before = none;
  for (const std::uint32_t statement : {before, syntax.next_sibling(loop)}) {
    for (std::uint32_t n = statement; n != none && n < syntax[statement].last; ++n) {
      if (syntax.is(n, NodeKind::call) && takes_times_or_devices(callee_name(source, n))) return true;
    }
  }
  return false;
}

// The k of for (int i = k; ...), or none.
std::uint32_t start_of(const model::cuda::Syntax& syntax, std::uint32_t loop) {
  const std::uint32_t first = syntax.child(loop, Role::initializer);
  for (std::uint32_t n = first; n != none && n < syntax[first].last; ++n) {
    if (syntax.is(n, NodeKind::init_declarator)) return syntax.child(n, Role::value);
    if (syntax.is(n, NodeKind::assignment)) return syntax.child(n, Role::right);
  }
  return none;
}

// Is the end of a loop a small number, or the name of a constant that is one?
bool is_few(const Program& program, const Function& function, std::uint32_t end, std::int64_t fewest) {
  const Source& in = program.sources()[function.at.source];
  if (in.syntax.is(end, NodeKind::binary)) end = in.syntax.child(end, Role::left);  // axes - 1
  if (in.syntax.is(end, NodeKind::number)) return is_few(in.text_of(end), fewest);
  if (!in.syntax.is(end, NodeKind::identifier)) return false;
  const std::string_view name = in.text_of(end);
  std::uint32_t source = 0;
  if (const model::cuda::Macro* const macro = program.macro(name, source)) return is_few(macro->body, fewest);
  if (const Global* const global = program.global(name, function.at.source); global && global->value != none)
    return is_few(program.sources()[global->declaration.source].text_of(global->value), fewest);
  constexpr std::uint32_t looked_back = 2048;  // nodes
  for (std::uint32_t n = std::max(function.body, end - std::min(end, looked_back)); n < end; ++n) {
    const bool is_it = in.syntax.is(n, NodeKind::init_declarator) && in.text_of(in.syntax.child(n, Role::declarator)) == name;
    if (is_it) return is_few(in.text_of(in.syntax.child(n, Role::value)), fewest);
  }
  return false;
}

}  // namespace

bool is_long_host_loop(const Program& program, const Function& function, std::uint32_t loop, std::int64_t fewest) {
  const Source& source = program.sources()[function.at.source];
  const model::cuda::Syntax& syntax = source.syntax;
  if (syntax[loop].last - loop > most_nodes) return false;
  for (std::uint32_t n = loop; n < syntax[loop].last; ++n) {
    if (syntax.is(n, NodeKind::call) && takes_times_or_devices(callee_name(source, n))) return false;
  }
  if (is_measured(source, loop)) return false;
  if (syntax.is(loop, NodeKind::for_range_loop)) return syntax.child(loop, NodeKind::initializer_list) == none;
  std::uint32_t condition = syntax.is(loop, NodeKind::for_statement) ? syntax.child(loop, Role::condition) : none;
  while (syntax.is(condition, NodeKind::binary) && source.text_of(syntax.child(condition, Role::op)) == "&&")
    condition = syntax.child(condition, Role::left);
  if (condition == none) return true;
  std::uint32_t end = syntax.child(condition, Role::right);
  if (source.text_of(syntax.child(condition, Role::op)).starts_with('>')) end = start_of(syntax, loop);  // counted down
  return end == none || !is_few(program, function, end, fewest);
}

bool is_in_long_host_loop(const Trace& trace, const LaunchSite& site) {
  return site.loop != none && !constant_iterations(trace.expressions, trace.loops[site.loop], fewest_iterations);
}

std::shared_ptr<const model::cuda::HostAllocation> allocation_in(const Program& program, const Loop& loop) {
  const Source& source = program.sources()[loop.at.source];
  const model::cuda::Syntax& syntax = source.syntax;
  const std::uint32_t last = syntax[loop.at.node].last;
  if (last - loop.at.node > most_nodes) return nullptr;
  std::uint32_t found = none;
  for (std::uint32_t n = loop.at.node; n < last; ++n) {
    const bool is_vector = makes_device_vector(source, n, loop.at.node);
    if (!is_vector && !syntax.is(n, NodeKind::call)) continue;
    const std::string_view name = is_vector ? "" : callee_name(source, n);
    if (is_of_several_devices(name)) return nullptr;
    if (found == none && (is_vector || allocates_or_frees(name)) && is_made_always(source, n, loop.at.node)) found = n;
  }
  if (found == none) return nullptr;
  return std::make_shared<model::cuda::HostAllocation>(
      model::cuda::HostAllocation{.call = allocating_call(source, found), .place = source.place_of(found)});
}

}  // namespace frx::derive::cuda
