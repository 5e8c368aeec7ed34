#include "report/operators/operator_replay.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "base/text.h"
#include "base/units.h"
#include "report/operators/replay_name.h"
#include "report/recorder_words.h"

namespace frx::report {
namespace {

using derive::trace::none;
using model::EventKind;
using model::Timeline;

// One call of the operator.
struct Call {
  std::uint32_t row = 0;
  std::int64_t gpu_ns = 0, cpu_ns = 0;  // of all kernels launched within; of the CPU, without the operators within
};

// What a recording says of the inputs of a call, by number of a text of the timeline.
using derive::trace::RecordedInput;
using derive::trace::RecordedInputs;
using Signature = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;  // as InputTexts

std::vector<Call> calls_of(const OperatorProfile& profile, std::string_view name) {
  const Timeline& timeline = profile.timeline;
  const std::uint32_t number = timeline.names.find(name);
  std::vector<std::int64_t> gpu_ns(timeline.size()), within_ns(timeline.size());
  for (const derive::trace::OperatorKernel& kernel : profile.calls.kernels) {
    for (std::uint32_t row = kernel.inner; row != none; row = profile.calls.enclosing[row]) {
      if (timeline.name[row] == number) gpu_ns[row] += timeline.duration[kernel.event];
    }
  }
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] != EventKind::cpu_op) continue;
    std::uint32_t around = profile.calls.enclosing[row];
    while (around != none && timeline.kind[around] != EventKind::cpu_op) around = profile.calls.enclosing[around];
    if (around != none && timeline.name[around] == number) within_ns[around] += timeline.duration[row];
  }
  std::vector<Call> calls;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] == EventKind::cpu_op && timeline.name[row] == number)
      calls.push_back({row, gpu_ns[row], std::max<std::int64_t>(0, timeline.duration[row] - within_ns[row])});
  }
  std::ranges::sort(calls, {}, [&](const Call& call) { return std::pair(timeline.start[call.row], call.row); });
  return calls;
}

Signature signature_of(const Timeline& timeline, std::uint32_t row) {
  const auto text = [&](std::uint32_t number) { return number == Timeline::no_id ? std::string_view() : timeline.names[number]; };
  const auto at = std::ranges::lower_bound(timeline.arguments, row, {}, &model::OperatorArguments::event);
  if (at != timeline.arguments.end() && at->event == row && at->shapes != Timeline::no_id)
    return {text(at->shapes), text(at->types), text(at->strides), text(at->concrete)};
  const std::uint32_t* const shaped = std::ranges::lower_bound(timeline.shaped_events, row);
  if (shaped == timeline.shaped_events.end() || *shaped != row) return {};
  const std::uint32_t number = timeline.shapes_of[static_cast<std::size_t>(shaped - timeline.shaped_events.begin())];
  return {Timeline::is_hash_of_shapes(number) ? std::string_view() : timeline.shapes[number], {}, {}, {}};
}

// 2 for "bfloat16"; 0 for no number.
double bytes_of(std::string_view type) {
  if (type == "bool") return 1;
  if (type.starts_with("float8")) return 1;
  const std::size_t digits = type.find_first_of("0123456789");
  if (digits == type.npos) return 0;
  double bits = 0;
  std::from_chars(type.data() + digits, type.data() + type.size(), bits);
  return bits / 8;
}

void add_work(const Signature& signature, std::string_view name, ReplayShape& shape) {
  const auto work = derive::trace::work_of_product({name, std::get<0>(signature), std::get<3>(signature)});
  if (!work || work->flops <= 0) return;
  shape.flops = work->flops;
  double bytes = 0;
  for (const RecordedInput& input : shape.inputs.inputs) {
    if (input.kind == RecordedInput::Kind::tensor) bytes = bytes_of(input.tensors.front().type);
  }
  if (bytes > 0) shape.bytes = work->elements * bytes;
}

class Chooser {
 public:
  Chooser(const OperatorProfile& profile, const ReplayRequest& request, OperatorReplay& replay)
      : timeline_(profile.timeline), request_(request), replay_(replay), calls_(calls_of(profile, replay.name)) {
    replay_.calls = calls_.size();
    replay_.on_gpu = std::ranges::any_of(calls_, [](const Call& call) { return call.gpu_ns > 0; });
  }

