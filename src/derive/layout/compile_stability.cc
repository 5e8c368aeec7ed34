#include "derive/layout/compile_stability.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "derive/layout/compiled_region.h"
#include "derive/layout/strides.h"

namespace frx::derive::layout {
namespace {

using model::EventKind;
using model::GuardFailure;

// Why the graphs of a frame differ, as far as the inputs of its regions say.
enum class Cause : std::uint8_t { unknown, strides, sizes };

struct FrameEntry {
  std::uint32_t first_step = none, first_node = none;
  std::vector<std::uint32_t> nodes;
};

struct Frame {
  std::string_view name;
  std::map<std::uint32_t, FrameEntry> entries;               // by number
  std::map<std::uint32_t, std::set<std::uint32_t>> by_step;  // which entries a step runs
};

std::map<std::string_view, Frame> frames_of(const LayoutTrace& trace) {
  std::map<std::string_view, Frame> frames;
  for (std::uint32_t node = 0; node < trace.nodes().size(); ++node) {
    const OperatorNode& of = trace.nodes()[node];
    if (of.step == none || of.role != OperatorRole::compiled) continue;
    const std::optional<CompiledRegion> region = compiled_region(trace.name(node));
    if (!region || region->frame.empty()) continue;
    Frame& frame = frames[region->frame];
    frame.name = region->frame;
    FrameEntry& entry = frame.entries[region->entry];
    entry.nodes.push_back(node);
    if (entry.first_step == none || of.step < entry.first_step) std::tie(entry.first_step, entry.first_node) = std::pair(of.step, node);
    frame.by_step[of.step].insert(region->entry);
  }
  return frames;
}

// Of each steady step the CPU time of compilations, as PyTorch 2.3 and later record them; empty where none is recorded.
std::vector<std::int64_t> compile_times(const LayoutTrace& trace) {
  const model::Timeline& timeline = trace.timeline();
  const auto is_compilation = [](std::string_view name) {
    return name.ends_with("(dynamo_timed)") && (name.starts_with("_compile.compile_inner") || name.starts_with("entire_frame_compile") ||
                                                name.starts_with("compile_fx") || name.starts_with("fx_codegen_and_compile"));
  };
  std::vector<std::vector<Interval>> spans(trace.steps().size());
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] != EventKind::annotation && timeline.kind[row] != EventKind::cpu_op) continue;
    if (!is_compilation(timeline.name_of(row))) continue;
    const std::uint32_t step = trace.step_of_event(row);
    if (step != none) spans[step].push_back({timeline.start[row], timeline.end(row)});
  }
  std::vector<std::int64_t> times;
  for (std::vector<Interval>& of : spans) times.push_back(total(united(std::move(of))));
  return times;
}

// The operator within a region that records its inputs; none.
std::uint32_t boundary_of(const LayoutTrace& trace, std::uint32_t region) {
  for (std::uint32_t node = region; node < trace.nodes()[region].end; ++node) {
    if (trace.nodes()[node].role == OperatorRole::compiled && trace.inputs(node) != nullptr) return node;
  }
  return none;
}

Cause cause_between(const RecordedInputs& first, const RecordedInputs& second) {
  Cause cause = Cause::unknown;
  for (std::size_t i = 0; i < std::min(first.inputs.size(), second.inputs.size()); ++i) {
    const RecordedTensor *const a = tensor_at(first, i), *const b = tensor_at(second, i);
    if (a == nullptr || b == nullptr) continue;
    if (a->shape != b->shape) return Cause::sizes;
    if (a->strides && b->strides && *a->strides != *b->strides) cause = Cause::strides;
  }
  return cause;
}

Cause cause_of(const LayoutTrace& trace, const Frame& frame) {
  Cause cause = Cause::unknown;
  const RecordedInputs* before = nullptr;
  for (const auto& [number, entry] : frame.entries) {
    const std::uint32_t boundary = boundary_of(trace, entry.first_node);
    const RecordedInputs* const inputs = boundary == none ? nullptr : trace.inputs(boundary);
    if (inputs == nullptr) return Cause::unknown;
    const Cause one = before == nullptr ? Cause::unknown : cause_between(*before, *inputs);
    if (one == Cause::strides || (one == Cause::sizes && cause == Cause::unknown)) cause = one;
    before = inputs;
  }
  return cause;
}

