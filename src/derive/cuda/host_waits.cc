#include "derive/cuda/host_waits.h"

#include <string_view>
#include <vector>

#include "derive/cuda/declarations.h"
#include "derive/cuda/divisions.h"
#include "derive/cuda/error_looks.h"
#include "derive/cuda/host_steps.h"

namespace frx::derive::cuda {
namespace {

class HostWaits {
 public:
  HostWaits(const Program& program, const Function& function)
      : source_(program.sources()[function.at.source]), syntax_(source_.syntax), function_(function), steps_(program, function) {}

  std::optional<FoundWaits> find() {
    const std::uint32_t last = syntax_[function_.body].last;
    for (std::uint32_t n = function_.body; n < last; ++n) {
      if (syntax_.is(n, NodeKind::compound_statement)) look_through(n);
    }
    if (found_.launch == none) return std::nullopt;
    return std::move(found_);
  }

 private:
  // One launch after the other, as far as nothing between them needs results.
  struct Sequence {
    HostStep launch, wait;                         // the last launch; the wait behind it
    HostStep first;                                // the launch that the compound begins with, if nothing before it needs results
    bool is_at_start = true, has_streams = false;  // several, since the last wait
  };

  void look_through(std::uint32_t compound) {
    Sequence at;
    for (std::uint32_t c = syntax_.first_child(compound); c != none; c = syntax_.next_sibling(c)) {
      if (syntax_.is(c, NodeKind::token)) continue;
      const HostStep step = steps_.of(c);
      if (step.kind == HostStep::launches) {
        if (at.wait.call != none && at.launch.stream == step.stream) add(at, compound);
        at.has_streams = at.wait.call == none && at.launch.call != none && (at.has_streams || at.launch.stream != step.stream);
        at.launch = step;
        at.wait = {};
        if (at.is_at_start) at.first = step;
        at.is_at_start = false;
      } else if (step.kind == HostStep::waits) {
        const bool is_of_stream = step.stream.empty() || step.stream == at.launch.stream;
        if (at.launch.call != none && is_of_stream && !at.has_streams) at.wait = step;
        if (at.wait.call == none) at.launch = {};  // other streams are waited for as well
      } else if (step.kind == HostStep::needs) {
        at.launch = at.wait = {};
        at.is_at_start = false;
      }
    }
    // The next iteration begins with a launch.
    if (at.wait.call == none || at.first.call == none || at.first.stream != at.launch.stream) return;
    const std::uint32_t loop = syntax_[compound].parent;
    if (is_loop(loop) && !steps_.needs_results(loop, compound)) add(at, compound);
  }

  void add(const Sequence& at, std::uint32_t compound) {
    constexpr std::size_t most = 8;
    if (found_.launch == none) {
      found_.launch = at.launch.call;
      found_.waits.call = std::string(callee_name(source_, at.wait.call));
    }
    ++found_.waits.count;
    if (found_.waits.places.size() < most) found_.waits.places.push_back(source_.place_of(at.wait.call));
    found_.waits.is_in_loop = found_.waits.is_in_loop || loop_around(source_, compound, function_.at.node) != none;
  }

  bool is_loop(std::uint32_t node) const { return node != none && is_loop_node(syntax_.kind(node)); }

  const Source& source_;
  const model::cuda::Syntax& syntax_;
  const Function& function_;
  const HostSteps steps_;
  FoundWaits found_;
};

}  // namespace

std::optional<FoundWaits> needless_waits(const Program& program, const Function& function) {
  // Most functions wait for nothing.
  const std::string_view body = program.sources()[function.at.source].text_of(function.body);
  if (function.is_kernel || function.is_device || body.find("Synchronize") == body.npos) return std::nullopt;
  return HostWaits(program, function).find();
}

}  // namespace frx::derive::cuda
