#include "ingest/chrome_trace/event_rows.h"

#include <array>
#include <charconv>
#include <optional>

#include "ingest/chrome_trace/event_kinds.h"
#include "ingest/chrome_trace/numbers.h"
#include "ingest/kept_shapes.h"
#include "model/product_operators.h"

namespace frx::ingest::trace {
namespace {

using model::EventKind;
using model::Timeline;

// 7 of "stream 7", "7" and 7.
template <typename Number>
void read_trailing_number(std::string_view text, Number& number) {
  const std::size_t last = text.find_last_not_of("0123456789");
  const std::string_view digits = text.substr(last == text.npos ? 0 : last + 1);
  Number value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size() && !digits.empty()) number = value;
}

// Until the year 2096, and as long before 1970: the time between any two moments fits 64 bits.
bool is_usable(std::int64_t start_ns, std::int64_t duration_ns) {
  constexpr std::int64_t farthest = 4'000'000'000'000'000'000;
  return duration_ns >= 0 && start_ns >= -farthest && start_ns <= farthest && duration_ns <= farthest - start_ns;
}

std::uint32_t id_of(const Token& token, EventRows& rows) {
  const std::optional<std::uint64_t> id = whole(token);
  if (!id || *id == 0) return Timeline::no_id;
  if (*id <= largest_id) return static_cast<std::uint32_t>(*id);
  if (rows.large_ids.size() >= Timeline::no_id - largest_id - 1) return Timeline::no_id;
  rows.large_ids.push_back(*id);
  return static_cast<std::uint32_t>(largest_id + rows.large_ids.size());
}

void add_memory(const EventFields& fields, EventRows& rows) {
  const std::optional<TraceTime> time = microseconds(fields.time);
  const auto allocated = whole(fields.allocated), reserved = whole(fields.reserved);
  if (!time || !allocated || !reserved) return;
  model::MemorySample sample{time->ns, -1, *allocated, *reserved};
  if (fields.device_type.raw != "0") read_trailing_number(fields.device_id.raw, sample.device);
  rows.memory.push_back(sample);
}

// Numbers that do not fit are left out: truncated ones would join unrelated events.
void add_sequence(const EventFields& fields, EventRows& rows) {
  const auto sequence = whole(fields.sequence), thread = whole(fields.forward_thread);
  if (!sequence || *sequence > UINT32_MAX || thread.value_or(0) > UINT16_MAX) return;
  rows.numbered_events.push_back(static_cast<std::uint32_t>(rows.size()));
  rows.sequence.push_back(static_cast<std::uint32_t>(*sequence));
  rows.forward_thread.push_back(static_cast<std::uint16_t>(thread.value_or(0)));
}

}  // namespace

void EventRows::clear() {
  start.clear();
  duration.clear();
  name.clear();
  track.clear();
  correlation.clear();
  external.clear();
  kind.clear();
  large_ids.clear();
  copy_events.clear();
  copy_bytes.clear();
  numbered_events.clear();
  sequence.clear();
  forward_thread.clear();
  shaped_events.clear();
  python_calls.clear();
  shapes.clear();
  arguments.clear();
  occupancy_events.clear();
  occupancy_pct.clear();
  memory.clear();
  collectives.clear();
  kernel_shapes.clear();
  seen = without_time = untimed_kernels = at_zero = 0;
  fractional = false;
}

EventKind EventConverter::kind_of(const EventFields& fields) {
  const std::uint32_t category = categories_.add(fields.category.raw);
  if (category == kinds_.size()) kinds_.push_back(kind_of_category(fields.category.raw));
  const EventKind kind = kinds_[category];
  return kind == EventKind::cpu_op && is_range_of_program(fields.name.raw) ? EventKind::annotation : kind;
}

std::uint32_t EventConverter::name_of(std::string_view raw) {
  if (raw.find('\\') == raw.npos) return names_.add(raw);
  const std::uint32_t escaped = escaped_.add(raw);
  if (escaped == of_escaped_.size()) of_escaped_.push_back(names_.add(unescaped(raw)));
  return of_escaped_[escaped];
}