  Result<> choose() {
    if (request_.call && *request_.call >= calls_.size())
      return fail(ErrorKind::usage, "there is no call {} of {}", *request_.call, printable(replay_.name))
          .at(timeline_.source)
          .hint(fmt::format("it was called {}, numbered from 0", calls_.size() == 1 ? "once" : fmt::format("{} times", calls_.size())));
    std::map<Signature, ReplayShape> by_signature;
    for (std::size_t i = 0; i < calls_.size(); ++i) add(i, by_signature);
    if (by_signature.empty() || (request_.call && !has_shapes(*request_.call))) return without_shapes();
    for (auto& [signature, shape] : by_signature) {
      if (is_left_out(signature)) continue;
      TRY(take(signature, std::move(shape)));
    }
    std::ranges::stable_sort(replay_.shapes, std::ranges::greater{}, request_.all_shapes ? &ReplayShape::all_ns : &ReplayShape::call_ns);
    if (!request_.all_shapes) replay_.shapes.resize(1);
    return {};
  }

 private:
  std::int64_t ns_of(const Call& call) const { return replay_.on_gpu ? call.gpu_ns : call.cpu_ns; }
  bool has_shapes(std::size_t call) const { return !std::get<0>(signature_of(timeline_, calls_[call].row)).empty(); }
  bool is_left_out(const Signature& signature) const {
    return request_.call && !request_.all_shapes && signature_of(timeline_, calls_[*request_.call].row) != signature;
  }

  void add(std::size_t i, std::map<Signature, ReplayShape>& by_signature) const {
    const Signature signature = signature_of(timeline_, calls_[i].row);
    if (std::get<0>(signature).empty()) return;
    ReplayShape& shape = by_signature[signature];
    ++shape.calls;
    shape.all_ns += ns_of(calls_[i]);
    const bool is_asked = request_.call == i;
    const bool was_asked = request_.call && *request_.call < i && *request_.call == shape.call && shape.calls > 1;
    if (shape.calls > 1 && !is_asked && (was_asked || ns_of(calls_[i]) <= shape.call_ns)) return;
    shape.call = i;
    shape.call_ns = ns_of(calls_[i]);
  }

  Result<> take(const Signature& signature, ReplayShape shape) {
    const auto [shapes, types, strides, values] = signature;
    std::optional<RecordedInputs> inputs = derive::trace::recorded_inputs({shapes, types, strides, values});
    if (!inputs) return without_shapes();
    for (const RecordedInput& input : inputs->inputs) {
      if (input.kind == RecordedInput::Kind::refused)
        return fail(ErrorKind::not_enough, "a call of {} has a tensor of type '{}', which cannot be filled with random numbers",
                    printable(replay_.name), printable(input.text))
            .at(timeline_.source)
            .hint("--call N chooses another call");
    }
    shape.inputs = std::move(*inputs);
    add_work(signature, replay_.name, shape);
    replay_.shapes.push_back(std::move(shape));
    return {};
  }

  Failure without_shapes() const {
    return fail(ErrorKind::not_enough, "the shapes of the inputs of {} were not recorded", printable(replay_.name))
        .at(timeline_.source)
        .hint(std::string(recorder_words(timeline_.facts.recorder).shapes));
  }

  const Timeline& timeline_;
  const ReplayRequest& request_;
  OperatorReplay& replay_;
  const std::vector<Call> calls_;
};

std::string gpu_of(const Timeline& timeline) { return timeline.facts.gpus.empty() ? std::string() : timeline.facts.gpus.front().name; }

// "torchvision", "my_package.ops".
bool is_module(std::string_view name) {
  const auto is_word = [](std::string_view word) {
    return !word.empty() && !(word[0] >= '0' && word[0] <= '9') && std::ranges::all_of(word, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
  };
  return std::ranges::all_of(split(name, '.'), is_word);
}

}  // namespace

Result<OperatorReplay> operator_replay_of(const OperatorProfile& profile, const ReplayRequest& request) {
  if (!request.module.empty() && !is_module(request.module))
    return fail(ErrorKind::usage, "--import takes the name of a module, found '{}'", printable(request.module));
  OperatorReplay replay;
  TRY_ASSIGN(replay.name, replayed_name(profile, request.operator_name));
  replay.source = profile.timeline.source;
  replay.gpu = gpu_of(profile.timeline);
  replay.module = request.module;
  replay.is_by_nsight_systems = profile.timeline.facts.recorder == model::Recorder::nsight_systems;
  if (request.module.empty() && !comes_with_torch(replay.name)) {
    return fail(ErrorKind::usage, "{} is registered by another module than torch", printable(replay.name))
        .at(replay.source)
        .hint("name the module that the script is to import: --import MODULE");
  }
  TRY(Chooser(profile, request, replay).choose());
  return replay;
}

}  // namespace frx::report
