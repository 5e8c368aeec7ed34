#include "derive/layout/layout_trace.h"

#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "base/parallel.h"
#include "derive/layout/forward_passes.h"

namespace frx::derive::layout {
namespace {

using model::EventKind;
using model::Timeline;

constexpr std::size_t parsed_together = 256;  // signatures of a task

// What orders operators. Where whole microseconds make two of them equal, the one with the smaller number was begun first.
struct OrderKey {
  std::uint32_t track;
  std::int64_t start, minus_duration;
  std::uint32_t external, row;
  friend auto operator<=>(const OrderKey&, const OrderKey&) = default;
};

std::vector<OrderKey> operators_in_order(const Timeline& timeline) {
  std::vector<OrderKey> keys;
  keys.reserve(static_cast<std::size_t>(std::ranges::count(timeline.kind, EventKind::cpu_op)));
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] == EventKind::cpu_op)
      keys.push_back({timeline.track[row], timeline.start[row], -timeline.duration[row], timeline.external[row], row});
  }
  if (!std::ranges::is_sorted(keys)) std::ranges::sort(keys);  // recordings mostly have them in order
  return keys;
}

// Mixes the bits of a number, so that sums of such numbers tell multisets apart (splitmix64).
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

// The index of the span around a moment; none.
std::uint32_t span_around(const std::vector<Interval>& spans, std::int64_t at) {
  const auto after = std::ranges::upper_bound(spans, at, {}, &Interval::begin);
  if (after == spans.begin() || std::prev(after)->end <= at) return none;
  return static_cast<std::uint32_t>(after - spans.begin() - 1);
}

// Where nothing names the steps: each begins with a forward pass of the whole model, and ends with the next one. `whole`: the recording as
// one step, which is returned where the outermost module that takes most of the time is called only once.
trace::Steps steps_by_forward_pass(const Timeline& timeline, trace::Steps whole) {
  const std::vector<std::uint32_t> passes = forward_passes(timeline, PassesOf::each_thread);
  if (passes.size() < 2) return whole;
  const std::int64_t end = trace::whole(timeline).steps.front().span.end;
  trace::Steps steps{model::StepSource::module, std::string(timeline.name_of(passes.front())), {}, ""};
  steps.pid = timeline.tracks[timeline.track[passes.front()]].pid;
  for (const std::uint32_t row : passes) {
    if (!steps.steps.empty()) steps.steps.back().span.end = timeline.start[row];
    steps.steps.push_back({static_cast<std::int64_t>(steps.steps.size() + 1), {timeline.start[row], end}, row});
  }
  return steps;
}

bool has_program_lines(const Timeline& timeline) {
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] == EventKind::python) return true;
  }
  return false;
}

}  // namespace

std::size_t LayoutTrace::SignatureHash::operator()(const Signature& of) const {
  return mixed((std::uint64_t{of.shapes} << 32U | of.strides) ^ mixed(std::uint64_t{of.types} << 32U | of.concrete));
}

Result<std::unique_ptr<LayoutTrace>> LayoutTrace::of(Timeline timeline, const std::optional<StepSelection>& selection,
                                                     trace::ProgramFiles program) {
  auto built = std::unique_ptr<LayoutTrace>(new LayoutTrace);
  built->program_ = std::move(program);
  built->timeline_ = std::move(timeline);
  do_in_parallel({[&] {
                    built->attribution_ = trace::attribute(built->timeline_);
                    built->backward_ = trace::join_backward(built->timeline_, built->attribution_);
                    built->has_stacks_ = has_program_lines(built->timeline_);
                  },
                  [&] { built->build_nodes(); }});
  built->number_signatures();
  TRY(built->choose_steps(selection));
  built->assign_steps();
  if (!selection) built->leave_out_warm_up();
  built->assign_work();
  return built;
}