// What the log says of one function and tensor (or check of another kind).
struct LoggedCause {
  model::LoggedPlace place;
  std::vector<const model::Recompilation*> recompilations;
  const GuardFailure* last = nullptr;
  bool limit_reached = false;
};

// The failure that explains a compilation: of strides before others, since equal strides would have let that graph run.
const GuardFailure* telling_failure(const std::vector<GuardFailure>& failures) {
  const auto strides = std::ranges::find(failures, GuardFailure::Kind::stride, &GuardFailure::kind);
  if (strides != failures.end()) return &*strides;
  return failures.empty() ? nullptr : &failures.front();
}

std::string_view frame_of(std::string_view compile_id) { return compile_id.substr(0, std::min(compile_id.rfind('/'), compile_id.size())); }

class CompileStability {
 public:
  CompileStability(const LayoutTrace& trace, const model::DynamoLog* log, StrideStability& into)
      : trace_(trace), log_(log), into_(into), frames_(frames_of(trace)), compile_ns_(compile_times(trace)) {}

  void run() {
    for (const auto& [name, frame] : frames_) look_at(frame);
    if (log_ != nullptr) add_logged();
    const bool is_compiled =
        std::ranges::any_of(trace_.nodes(), [](const OperatorNode& node) { return node.role == OperatorRole::compiled; });
    if (is_compiled && log_ == nullptr)
      into_.not_assessed.emplace_back(
          "which tensor made torch.compile compile again: TORCH_LOGS=recompiles,cudagraphs, its output as --log FILE");
  }

 private:
  // Steps after the first that ran an entry for the first time.
  static std::vector<std::uint32_t> steps_of_new(const Frame& frame) {
    std::set<std::uint32_t> steps;
    const std::uint32_t first = frame.by_step.begin()->first;
    for (const auto& [number, entry] : frame.entries) {
      if (entry.first_step != first) steps.insert(entry.first_step);
    }
    return {steps.begin(), steps.end()};
  }

  // Does a step run an entry again that the step before it did not run, without running a new one?
  static bool comes_back(const Frame& frame) {
    std::set<std::uint32_t> seen;
    const std::set<std::uint32_t>* before = nullptr;
    for (const auto& [step, entries] : frame.by_step) {
      const auto is_back = [&](std::uint32_t entry) { return seen.contains(entry) && before != nullptr && !before->contains(entry); };
      if (std::ranges::any_of(entries, is_back)) return true;
      seen.insert(entries.begin(), entries.end());
      before = &entries;
    }
    return false;
  }

  void look_at(const Frame& frame) {
    const std::vector<std::uint32_t> new_steps = steps_of_new(frame);
    if (new_steps.empty()) return;  // every step runs the same graphs, or goes back to those of the first one
    const LoggedCause logged = logged_of_frame(frame.name);
    const Cause cause = logged.last != nullptr ? cause_in_log(logged) : cause_of(trace_, frame);
    if (cause == Cause::sizes) return;
    into_.candidates.push_back(recompile_of(frame, new_steps, cause, logged));
  }

  static Cause cause_in_log(const LoggedCause& logged) {
    if (logged.last->kind == GuardFailure::Kind::stride) return Cause::strides;
    return logged.last->kind == GuardFailure::Kind::size || logged.last->kind == GuardFailure::Kind::rank ? Cause::sizes : Cause::unknown;
  }

  LoggedCause logged_of_frame(std::string_view frame) {
    LoggedCause found;
    if (log_ == nullptr) return found;
    for (const model::Recompilation& one : log_->recompilations) {
      if (one.compile_id.empty() || frame_of(one.compile_id) != frame) continue;
      found.place = one.place;
      found.recompilations.push_back(&one);
      const GuardFailure* const failure = telling_failure(one.failures);
      if (failure != nullptr && (found.last == nullptr || failure->kind == GuardFailure::Kind::stride)) found.last = failure;
    }
    if (!found.recompilations.empty()) joined_.insert(found.place);
    found.limit_reached = gave_up(found.place);
    return found;
  }

