// A trace of PyTorch prepared for questions about memory layout: a tree of operators with their inputs, the GPU work of each, and the steps
// that count.
//
// Nodes stand by thread, start and falling duration, so the operators inside of node i are the nodes [i + 1, nodes[i].end). All numbers of
// a step are means over the steady steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/intervals.h"
#include "base/result.h"
#include "derive/layout/operator_roles.h"
#include "derive/trace/attribution.h"
#include "derive/trace/backward.h"
#include "derive/trace/modules.h"
#include "derive/trace/recorded_inputs.h"
#include "derive/trace/steps.h"
#include "model/timeline.h"

namespace frx::derive::layout {

using trace::none;
using trace::RecordedInput;
using trace::RecordedInputs;
using trace::RecordedTensor;

// What a trace has, each level all of those before it.
enum class EvidenceLevel : std::uint8_t { kernels, operators, shapes, strides, stacks };
inline constexpr std::size_t evidence_levels = 5;

struct OperatorNode {
  std::uint32_t row = 0;                       // of the timeline
  std::uint32_t parent = none;                 // the operator around it, on its thread
  std::uint32_t end = 0;                       // behind the last operator inside of it
  std::uint32_t step = none;                   // index of `steps`; none: outside of them
  std::uint32_t work_begin = 0, work_end = 0;  // of `work_order`: GPU work that it launched itself, and not an operator inside of it
  OperatorRole role = OperatorRole::other;
};

struct SteadySteps {
  std::vector<Interval> spans;        // in the program, by begin
  std::vector<std::int64_t> numbers;  // as the trace has them
  std::string name;                   // "ProfilerStep#N"; "": the whole recording is one step
  std::string pid;                    // of the process; "": all events
  std::uint64_t recorded = 0;         // steps before the selection
  bool first_left_out = false;        // it does other work than the others: warm-up
  std::size_t size() const { return spans.size(); }
};

// Which steps count: numbers as the trace has them, both included. Nothing: all but a first one that differs from the others.
struct StepSelection {
  std::int64_t first = 0, last = 0;
};

class LayoutTrace {
 public:
  // `timeline`: read with the arguments of every operator. Errors: `selection` has none of its steps. O(n log n) in the events.
  // `program`: which files name sites.
  static Result<std::unique_ptr<LayoutTrace>> of(model::Timeline timeline, const std::optional<StepSelection>& selection = {},
                                                 trace::ProgramFiles program = {});

  const model::Timeline& timeline() const { return timeline_; }
  const trace::Attribution& attribution() const { return attribution_; }
  const trace::BackwardWork& backward() const { return backward_; }
  const std::vector<OperatorNode>& nodes() const { return nodes_; }
  const SteadySteps& steps() const { return steps_; }
  const trace::ProgramFiles& program() const { return program_; }
  // Of the evidence: `strides` and `stacks` are there or not independently of each other.
  bool has_operators() const { return !nodes_.empty(); }
  bool has_shapes() const { return has_shapes_; }
  bool has_strides() const { return has_strides_; }
  bool has_values() const { return has_values_; }  // Concrete Inputs
  bool has_stacks() const { return has_stacks_; }
  // Operators of processes whose steps do not count.
  bool has_other_processes() const { return has_other_processes_; }
  // False for a recording of a CPU alone, or of operators alone: copies are then timed by their operators.
  bool has_gpu_work() const { return !attribution_.work.empty(); }
  // The highest level whose evidence, and that of all below it, is there: stacks without strides are level `shapes`.
  EvidenceLevel level() const;

