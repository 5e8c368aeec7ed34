#include "derive/trace/launches.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "derive/trace/processes.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

bool is_call(EventKind kind) { return kind == EventKind::runtime || kind == EventKind::driver; }

// Calls of one process only are joined, or the reader has made correlations unique.
bool are_ids_unique(const Timeline& timeline, const std::vector<std::uint32_t>& process_of_track) {
  if (timeline.facts.recorder == model::Recorder::nsight_systems) return true;
  std::uint32_t first = none;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (!is_call(timeline.kind[row]) || timeline.correlation[row] == Timeline::no_id) continue;
    const std::uint32_t process = process_of_track[timeline.track[row]];
    if (first != none && first != process) return false;
    first = process;
  }
  return true;
}

bool is_of_another_rank(const Timeline& timeline, std::uint32_t call, std::uint32_t event) {
  const std::int64_t rank = timeline.tracks[timeline.track[call]].rank, rank_of_work = timeline.tracks[timeline.track[event]].rank;
  return rank >= 0 && rank_of_work >= 0 && rank != rank_of_work;
}

// What joins the work of a GPU with the calls of one process.
struct Joins {
  std::uint64_t pieces = 0, late = 0;  // late: the call comes after the work
  double before_ns = 0;                // from the calls to the work, summed up

  double mean_before_ns() const { return before_ns / static_cast<double>(pieces); }
};

// The process whose work it is. A recording has lost some calls, or begins after them, so that not every piece has one.
std::uint32_t process_of(const std::map<std::uint32_t, Joins>& processes) {
  constexpr double most_lost = 0.2;
  std::uint64_t most_pieces = 0;
  for (const auto& [process, joins] : processes) most_pieces = std::max(most_pieces, joins.pieces);
  std::uint32_t best = none;
  const auto rank_of = [](const Joins& one) { return std::pair(one.late, one.mean_before_ns()); };
  for (const auto& [process, joins] : processes) {
    if (static_cast<double>(joins.pieces) < (1 - most_lost) * static_cast<double>(most_pieces)) continue;
    if (best == none || rank_of(joins) < rank_of(processes.at(best))) best = process;
  }
  return best;
}

// The work of each GPU, as indices of `work`. A GPU is one device of one rank.
using GpuKey = std::tuple<std::int64_t, std::string_view, std::int32_t>;

GpuKey gpu_of(const model::Track& track) { return {track.rank, track.pid, track.device}; }

std::map<GpuKey, std::vector<std::uint32_t>> work_of_gpus(const Timeline& timeline, const std::vector<GpuWork>& work) {
  std::vector<std::vector<std::uint32_t>*> of_track(timeline.tracks.size());
  std::map<GpuKey, std::vector<std::uint32_t>> gpus;
  for (std::uint32_t i = 0; i < work.size(); ++i) {
    const std::uint32_t track = timeline.track[work[i].event];
    if (of_track[track] == nullptr) of_track[track] = &gpus[gpu_of(timeline.tracks[track])];
    of_track[track]->push_back(i);
  }
  return gpus;
}

}  // namespace

bool is_late(const Timeline& timeline, std::uint32_t call, std::uint32_t event) {
  // Clocks of the program and the GPU are aligned to about a microsecond, and times are rounded.
  constexpr std::uint64_t clock_error_ns = 2'000;
  const std::int64_t called = timeline.start[call], worked = timeline.start[event];
  return called > worked && static_cast<std::uint64_t>(called) - static_cast<std::uint64_t>(worked) > clock_error_ns;
}

Launches::Launches(const Timeline& timeline, const std::vector<GpuWork>& work)
    : timeline_(timeline),
      process_(processes_of_tracks(timeline)),
      one_process_(are_ids_unique(timeline, process_)),
      // Where a runtime call and the driver call in it share a correlation, the outer one counts.
      calls_(
          timeline.size(),
          [&](std::uint32_t row) { return is_call(timeline.kind[row]) ? in_file(timeline.correlation[row], row) : RowsById::no_id; },
          [&](std::uint32_t row) { return timeline.start[row]; }) {
  if (one_process_)
    std::ranges::fill(process_, 0);
  else
    find_processes_of_gpus(work);
}