  bool gave_up(const model::LoggedPlace& place) const {
    return std::ranges::any_of(log_->limits, [&](const model::CompileLimit& limit) { return limit.place == place; });
  }

  Candidate recompile_of(const Frame& frame, const std::vector<std::uint32_t>& new_steps, Cause cause, const LoggedCause& logged) const {
    const bool was_compiled = std::ranges::any_of(new_steps, [&](std::uint32_t step) { return compile_ns_[step] > 0; });
    // A graph that steps return to was perhaps made before the recording, unless a compilation was recorded.
    const bool alternates = comes_back(frame) && new_steps.size() == 1 && !was_compiled;
    Candidate made;
    made.detector = stride_instability_id;
    made.pattern = "recompile";
    made.node = frame.entries.rbegin()->second.first_node;
    std::size_t added = 0;
    std::vector<std::string> names;
    for (const auto& [number, entry] : frame.entries) {
      const bool is_new = entry.first_step != frame.by_step.begin()->first;
      if (is_new) made.nodes.insert(made.nodes.end(), entry.nodes.begin(), entry.nodes.end());
      if (is_new && added++ == 0) made.node = entry.first_node;
      if (names.size() < most_names) names.push_back(fmt::format("{}/{}", frame.name, number));
    }
    std::ranges::sort(made.nodes);
    const double recompiles = alternates ? 0 : static_cast<double>(added);
    made.count = trace_.per_step(recompiles > 0 ? recompiles : static_cast<double>(made.nodes.size()));
    made.words = {{"frame", std::string(frame.name)}, {"entries", join(names, ", ")}, {"steps", words_of_steps(trace_, new_steps)}};
    made.facts = {{"steps_compared", static_cast<double>(frame.by_step.size())},
                  {"entries", static_cast<double>(frame.entries.size())},
                  {"new_entries", static_cast<double>(added)},
                  {"recompiles", recompiles},
                  {"alternating", alternates ? 1 : 0},
                  {"in_steady_state", recompiles > 0 ? 1 : 0},
                  {"compilations_per_step", trace_.per_step(recompiles)}};
    if (was_compiled) made.facts["compile_us"] = compile_us(new_steps);
    add_cause(cause, logged, made);
    made.confidence = cause == Cause::strides ? 0.95 : was_compiled || new_steps.size() > 1 ? 0.8 : 0.6;
    if (alternates) made.confidence = std::min(made.confidence, 0.6);
    return made;
  }

  double compile_us(const std::vector<std::uint32_t>& steps) const {
    double sum = 0;
    for (const std::uint32_t step : steps) sum += static_cast<double>(compile_ns_[step]);
    return sum / 1000;
  }

  void add_cause(Cause cause, const LoggedCause& logged, Candidate& into) const {
    into.facts["caused_by_strides"] = cause == Cause::strides ? 1 : 0;
    into.facts["limit_reached"] = logged.limit_reached ? 1 : 0;
    into.words["cause"] = cause == Cause::strides ? "strides" : "unknown";
    if (logged.last != nullptr) add_logged_words(logged, into);
    if (logged.last != nullptr && cause == Cause::strides) into.pattern = "stride_guard";
    if (cause == Cause::unknown)
      into.caveats.emplace_back(log_ != nullptr ? "the log has no failed check of strides for this frame"
                                                : "the trace does not say which check failed: TORCH_LOGS=recompiles does");
  }

  static void add_place(const model::LoggedPlace& place, Candidate& into) {
    into.words["function"] = place.function;
    into.words["file"] = place.file;
    into.words["line"] = place.line > 0 ? std::to_string(place.line) : "";
  }

  static void add_logged_words(const LoggedCause& logged, Candidate& into) {
    add_place(logged.place, into);
    into.words["tensor"] = logged.last->tensor;
    into.words["check"] = logged.last->text;
    if (logged.last->index) into.words["index"] = std::to_string(*logged.last->index);
    if (logged.last->expected) into.words["expected"] = std::to_string(*logged.last->expected);
    if (logged.last->actual) into.words["actual"] = std::to_string(*logged.last->actual);
  }