void LayoutTrace::build_nodes() {
  const std::vector<OrderKey> rows = operators_in_order(timeline_);
  node_of_row_.assign(timeline_.size(), none);
  nodes_.reserve(rows.size());
  std::vector<std::int16_t> roles(timeline_.names.size(), -1);
  std::vector<std::uint32_t> open;
  const auto is_over = [&](const OperatorNode& outer, std::uint32_t row) {
    if (timeline_.track[outer.row] != timeline_.track[row]) return true;
    return timeline_.end(outer.row) <= timeline_.start[row] && timeline_.start[outer.row] < timeline_.start[row];
  };
  const auto close = [&] {
    nodes_[open.back()].end = static_cast<std::uint32_t>(nodes_.size());
    open.pop_back();
  };
  for (const auto& [track, start, minus_duration, external, row] : rows) {
    while (!open.empty() && is_over(nodes_[open.back()], row)) close();
    std::int16_t& role = roles[timeline_.name[row]];
    if (role < 0) role = static_cast<std::int16_t>(role_of(timeline_.name_of(row)));
    OperatorNode node;
    node.row = row;
    node.parent = open.empty() ? none : open.back();
    node.role = static_cast<OperatorRole>(role);
    node_of_row_[row] = static_cast<std::uint32_t>(nodes_.size());
    open.push_back(static_cast<std::uint32_t>(nodes_.size()));
    nodes_.push_back(node);
  }
  while (!open.empty()) close();
}

void LayoutTrace::number_signatures() {
  signature_.assign(nodes_.size(), none);
  std::unordered_map<Signature, std::uint32_t, SignatureHash> numbers;
  for (const model::OperatorArguments& of : timeline_.arguments) {
    const std::uint32_t node = node_of_row_[of.event];
    if (node == none || of.shapes == Timeline::no_id) continue;
    const Signature signature{of.shapes, of.strides, of.types, of.concrete};
    const auto [at, is_new] = numbers.try_emplace(signature, static_cast<std::uint32_t>(signatures_.size()));
    if (is_new) signatures_.push_back(signature);
    signature_[node] = at->second;
    has_shapes_ = true;
    has_strides_ = has_strides_ || of.strides != Timeline::no_id;
    has_values_ = has_values_ || of.concrete != Timeline::no_id;
  }
  parsed_.resize(signatures_.size());
  // All at once, so that detectors on several threads only read.
  for_each_in_parallel((signatures_.size() + parsed_together - 1) / parsed_together, [&](std::size_t part) {
    const std::size_t end = std::min(signatures_.size(), (part + 1) * parsed_together);
    for (std::size_t number = part * parsed_together; number < end; ++number) parsed_[number] = parsed(signatures_[number]);
  });
}

std::optional<RecordedInputs> LayoutTrace::parsed(const Signature& signature) const {
  const auto text = [&](std::uint32_t id) { return id == Timeline::no_id ? std::string_view() : timeline_.names[id]; };
  return trace::recorded_inputs({text(signature.shapes), text(signature.types), text(signature.strides), text(signature.concrete)});
}

Result<> LayoutTrace::choose_steps(const std::optional<StepSelection>& selection) {
  trace::Steps steps = std::move(trace::find_steps(timeline_).front());
  // Ranges that are called steps and numbered are steps; what else is repeated may be a part of one, or several of them.
  const bool is_unnumbered = steps.source == model::StepSource::annotation && !steps.name.ends_with(" N");
  if (steps.source == model::StepSource::recording || is_unnumbered) steps = steps_by_forward_pass(timeline_, std::move(steps));
  // Of a recording that ends early, the last step is a part of one.
  if (timeline_.cut_short && steps.steps.size() > 1) steps.steps.pop_back();
  steps_.pid = steps.pid;
  find_own_tracks();
  leave_marking_process();
  if (steps.source == model::StepSource::module) end_with_own_process(steps);
  steps_.name = steps.name;
  steps_.recorded = steps.steps.size();
  for (const trace::Step& step : steps.steps) {
    if (selection && (step.number < selection->first || step.number > selection->last)) continue;
    steps_.spans.push_back(step.span);
    steps_.numbers.push_back(step.number);
  }
  if (!steps_.spans.empty()) return {};
  return fail(ErrorKind::usage, "no step from {} to {}: the recording has steps {} to {}", selection->first, selection->last,
              steps.steps.front().number, steps.steps.back().number)
      .at(timeline_.source);
}