std::uint64_t Launches::in_process(std::uint32_t id, std::uint32_t process) const {
  if (id == Timeline::no_id || process == none) return RowsById::no_id;
  return one_process_ ? id : std::uint64_t{id} << 32 | process;
}

// Of all processes; not where ids are unique in the file.
template <typename Take>
void Launches::for_each_call_with(std::uint32_t correlation, Take take) const {
  if (correlation == Timeline::no_id) return;
  calls_.for_each_between(in_process(correlation, 0), in_process(correlation, none - 1), take);
}

void Launches::find_processes_of_gpus(const std::vector<GpuWork>& work) {
  constexpr std::uint64_t most_pieces = 4096, looks_per_piece = 16, fewest_looks = 64;
  const std::map<GpuKey, std::vector<std::uint32_t>> gpus = work_of_gpus(timeline_, work);
  // A piece may have a call in each of very many processes.
  const std::uint64_t most_looks = looks_per_piece * work.size() / std::max<std::size_t>(gpus.size(), 1) + fewest_looks;
  std::map<GpuKey, std::uint32_t> process_of_gpu;
  for (const auto& [key, pieces] : gpus) {
    std::map<std::uint32_t, Joins> processes;
    const std::size_t every = (pieces.size() + most_pieces - 1) / most_pieces;
    std::uint64_t looks = 0;
    for (std::size_t i = 0; i < pieces.size() && looks < most_looks; i += every) {
      const std::uint32_t event = work[pieces[i]].event;
      for_each_call_with(timeline_.correlation[event], [&](std::uint32_t call) {
        if (!is_of_another_rank(timeline_, call, event)) {
          Joins& joins = processes[process_[timeline_.track[call]]];
          ++joins.pieces;
          joins.late += is_late(timeline_, call, event) ? 1 : 0;
          joins.before_ns += static_cast<double>(timeline_.start[event]) - static_cast<double>(timeline_.start[call]);
        }
        return ++looks < most_looks;
      });
    }
    process_of_gpu[key] = process_of(processes);
  }
  for (std::size_t track = 0; track < process_.size(); ++track) {
    const auto gpu = process_of_gpu.find(gpu_of(timeline_.tracks[track]));
    if (gpu != process_of_gpu.end()) process_[track] = gpu->second;
  }
}

// A call of another process with that correlation, which has launched no work of that name.
std::uint32_t Launches::unused_call_for(const GpuWork& one, const std::vector<std::uint32_t>& launched) const {
  constexpr int most_processes_on_a_gpu = 64;
  std::uint32_t found = none;
  int seen = 0;
  for_each_call_with(timeline_.correlation[one.event], [&](std::uint32_t call) {
    const bool possible = !is_of_another_rank(timeline_, call, one.event) && !is_late(timeline_, call, one.event);
    if (possible && launched[call] != timeline_.name[one.event]) found = call;
    return found == none && ++seen < most_processes_on_a_gpu;
  });
  return found;
}

void Launches::join(std::vector<GpuWork>& work) const {
  std::vector<std::uint32_t> launched(one_process_ ? 0 : timeline_.size(), none);  // by call: the name of the work it launched first
  for (GpuWork& one : work) {
    one.launch = calls_.with(in_file(timeline_.correlation[one.event], one.event));
    if (one_process_ || one.launch == none) continue;
    const std::uint32_t name = timeline_.name[one.event];
    // A graph launches all its kernels by one call.
    if (launched[one.launch] == name && timeline_.name_of(one.launch).find("GraphLaunch") == std::string_view::npos) {
      const std::uint32_t other = unused_call_for(one, launched);
      if (other != none) one.launch = other;
    }
    if (launched[one.launch] == none) launched[one.launch] = name;
  }
}

}  // namespace frx::derive::trace