std::uint32_t EventConverter::track_of(const EventFields& fields, bool on_gpu) {
  LastTrack& last = last_[on_gpu];
  if (last.id != Timeline::no_id && last.tid == fields.tid.raw && last.pid == fields.pid.raw) return last.id;
  last = {std::string(fields.pid.raw), std::string(fields.tid.raw), looked_up(fields, on_gpu)};
  return last.id;
}

std::uint32_t EventConverter::looked_up(const EventFields& fields, bool on_gpu) {
  key_.assign(fields.pid.raw).push_back('\0');
  key_.append(fields.tid.raw);
  if (on_gpu) key_.append("\0gpu", 4);
  const std::uint32_t id = track_keys_.add(key_);
  if (id < tracks_.size()) return id;
  model::Track track{std::string(fields.pid.raw), std::string(fields.tid.raw), -1, -1, -1};
  read_trailing_number(fields.rank.raw, track.rank);
  if (on_gpu) {
    read_trailing_number(fields.pid.raw, track.device);
    read_trailing_number(fields.tid.raw, track.stream);
    read_trailing_number(fields.device.raw, track.device);
    read_trailing_number(fields.stream.raw, track.stream);
  }
  tracks_.push_back(std::move(track));
  return id;
}

// "[[8, 128], [], []]". Where there is no number, no input is a tensor of a known shape.
void EventConverter::add_shapes(std::string_view dims, EventRows& rows) {
  if (dims.find_first_of("0123456789") == dims.npos) return;
  rows.shaped_events.push_back(static_cast<std::uint32_t>(rows.size()));
  rows.shapes.push_back(dims.size() > longest_shapes ? Timeline::hashed_shapes(dims) : shapes_.add(dims));
}

void EventConverter::add_collective(const EventFields& fields, EventRows& rows) {
  model::CollectiveArguments one;
  one.event = static_cast<std::uint32_t>(rows.size());
  one.name = names_.add(fields.collective.raw);
  one.type = names_.add(fields.element_type.raw);
  one.group = names_.add(fields.group.raw);
  one.group_ranks = names_.add(fields.group_ranks.raw);
  one.in_elements = whole(fields.in_elements).value_or(0);
  one.out_elements = whole(fields.out_elements).value_or(0);
  one.group_size = whole(fields.group_size).value_or(0);
  rows.collectives.push_back(one);
}

bool EventConverter::is_product(std::uint32_t name) {
  is_product_.resize(names_.size(), -1);
  std::int8_t& known = is_product_[name];
  if (known < 0) known = model::is_product_operator(names_[name]);
  return known != 0;
}

std::uint32_t EventConverter::kept_text(const Token& token, std::size_t longest) {
  return token.kind == Token::array && token.raw.size() <= longest ? names_.add(token.raw) : Timeline::no_id;
}

// Types of the inputs of products, and the settings of convolutions; only a replay asks for those of other operators.
void EventConverter::add_arguments(const EventFields& fields, std::uint32_t name, EventRows& rows) {
  if (!rows.kept.all_arguments && !is_product(name)) return;
  const std::size_t longest = rows.kept.all_arguments ? longest_arguments : longest_shapes;
  model::OperatorArguments one{.event = static_cast<std::uint32_t>(rows.size())};
  one.types = kept_text(fields.input_types, longest);
  one.concrete = kept_text(fields.concrete_inputs, longest);
  if (rows.kept.all_arguments) {
    one.shapes = kept_text(fields.input_dims, longest);
    one.strides = kept_text(fields.input_strides, longest);
    const std::uint64_t call = whole(fields.record_function).value_or(0);
    if (call < Timeline::no_id) one.record_function = static_cast<std::uint32_t>(call);
  }
  if (one.types != Timeline::no_id || one.concrete != Timeline::no_id || one.shapes != Timeline::no_id) rows.arguments.push_back(one);
}

// "est. achieved occupancy %": 41. What is no percentage is none.
void add_occupancy(const Token& token, EventRows& rows) {
  float percent = -1;
  const auto [end, error] = std::from_chars(token.raw.data(), token.raw.data() + token.raw.size(), percent);
  if (error != std::errc() || end != token.raw.data() + token.raw.size() || !(percent >= 0 && percent <= 100)) return;
  rows.occupancy_events.push_back(static_cast<std::uint32_t>(rows.size()));
  rows.occupancy_pct.push_back(percent);
}