  std::string_view name(std::uint32_t node) const { return timeline_.name_of(nodes_[node].row); }
  // The inputs of an operator; null where none were recorded. Equal ones are parsed once.
  const RecordedInputs* inputs(std::uint32_t node) const;
  // Equal for two calls exactly when all that was recorded of their inputs is equal; none: nothing was recorded.
  std::uint32_t signature(std::uint32_t node) const;
  // Equal for calls of one operator with equal inputs, as far as these were recorded.
  std::uint64_t same_call(std::uint32_t node) const { return std::uint64_t{signature(node)} << 32 | timeline_.name[nodes_[node].row]; }
  // GPU work (indices of attribution().work) that the node launched itself, by launch; and that of all operators inside of it, too.
  std::span<const std::uint32_t> own_work(std::uint32_t node) const;
  std::span<const std::uint32_t> all_work(std::uint32_t node) const;
  // Is an event (a row) of the process whose steps count, or of its GPU?
  bool is_of_process(std::uint32_t row) const { return is_of_process_[timeline_.track[row]]; }
  // The steady step around the start of an event of the program's process; none.
  std::uint32_t step_of_event(std::uint32_t row) const;
  // The node of an operator's row; none.
  std::uint32_t node_of_row(std::uint32_t row) const { return row == none ? none : node_of_row_[row]; }
  // Of work: the node that launched it, none; the steady step during which it was launched, none; ns; the name of the kernel.
  std::uint32_t node_of_work(std::uint32_t work) const { return node_of_work_[work]; }
  std::uint32_t step_of_work(std::uint32_t work) const { return step_of_work_[work]; }
  std::int64_t duration(std::uint32_t work) const { return timeline_.duration[attribution_.work[work].event]; }
  std::string_view kernel_name(std::uint32_t work) const { return timeline_.name_of(attribution_.work[work].event); }
  // Is it an operator that a program calls, and not a part of another one of PyTorch?
  bool is_called_by_program(std::uint32_t node) const {
    return nodes_[node].parent == none || !name(nodes_[node].parent).starts_with("aten::");
  }
  // Is an event of the timeline a copy from or to the host, or between GPUs?
  bool is_transfer(std::uint32_t event) const;
  // The sum over the work in `all_work(node)`.
  std::int64_t gpu_time(std::uint32_t node) const;
  // The first operator of the same thread that begins after this one ended and is not inside of it, within the same parent; none.
  std::uint32_t next_sibling(std::uint32_t node) const;
  // The last one before it; none.
  std::uint32_t previous_sibling(std::uint32_t node) const;
  // The outermost of `node` and the operators around it for which `accepts(role)`; none.
  template <typename Accepts>
  std::uint32_t outermost_around(std::uint32_t node, Accepts accepts) const {
    std::uint32_t found = none;
    for (std::uint32_t at = node; at != none; at = nodes_[at].parent) {
      if (accepts(nodes_[at].role)) found = at;
    }
    return found;
  }
  // Divides by the number of steady steps.
  double per_step(double total) const { return total / static_cast<double>(std::max<std::size_t>(1, steps_.size())); }

 private:
  struct Signature {
    std::uint32_t shapes, strides, types, concrete;
    friend bool operator==(const Signature&, const Signature&) = default;
  };
  struct SignatureHash {
    std::size_t operator()(const Signature& of) const;
  };

  void build_nodes();
  void number_signatures();
  std::optional<RecordedInputs> parsed(const Signature& signature) const;
  Result<> choose_steps(const std::optional<StepSelection>& selection);
  void find_own_tracks();
  void leave_marking_process();
  void end_with_own_process(trace::Steps& steps) const;
  void leave_out_warm_up();
  void assign_steps();
  void assign_work();

  model::Timeline timeline_;
  trace::Attribution attribution_;
  trace::BackwardWork backward_;
  std::vector<OperatorNode> nodes_;
  std::vector<std::uint32_t> signature_;               // by node
  std::vector<Signature> signatures_;                  // by number
  std::vector<std::optional<RecordedInputs>> parsed_;  // by number
  std::vector<std::uint32_t> node_of_row_;             // none: no operator
  std::vector<std::uint32_t> node_of_work_, step_of_work_;
  std::vector<std::uint32_t> work_order_;  // indices of work by node
  trace::ProgramFiles program_;
  std::vector<bool> is_of_process_;  // by track: of the process whose steps count, or of its GPU
  SteadySteps steps_;
  bool has_shapes_ = false, has_strides_ = false, has_values_ = false, has_stacks_ = false, has_other_processes_ = false;
};

// The first tensor of an input; null where it is none.
const RecordedTensor* tensor_at(const RecordedInputs& inputs, std::size_t index);
// Bytes of an element of a type of torch ("float32"); 0: not known.
double element_bytes(std::string_view torch_type);

}  // namespace frx::derive::layout
