#include "derive/trace/host_ranges.h"

#include <algorithm>

#include "base/text.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

enum RangeBit : std::uint16_t {
  no_range = 0,
  input = 1,
  sync = 2,
  allocator = 4,
  forward = 8,
  backward = 16,
  optimizer = 32,
  first_use = 64,
  loader_of_code = 128,
  capture = 256,
};

// A call about a kernel that takes this long while nothing waits in the queue loads the code of it.
constexpr std::int64_t loading_call_ns = 1'000'000;

bool contains(std::string_view text, std::string_view part) { return contains_ignoring_case(text, part); }

bool is_forward(std::string_view range) {
  if (contains(range, "forward_backward") || equals_ignoring_case(range, "forward")) return true;
  return contains(range, "fwd") && !contains(range, "backward") && !contains(range, "dataloader");
}

bool is_backward(std::string_view range) { return contains(range, "backward") && !contains(range, "forward_backward"); }

bool is_optimizer(std::string_view range) {
  if (contains(range, "optimizer.step")) return true;
  constexpr std::string_view optimizers[] = {"adam", "sgd", "rmsprop", "adagrad"};
  return contains(range, "step") && std::ranges::any_of(optimizers, [&](std::string_view name) { return contains(range, name); });
}

std::uint16_t kinds_of_range(std::string_view range) {
  return static_cast<std::uint16_t>((waits_for_input(range) ? input : 0) | (is_forward(range) ? forward : 0) |
                                    (is_backward(range) ? backward : 0) | (is_optimizer(range) ? optimizer : 0) |
                                    (prepares_code(range) ? first_use : 0));
}

bool may_load_code(std::string_view call) {
  // The first call of any kind makes the context of the process on the device.
  constexpr std::string_view parts[] = {"LaunchKernel", "FuncGetAttributes", "FuncSetAttribute", "GetSymbolAddress", "OccupancyMaxActive",
                                        "StreamCreate", "EventCreate",       "DeviceGet",        "GetDevice",        "SetDevice"};
  return std::ranges::any_of(parts, [&](std::string_view part) { return call.find(part) != call.npos; });
}

std::uint16_t kinds_of_call(std::string_view call) {
  return static_cast<std::uint16_t>((waits_for_gpu(call) ? sync : 0) | (allocates(call) ? allocator : 0) |
                                    (prepares_code(call) ? first_use : 0) | (may_load_code(call) ? loader_of_code : 0) |
                                    (call.ends_with("Capture") ? capture : 0));
}

// From each beginning of a capture to the next end.
std::vector<Interval> captures(std::vector<std::int64_t> begins, std::vector<std::int64_t> ends) {
  std::ranges::sort(begins);
  std::ranges::sort(ends);
  std::vector<Interval> found;
  auto end = ends.begin();
  for (const std::int64_t begin : begins) {
    end = std::lower_bound(end, ends.end(), begin);
    if (end == ends.end()) break;
    found.push_back({begin, *end});
  }
  return found;
}

struct Lists {
  std::vector<Interval> input, sync, allocator, first_use, forward, backward, optimizer;
  std::vector<std::int64_t> capture_begins, capture_ends;
  bool has_calls = false;

  void add_capture(std::string_view call, Interval span) {
    if (call.find("BeginCapture") != call.npos) capture_begins.push_back(span.begin);
    if (call.find("EndCapture") != call.npos) capture_ends.push_back(span.end);
  }
  void add(std::uint16_t kinds, Interval span) {
    if (kinds & trace::input) this->input.push_back(span);
    if (kinds & trace::sync) this->sync.push_back(span);
    if (kinds & trace::allocator) this->allocator.push_back(span);
    if (kinds & trace::first_use) this->first_use.push_back(span);
    if (kinds & trace::forward) this->forward.push_back(span);
    if (kinds & trace::backward) this->backward.push_back(span);
    if (kinds & trace::optimizer) this->optimizer.push_back(span);
  }
  HostRanges united() && {
    for (const Interval& capture : captures(std::move(capture_begins), std::move(capture_ends))) first_use.push_back(capture);
    return {frx::united(std::move(input)),     frx::united(std::move(sync)),
            frx::united(std::move(allocator)), frx::united(std::move(first_use)),
            frx::united(std::move(forward)),   frx::united(std::move(backward)),
            frx::united(std::move(optimizer)), has_calls};
  }
};

}  // namespace