// "[256, 1, 1]". Nothing where one of the three is no number that a launch can have.
std::optional<std::array<std::uint32_t, 3>> launch_sizes(const Token& token) {
  std::array<std::uint32_t, 3> sizes = {};
  const char *at = token.raw.data(), *const end = at + token.raw.size();
  for (std::uint32_t& size : sizes) {
    while (at != end && std::string_view("[ ,\n\r\t").find(*at) != std::string_view::npos) ++at;
    const auto [behind, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size == 0) return std::nullopt;
    at = behind;
  }
  return sizes;
}

// A trace has the shared memory of a block as one number, so that the dynamic part is not known.
void add_kernel_shape(const EventFields& fields, EventRows& rows) {
  const auto grid = launch_sizes(fields.grid), block = launch_sizes(fields.block);
  if (!grid || !block) return;
  model::KernelShape shape{static_cast<std::uint32_t>(rows.size()), *grid, *block};
  shape.dynamic_shared_bytes = model::KernelShape::not_recorded;
  const std::uint64_t registers = whole(fields.registers).value_or(0);
  if (registers <= UINT32_MAX) shape.registers_per_thread = static_cast<std::uint32_t>(registers);
  rows.kernel_shapes.push_back(shape);
}

void EventConverter::add(const EventFields& fields, EventRows& rows) {
  ++rows.seen;
  const bool complete = fields.phase.raw == "X" || (fields.phase.kind == Token::nothing && fields.duration.kind != Token::nothing);
  if (!complete) {
    if (fields.name.raw == "[memory]") add_memory(fields, rows);
    return;
  }
  const EventKind kind = kind_of(fields);
  const std::optional<TraceTime> start = microseconds(fields.time);
  const std::optional<TraceTime> duration = microseconds(fields.duration);
  if (!start || !duration || !is_usable(start->ns, duration->ns)) {
    ++rows.without_time;
    rows.untimed_kernels += kind == EventKind::kernel;
    return;
  }
  rows.at_zero += start->ns == 0 && duration->ns == 0 && kind != EventKind::window;
  rows.fractional |= start->fractional || duration->fractional;
  const bool on_gpu = is_gpu_work(kind) || kind == EventKind::gpu_annotation || kind == EventKind::sync;
  if (fields.bytes.kind != Token::nothing && is_gpu_work(kind)) {
    if (const auto bytes = whole(fields.bytes)) {
      rows.copy_events.push_back(static_cast<std::uint32_t>(rows.size()));
      rows.copy_bytes.push_back(*bytes);
    }
  }
  if (fields.collective.kind != Token::nothing && kind == EventKind::kernel) add_collective(fields, rows);
  if (kind == EventKind::cpu_op && fields.sequence.kind != Token::nothing) add_sequence(fields, rows);
  if (kind == EventKind::cpu_op && fields.input_dims.kind != Token::nothing) add_shapes(fields.input_dims.raw, rows);
  if (fields.occupancy.kind == Token::scalar && kind == EventKind::kernel) add_occupancy(fields.occupancy, rows);
  if (rows.kept.kernel_shapes && kind == EventKind::kernel) add_kernel_shape(fields, rows);
  const std::uint32_t name = name_of(fields.name.raw);
  const bool has_arguments = fields.input_types.kind == Token::array || fields.concrete_inputs.kind == Token::array ||
                             (rows.kept.all_arguments && fields.input_dims.kind == Token::array);
  if (kind == EventKind::cpu_op && has_arguments) add_arguments(fields, name, rows);
  if (kind == EventKind::python && fields.call_from.kind == Token::text)
    rows.python_calls.push_back({static_cast<std::uint32_t>(rows.size()), name_of(fields.call_from.raw)});
  rows.start.push_back(start->ns);
  rows.duration.push_back(duration->ns);
  rows.name.push_back(name);
  rows.track.push_back(track_of(fields, on_gpu));
  rows.correlation.push_back(id_of(fields.correlation, rows));
  rows.external.push_back(id_of(fields.external_id, rows));
  rows.kind.push_back(kind);
}

}  // namespace frx::ingest::trace