  // Functions that the log says were compiled again for their strides, and that no frame of the trace stands for.
  void add_logged() {
    std::map<std::pair<model::LoggedPlace, std::string>, LoggedCause> by_tensor;
    for (const model::Recompilation& one : log_->recompilations) {
      const GuardFailure* const failure = telling_failure(one.failures);
      if (failure == nullptr || failure->kind != GuardFailure::Kind::stride || joined_.contains(one.place)) continue;
      LoggedCause& of = by_tensor[{one.place, failure->tensor}];
      of.place = one.place;
      of.recompilations.push_back(&one);
      of.last = failure;
    }
    for (auto& [key, logged] : by_tensor) {
      logged.limit_reached = gave_up(logged.place);
      into_.candidates.push_back(logged_recompile(logged, frame_in_trace(logged)));
    }
    for (const model::CompileLimit& limit : log_->limits) add_limit(limit);
    for (const model::GraphSkip& skip : log_->skips) add_skip(skip);
  }

  // `frame`: of the trace, which runs the same graphs in every step; null: the trace does not show it.
  Candidate logged_recompile(const LoggedCause& logged, const Frame* frame) const {
    Candidate made;
    made.detector = stride_instability_id;
    const auto recompiles = static_cast<double>(logged.recompilations.size());
    made.facts = {{"recompiles", recompiles}, {"in_steady_state", 0}, {"alternating", 0}, {"compilations_per_step", 0}};
    made.words["frame"] = frame != nullptr ? std::string(frame->name) : logged.place.function;
    add_cause(Cause::strides, logged, made);
    made.count = frame == nullptr ? trace_.per_step(recompiles) : 0;
    if (logged.limit_reached) made.count = std::max(made.count, 1.0);
    made.confidence = frame == nullptr ? 0.6 : 0.7;
    if (frame != nullptr) made.node = frame->entries.begin()->second.first_node;
    made.caveats.emplace_back(frame != nullptr ? "the trace runs the same graphs in all steps that count: it was compiled before"
                                               : "the log does not say in which steps, and the trace does not show this function");
    made.caveats.emplace_back("a change of a later size changes strides as well, and some versions of PyTorch report it as one of strides");
    return made;
  }

  const Frame* frame_in_trace(const LoggedCause& logged) const {
    for (const model::Recompilation* const one : logged.recompilations) {
      const auto frame = frames_.find(frame_of(one->compile_id));
      if (!one->compile_id.empty() && frame != frames_.end()) return &frame->second;
    }
    return nullptr;
  }

  // Where torch.compile gave up for strides, and the log has no message about the compilations before that.
  void add_limit(const model::CompileLimit& limit) {
    if (!limit.reason || limit.reason->kind != GuardFailure::Kind::stride) return;
    const auto is_known = [&](const Candidate& made) {
      const auto function = made.words.find("function");
      return made.facts.contains("limit_reached") && function != made.words.end() && function->second == limit.place.function &&
             made.words.at("file") == limit.place.file;
    };
    if (std::ranges::any_of(into_.candidates, is_known)) return;
    LoggedCause logged;
    logged.place = limit.place;
    logged.last = &*limit.reason;
    logged.limit_reached = true;
    Candidate made = logged_recompile(logged, nullptr);
    made.facts["recompiles"] = static_cast<double>(limit.limit);
    into_.candidates.push_back(std::move(made));
  }

  void add_skip(const model::GraphSkip& skip) {
    Candidate made;
    made.detector = stride_instability_id;
    made.pattern = "graph_skip";
    made.count = static_cast<double>(skip.times);  // each graph that was skipped at its compilation runs so in every step
    made.facts = {
        {"skips", made.count},
        {"layout_related", contains_ignoring_case(skip.reason, "strid") || contains_ignoring_case(skip.reason, "overlap") ? 1 : 0}};
    made.words["reason"] = skip.reason;
    add_place(skip.place, made);
    made.confidence = 0.9;
    into_.candidates.push_back(std::move(made));
  }

  static constexpr std::size_t most_names = 8;

  const LayoutTrace& trace_;
  const model::DynamoLog* const log_;
  StrideStability& into_;
  const std::map<std::string_view, Frame> frames_;
  const std::vector<std::int64_t> compile_ns_;  // by steady step
  std::set<model::LoggedPlace> joined_;         // functions whose frame the trace has
};