void LayoutTrace::find_own_tracks() {
  const std::vector<std::uint32_t>& process = attribution_.process_of_track;
  is_of_process_.assign(timeline_.tracks.size(), true);
  if (!steps_.pid.empty()) {
    const auto is_own = [&](std::size_t track) { return timeline_.tracks[track].device < 0 && timeline_.tracks[track].pid == steps_.pid; };
    std::uint32_t own = none;
    for (std::size_t i = 0; i < process.size(); ++i) {
      if (is_own(i)) own = process[i];
    }
    for (std::size_t i = 0; i < process.size(); ++i)
      is_of_process_[i] = is_own(i) || (timeline_.tracks[i].device >= 0 && process[i] == own);
  }
}

// A process that marks steps and calls no operator marks those of another: the one that calls most.
void LayoutTrace::leave_marking_process() {
  const auto is_own_operator = [&](const OperatorNode& node) { return is_of_process_[timeline_.track[node.row]]; };
  if (steps_.pid.empty() || nodes_.empty() || std::ranges::any_of(nodes_, is_own_operator)) return;
  std::map<std::string_view, std::size_t> calls;
  for (const OperatorNode& node : nodes_) ++calls[timeline_.tracks[timeline_.track[node.row]].pid];
  steps_.pid = std::ranges::max_element(calls, {}, [](const auto& one) { return one.second; })->first;
  find_own_tracks();
}

// The last of steps that are told by forward passes ends with the recording: with what was recorded of the process itself.
void LayoutTrace::end_with_own_process(trace::Steps& steps) const {
  Interval& last = steps.steps.back().span;
  std::int64_t end = last.begin;
  for (std::uint32_t row = 0; row < timeline_.size(); ++row) {
    if (is_of_process_[timeline_.track[row]]) end = std::max(end, timeline_.end(row));
  }
  last.end = std::min(last.end, end);
}

void LayoutTrace::assign_steps() {
  for (OperatorNode& node : nodes_) {
    node.step = step_of_event(node.row);
    has_other_processes_ = has_other_processes_ || !is_of_process_[timeline_.track[node.row]];
  }
}

// A first step that calls other operators than the others do is warming up.
void LayoutTrace::leave_out_warm_up() {
  constexpr std::size_t fewest_steps = 3;
  if (steps_.size() < fewest_steps) return;
  std::vector<std::uint64_t> work_of(steps_.size());
  for (const OperatorNode& node : nodes_) {
    // The names of compiled regions change whenever one is compiled again.
    if (node.step != none && node.role != OperatorRole::compiled) work_of[node.step] += mixed(timeline_.name[node.row]);
  }
  std::map<std::uint64_t, std::size_t> votes;
  for (std::size_t i = 1; i < work_of.size(); ++i) ++votes[work_of[i]];
  const auto usual = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
  if (usual->first == work_of[0] || usual->second * 2 <= work_of.size() - 1) return;
  steps_.first_left_out = true;
  steps_.spans.erase(steps_.spans.begin());
  steps_.numbers.erase(steps_.numbers.begin());
  for (OperatorNode& node : nodes_) {
    if (node.step != none) node.step = node.step == 0 ? none : node.step - 1;
  }
}

void LayoutTrace::assign_work() {
  const std::size_t count = attribution_.work.size();
  node_of_work_.assign(count, none);
  step_of_work_.assign(count, none);
  for (std::uint32_t i = 0; i < count; ++i) {
    const trace::GpuWork& work = attribution_.work[i];
    node_of_work_[i] = node_of_row(work.op);
    const std::uint32_t launched_by = work.launch != none ? work.launch : work.op;
    step_of_work_[i] = step_of_event(launched_by != none ? launched_by : work.event);
    if (node_of_work_[i] != none) work_order_.push_back(i);
  }
  std::ranges::stable_sort(work_order_, {}, [&](std::uint32_t work) { return node_of_work_[work]; });
  std::uint32_t at = 0;
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    nodes_[node].work_begin = at;
    while (at < work_order_.size() && node_of_work_[work_order_[at]] == node) ++at;
    nodes_[node].work_end = at;
  }
}

