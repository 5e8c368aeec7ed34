#include "derive/cuda/host_loops.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "derive/cuda/error_looks.h"
#include "derive/cuda/loop_counts.h"

namespace frx::derive::cuda {
namespace {

constexpr std::int64_t fewest_iterations = 16;
constexpr std::uint32_t most_nodes = 4096;  // of a loop that is looked through

// "DeviceSynchronize" of cudaDeviceSynchronize and hipDeviceSynchronize; "" for other names.
std::string_view runtime_name(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip"}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return "";
}

bool waits_for_gpu(std::string_view name) {
  const std::string_view call = runtime_name(name);
  return call == "DeviceSynchronize" || call == "ThreadSynchronize" || call == "StreamSynchronize";
}

bool allocates(std::string_view name) {
  constexpr std::array<std::string_view, 8> calls{"Malloc",     "MallocManaged", "MallocPitch", "Malloc3D",
                                                  "MallocHost", "HostAlloc",     "Free",        "FreeHost"};
  return std::ranges::find(calls, runtime_name(name)) != calls.end();
}

// Does it neither need what the GPU has done so far, nor take time itself: another piece of work for the GPU, a look at errors, numbers?
bool goes_on_without_results(std::string_view name) {
  constexpr std::array<std::string_view, 6> calls{"GetLastError", "PeekAtLastError", "MemcpyAsync",
                                                  "MemsetAsync",  "Memset",          "GetErrorString"};
  constexpr std::array<std::string_view, 6> own{"swap", "min", "max", "dim3", "ceil", "exit"};
  return std::ranges::find(calls, runtime_name(name)) != calls.end() || std::ranges::find(own, name) != own.end() ||
         contains_ignoring_case(name, "check") || contains_ignoring_case(name, "err") || contains_ignoring_case(name, "assert");
}

class LoopBody {
 public:
  LoopBody(const Source& source, std::uint32_t loop) : source_(source), syntax_(source.syntax) {
    const std::uint32_t last = syntax_[loop].last;
    if (last - loop > most_nodes) return;
    for (std::uint32_t n = loop; n < last; ++n) {
      if (syntax_.is(n, NodeKind::call)) {
        look_at(n);
        if (syntax_.child(n, NodeKind::kernel_call_syntax) != none) n = syntax_[n].last - 1;  // its arguments are values
      } else if (syntax_.is(n, NodeKind::subscript) || syntax_.is(n, NodeKind::lambda) || syntax_.is(n, NodeKind::error) ||
                 reads_memory(n)) {
        needs_results_ = true;
      }
    }
  }

  std::uint32_t wait() const { return needs_results_ ? none : wait_; }
  std::uint32_t allocation() const { return is_of_devices_ ? none : allocation_; }

 private:
  void look_at(std::uint32_t call) {
    const std::string_view name = callee_name(source_, call);
    if (syntax_.child(call, NodeKind::kernel_call_syntax) != none) return;
    if (waits_for_gpu(name)) {
      if (wait_ == none) wait_ = call;
    } else if (allocates(name)) {
      if (allocation_ == none) allocation_ = call;
      needs_results_ = true;
    } else if (runtime_name(name) == "SetDevice" || runtime_name(name) == "StreamCreate") {
      is_of_devices_ = true;
    } else if (!goes_on_without_results(name) && !copies_on_gpu(call, name)) {
      needs_results_ = true;
    }
  }

  bool copies_on_gpu(std::uint32_t call, std::string_view name) const {
    return runtime_name(name) == "Memcpy" && source_.text_of(call).find("DeviceToDevice") != std::string_view::npos;
  }

  // *flag, where that is memory which the GPU may have written.
  bool reads_memory(std::uint32_t node) const {
    return syntax_.is(node, NodeKind::pointer_expression) && source_.text_of(node).starts_with('*');
  }

  const Source& source_;
  const model::cuda::Syntax& syntax_;
  std::uint32_t wait_ = none, allocation_ = none;
  bool needs_results_ = false, is_of_devices_ = false;
};

}  // namespace

std::shared_ptr<const model::cuda::HostLoop> host_loop_around(const Program& program, const Trace& trace, const LaunchSite& site) {
  if (site.loop == none) return nullptr;
  const Loop& loop = trace.loops[site.loop];
  if (constant_iterations(trace.expressions, loop, fewest_iterations)) return nullptr;
  const Source& source = program.sources()[loop.at.source];
  auto found = std::make_shared<model::cuda::HostLoop>();
  found->place = source.place_of(loop.at.node);
  const LoopBody body(source, loop.at.node);
  if (body.wait() != none) {
    found->wait_at = source.place_of(body.wait());
    found->wait = std::string(callee_name(source, body.wait()));
  }
  if (body.allocation() != none) {
    found->allocation_at = source.place_of(body.allocation());
    found->allocation = std::string(callee_name(source, body.allocation()));
  }
  return found;
}

}  // namespace frx::derive::cuda