bool waits_for_input(std::string_view range) {
  if (contains(range, "dataloader") && contains(range, "__next__")) return true;
  constexpr std::string_view names[] = {"get_next_batch", "fetch_next_batch", "load_batch", "data_fetch", "data_loading"};
  return std::ranges::any_of(names, [&](std::string_view name) { return equals_ignoring_case(range, name); });
}

bool waits_for_gpu(std::string_view call) {
  if (!call.starts_with("cuda") && !call.starts_with("hip") && !call.starts_with("cu")) return false;
  // A copy without "Async" returns when it is done.
  if (call.ends_with("Memcpy") || call == "cuMemcpyDtoH_v2" || call == "cuMemcpyHtoD_v2" || call == "hipMemcpyWithStream") return true;
  return call.find("Synchronize") != call.npos && call.find("StreamWaitEvent") == call.npos;
}

bool allocates(std::string_view call) {
  constexpr std::string_view names[] = {"cudaMalloc",    "cudaFree",     "cudaHostAlloc", "cudaMallocHost", "cudaFreeHost",
                                        "cuMemAlloc_v2", "cuMemFree_v2", "cuMemMap",      "cuMemUnmap",     "cuMemCreate",
                                        "hipMalloc",     "hipFree",      "hipHostMalloc", "hipHostFree",    "hipExtMallocWithFlags"};
  return std::ranges::find(names, call) != std::end(names);
}

bool prepares_code(std::string_view name) {
  constexpr std::string_view calls[] = {"cuModuleLoad",       "cuLibraryLoad",  "cuLinkComplete", "cudaGraphInstantiate",
                                        "cuGraphInstantiate", "nvrtcCompile",   "hipModuleLoad",  "hipGraphInstantiate",
                                        "hiprtcCompile",      "cudaLibraryLoad"};
  if (std::ranges::any_of(calls, [&](std::string_view call) { return name.starts_with(call); })) return true;
  // Of the profiler (overhead), of torch.compile and of Triton.
  return name == "Lazy Function Loading" || name == "Runtime Triggered Module Loading" || name.ends_with("(dynamo_timed)") ||
         name.starts_with("CompiledFxGraph.compile") || name.starts_with("compile_fx") || name.starts_with("triton_compile");
}

std::map<std::string, HostRanges> host_ranges(const Timeline& timeline) {
  // Each name is classified once, not once per event.
  constexpr std::uint16_t unjudged = 0xFFFF;
  std::vector<std::uint16_t> as_range(timeline.names.size(), unjudged), as_call(timeline.names.size(), unjudged);
  std::map<std::string, Lists> lists;
  std::vector<Lists*> of_track;
  for (const model::Track& track : timeline.tracks) of_track.push_back(&lists[track.pid]);
  Lists& everything = lists[""];
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    const EventKind kind = timeline.kind[row];
    const bool is_call = kind == EventKind::runtime || kind == EventKind::driver;
    if (!is_call && kind != EventKind::annotation && kind != EventKind::overhead) continue;
    if (is_call) of_track[timeline.track[row]]->has_calls = everything.has_calls = true;
    std::uint16_t& kinds = (is_call ? as_call : as_range)[timeline.name[row]];
    if (kinds == unjudged) kinds = is_call ? kinds_of_call(timeline.name_of(row)) : kinds_of_range(timeline.name_of(row));
    const Interval span{timeline.start[row], timeline.end(row)};
    std::uint16_t here = kinds;
    if (here & loader_of_code) here = span.length() >= loading_call_ns ? first_use : no_range;
    if (here == no_range) continue;
    for (Lists* const to : {of_track[timeline.track[row]], &everything}) {
      to->add(here, span);
      if (here & capture) to->add_capture(timeline.name_of(row), span);
    }
  }
  std::map<std::string, HostRanges> ranges;
  for (auto& [pid, list] : lists) ranges.emplace(pid, std::move(list).united());
  return ranges;
}

}  // namespace frx::derive::trace