// Calls of a step that concern graphs.
struct StepLaunches {
  std::uint64_t graphs = 0, kernels = 0, captures = 0;
};

std::vector<StepLaunches> launches_of(const LayoutTrace& trace) {
  const model::Timeline& timeline = trace.timeline();
  std::vector<StepLaunches> launches(trace.steps().size());
  enum class Call : std::uint8_t { unknown, none, graph, kernel, capture };
  std::vector<Call> by_name(timeline.names.size(), Call::unknown);
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] != EventKind::runtime && timeline.kind[row] != EventKind::driver) continue;
    Call& call = by_name[timeline.name[row]];
    if (call == Call::unknown) {
      const std::string_view name = timeline.name_of(row);
      call = name.find("GraphLaunch") != name.npos          ? Call::graph
             : name.find("StreamBeginCapture") != name.npos ? Call::capture
             : name.find("LaunchKernel") != name.npos       ? Call::kernel
                                                            : Call::none;
    }
    const std::uint32_t step = call == Call::none ? none : trace.step_of_event(row);
    if (step == none) continue;
    StepLaunches& of = launches[step];
    ++(call == Call::graph ? of.graphs : call == Call::kernel ? of.kernels : of.captures);
  }
  return launches;
}

// The step whose number of graphs most steps have; of equals the one with more graphs.
StepLaunches usual_launches(const std::vector<StepLaunches>& launches) {
  std::map<std::uint64_t, std::uint64_t> votes;
  for (const StepLaunches& one : launches) ++votes[one.graphs];
  return *std::ranges::max_element(launches, {}, [&](const StepLaunches& one) { return std::pair(votes[one.graphs], one.graphs); });
}

// The first compiled region of a step; none.
std::uint32_t region_in(const LayoutTrace& trace, std::uint32_t step) {
  const auto found = std::ranges::find_if(
      trace.nodes(), [&](const OperatorNode& node) { return node.step == step && node.role == OperatorRole::compiled; });
  return found == trace.nodes().end() ? none : static_cast<std::uint32_t>(found - trace.nodes().begin());
}

void add_capture_instability(const LayoutTrace& trace, StrideStability& into) {
  const std::vector<StepLaunches> launches = launches_of(trace);
  if (launches.size() < 2) return;
  const StepLaunches usual = usual_launches(launches);
  std::vector<std::uint32_t> changed;
  StepLaunches first;
  double captures = 0;
  for (std::uint32_t step = 0; step < launches.size(); ++step) {
    const StepLaunches& one = launches[step];
    const bool fell = one.graphs < usual.graphs && one.kernels > usual.kernels;
    const bool captures_again = one.captures > 0 && step > 0;  // the first one may be warming up
    if (captures_again) captures += static_cast<double>(one.captures);
    if (!fell && !captures_again) continue;
    if (changed.empty()) first = one;
    changed.push_back(step);
  }
  if (changed.empty()) return;
  Candidate made;
  made.detector = stride_instability_id;
  made.pattern = "graph_capture";
  made.node = region_in(trace, changed.front());
  if (made.node != none) made.nodes = {made.node};
  made.count = trace.per_step(static_cast<double>(changed.size()));
  made.facts = {{"graph_launches_usual", static_cast<double>(usual.graphs)},
                {"graph_launches_changed", static_cast<double>(first.graphs)},
                {"kernel_launches_usual", static_cast<double>(usual.kernels)},
                {"kernel_launches_changed", static_cast<double>(first.kernels)},
                {"captures_per_step", trace.per_step(captures)},
                {"steps_changed", static_cast<double>(changed.size())},
                {"steps_compared", static_cast<double>(launches.size())}};
  made.words["steps"] = words_of_steps(trace, changed);
  made.confidence = captures > 0 ? 0.9 : 0.7;
  made.caveats.emplace_back("a trace does not say why a graph was not launched: TORCH_LOGS=cudagraphs does");
  into.candidates.push_back(std::move(made));
}

}  // namespace

void add_compile_instability(const LayoutTrace& trace, const model::DynamoLog* log, StrideStability& into) {
  CompileStability(trace, log, into).run();
  add_capture_instability(trace, into);
}

}  // namespace frx::derive::layout