std::uint32_t LayoutTrace::step_of_event(std::uint32_t row) const {
  return is_of_process_[timeline_.track[row]] ? span_around(steps_.spans, timeline_.start[row]) : none;
}

EvidenceLevel LayoutTrace::level() const {
  if (!has_operators()) return EvidenceLevel::kernels;
  if (!has_shapes_) return EvidenceLevel::operators;
  if (!has_strides_) return EvidenceLevel::shapes;
  return has_stacks_ ? EvidenceLevel::stacks : EvidenceLevel::strides;
}

const RecordedInputs* LayoutTrace::inputs(std::uint32_t node) const {
  const std::uint32_t number = signature_[node];
  return number == none || !parsed_[number] ? nullptr : &*parsed_[number];
}

std::uint32_t LayoutTrace::signature(std::uint32_t node) const { return signature_[node]; }

std::span<const std::uint32_t> LayoutTrace::own_work(std::uint32_t node) const {
  return std::span(work_order_).subspan(nodes_[node].work_begin, nodes_[node].work_end - nodes_[node].work_begin);
}

std::span<const std::uint32_t> LayoutTrace::all_work(std::uint32_t node) const {
  const std::uint32_t begin = nodes_[node].work_begin;
  return std::span(work_order_).subspan(begin, nodes_[nodes_[node].end - 1].work_end - begin);
}

bool LayoutTrace::is_transfer(std::uint32_t event) const {
  const std::string_view name = timeline_.name_of(event);
  const bool is_within = name.find("DtoD") != name.npos || name.find("Device -> Device") != name.npos;
  return timeline_.kind[event] == EventKind::memcpy && !is_within;
}

std::int64_t LayoutTrace::gpu_time(std::uint32_t node) const {
  std::int64_t sum = 0;
  for (const std::uint32_t work : all_work(node)) sum += duration(work);
  return sum;
}

std::uint32_t LayoutTrace::next_sibling(std::uint32_t node) const {
  const std::uint32_t next = nodes_[node].end;
  return next < nodes_.size() && nodes_[next].parent == nodes_[node].parent &&
                 timeline_.track[nodes_[next].row] == timeline_.track[nodes_[node].row]
             ? next
             : none;
}

std::uint32_t LayoutTrace::previous_sibling(std::uint32_t node) const {
  const std::uint32_t parent = nodes_[node].parent;
  if (node == 0 || node - 1 == parent || timeline_.track[nodes_[node - 1].row] != timeline_.track[nodes_[node].row]) return none;
  std::uint32_t at = node - 1;
  while (at != none && nodes_[at].parent != parent) at = nodes_[at].parent;
  return at;
}

const RecordedTensor* tensor_at(const RecordedInputs& inputs, std::size_t index) {
  if (index >= inputs.inputs.size() || inputs.inputs[index].kind != RecordedInput::Kind::tensor) return nullptr;
  return &inputs.inputs[index].tensors.front();
}

double element_bytes(std::string_view torch_type) {
  if (torch_type == "bool" || torch_type == "int8" || torch_type == "uint8" || torch_type.starts_with("float8")) return 1;
  if (torch_type == "float16" || torch_type == "bfloat16" || torch_type == "int16" || torch_type == "uint16") return 2;
  if (torch_type == "float32" || torch_type == "int32" || torch_type == "uint32") return 4;
  if (torch_type == "float64" || torch_type == "int64" || torch_type == "uint64" || torch_type == "complex64") return 8;
  return torch_type == "complex128" ? 16 : 0;
}

}  // namespace frx::derive::layout
