#include "ingest/nsys/read_export.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/memory_budget.h"
#include "base/text.h"
#include "base/units.h"
#include "ingest/kept_shapes.h"
#include "ingest/nsys/device_memory.h"
#include "ingest/nsys/export_facts.h"
#include "ingest/nsys/export_strings.h"
#include "ingest/nsys/gpu_metrics.h"
#include "ingest/nsys/graph_nodes.h"
#include "ingest/nsys/names.h"
#include "ingest/nsys/nvtx_text.h"
#include "ingest/nsys/tracks.h"

namespace frx::ingest::nsys {
namespace {

using model::EventKind;
using model::Timeline;

constexpr std::uint64_t rows_between_reports = 1 << 16;

// The numbers of ENUM_NSYS_EVENT_TYPE, which have been the same since 2020.
enum NvtxType : std::int64_t { push_range = 35, start_range = 37, push_pop = 59, start_end = 60, domain_created = 75 };

// Until the year 2096, and as long before 1970, as for traces.
bool is_usable(std::int64_t start, std::int64_t end) {
  constexpr std::int64_t farthest = 4'000'000'000'000'000'000;
  return start >= -farthest && start <= end && end <= farthest;
}

class Reader {
 public:
  Reader(const Database& database, const std::function<void(std::uint64_t)>& progress)
      : database_(database), progress_(progress), strings_(timeline_), tracks_(timeline_) {
    timeline_.source = database.name();
    timeline_.whole_microseconds = false;
    timeline_.facts.recorder = model::Recorder::nsight_systems;
  }
  Result<Timeline> read(bool may_be_idle);

 private:
  using Columns = std::initializer_list<std::string_view>;
  // Rows of a table that begins with the columns "start" and "end".
  template <typename Take>
  Result<> events(std::string_view table, Columns columns, Take take);
  void place(std::int64_t start, std::int64_t end, EventKind kind, std::uint32_t name, std::uint32_t track, std::uint32_t correlation);
  bool add(const Row& row, EventKind kind, std::uint32_t name, std::uint32_t track, std::uint32_t correlation = Timeline::no_id);
  bool add_on_stream(const Row& row, EventKind kind, std::uint32_t name, bool is_managed_memory = false);
  Result<> gpu_work();
  void add_shape(const Row& row);
  Result<> captures();
  Result<> copies();
  Result<> calls();
  Result<> ranges();
  void add_range(const Row& row);
  void judge_domains();
  void add_operator(const NvtxText& text);
  void end_open_ranges();
  Result<> others();
  void note_what_is_missing();
  Result<> expect_work() const;
  void note(std::string text) { timeline_.notes.push_back({0, std::move(text)}); }
  std::uint32_t last_row() const { return static_cast<std::uint32_t>(timeline_.size() - 1); }

  const Database& database_;
  const std::function<void(std::uint64_t)>& progress_;
  Timeline timeline_;
  ExportStrings strings_;
  Tracks tracks_;
  GraphNodes graph_nodes_;
  using Domain = std::pair<std::int64_t, std::int64_t>;  // process, number
  std::set<Domain> library_domains_;
  std::vector<std::pair<std::uint32_t, Domain>> in_domains_;  // rows of ranges outside the default domain
  std::vector<std::uint32_t> open_ranges_;                    // rows of ranges that had not ended with the recording
  std::uint64_t rows_ = 0, unusable_ = 0, graphs_ = 0;
  std::int64_t last_end_ = INT64_MIN;
};

template <typename Take>
Result<> Reader::events(std::string_view table, Columns columns, Take take) {
  TRY_ASSIGN(const TableEnd end, database_.each_row(table, columns, [&](const Row& row) {
    take(row);
    if (progress_ && ++rows_ % rows_between_reports == 0) progress_(database_.bytes_read());
  }));
  if (!end.damage.empty()) {
    timeline_.cut_short = true;
    note(fmt::format("the table {} is damaged behind row {} ({}); what came before is used", table, end.rows, printable(end.damage)));
  }
  return {};
}

void Reader::place(std::int64_t start, std::int64_t end, EventKind kind, std::uint32_t name, std::uint32_t track,
                   std::uint32_t correlation) {
  timeline_.start.push_back(start);
  timeline_.duration.push_back(end - start);
  timeline_.name.push_back(name);
  timeline_.track.push_back(track);
  timeline_.correlation.push_back(correlation);
  timeline_.external.push_back(Timeline::no_id);
  timeline_.kind.push_back(kind);
  last_end_ = std::max(last_end_, end);
}

// Column 0 is the start, column 1 the end. False: the row has no usable times, and is counted as such.
bool Reader::add(const Row& row, EventKind kind, std::uint32_t name, std::uint32_t track, std::uint32_t correlation) {
  const std::optional<std::int64_t> start = row.integer(0), end = row.integer(1);
  if (!start || !end || !is_usable(*start, *end) || timeline_.size() >= Timeline::no_id - 1) {
    ++unusable_;
    timeline_.untimed_kernels += kind == EventKind::kernel;
    return false;
  }
  place(*start, *end, kind, name, track, correlation);
  return true;
}

// Columns 9 to 17 and 19 of a kernel, which was added last. Launches of no known grid have no shape.
void Reader::add_shape(const Row& row) {
  const auto number = [&](int column) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(row.integer_or(column, 0), 0, UINT32_MAX));
  };
  model::KernelShape shape{last_row(), {number(9), number(10), number(11)}, {number(12), number(13), number(14)}, number(15), number(16),
                           number(17)};
  if (const auto mangled = row.integer(19); mangled && !strings_[*mangled].empty()) shape.mangled = strings_.name_of(*mangled);
  if (shape.grid[0] > 0 && shape.block[0] > 0) timeline_.kernel_shapes.push_back(shape);
}

// Columns 2 to 6 are device, context, stream, correlation and process, as in every table of work on streams.
bool Reader::add_on_stream(const Row& row, EventKind kind, std::uint32_t name, bool is_managed_memory) {
  const std::int64_t process = row.integer_or(6, 0), device = row.integer_or(2, -1);
  const std::uint32_t track = is_managed_memory ? tracks_.of_managed_memory(process, device)
                                                : tracks_.of_stream(process, device, row.integer_or(3, -1), row.integer_or(4, -1));
  return add(row, kind, name, track, tracks_.correlation(process, row.integer_or(5, 0)));
}

Result<> Reader::gpu_work() {
  TRY(events("CUPTI_ACTIVITY_KIND_KERNEL",
             {"start",
              "end",
              "deviceId",
              "contextId",
              "streamId",
              "correlationId",
              "globalPid",
              "demangledName",
              "shortName",
              "gridX",
              "gridY",
              "gridZ",
              "blockX",
              "blockY",
              "blockZ",
              "registersPerThread",
              "staticSharedMemory",
              "dynamicSharedMemory",
              "graphNodeId",
              "mangledName"},
             [&](const Row& row) {
               const std::uint32_t name = strings_.name_of(row.integer(7).value_or(row.integer_or(8, -1)));
               if (!add_on_stream(row, EventKind::kernel, name)) return;
               add_shape(row);
               if (const std::int64_t node = row.integer_or(18, 0); node != 0)
                 graph_nodes_.add_kernel(last_row(), row.integer_or(6, 0), node);
             }));
  // Graphs are recorded as a whole unless --cuda-graph-trace=node is given.
  return events("CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "graphId"}, [&](const Row& row) {
                  const std::uint32_t name = timeline_.names.add(fmt::format("CUDA graph {}", row.integer_or(7, 0)));
                  graphs_ += add_on_stream(row, EventKind::graph, name);
                });
}

// The moments at which the kernels of CUDA graphs were captured, each once, as events on the threads that captured.
Result<> Reader::captures() {
  if (!graph_nodes_.has_kernels()) return {};
  TRY(events("CUDA_GRAPH_NODE_EVENTS", {"start", "globalTid", "graphNodeId", "originalGraphNodeId"},
             [&](const Row& row) { graph_nodes_.add_node(row); }));
  const std::uint32_t name = timeline_.names.add("capture of a CUDA graph node");
  std::map<GraphNodes::Capture, std::uint32_t> moments;
  for (const auto& [kernel, capture] : graph_nodes_.captures()) {
    if (!is_usable(capture.time, capture.time)) continue;
    const auto [at, is_new] = moments.try_emplace(capture, static_cast<std::uint32_t>(timeline_.size()));
    if (is_new) place(capture.time, capture.time, EventKind::other, name, tracks_.of_thread(capture.thread), Timeline::no_id);
    timeline_.captured.push_back({kernel, at->second});
  }
  return {};
}

Result<> Reader::copies() {
  TRY(events("CUPTI_ACTIVITY_KIND_MEMCPY",
             {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "bytes", "copyKind", "srcKind", "dstKind"},
             [&](const Row& row) {
               const std::int64_t copy_kind = row.integer_or(8, 0);
               const std::uint32_t name = timeline_.names.add(copy_name(copy_kind, row.integer_or(9, -1), row.integer_or(10, -1)));
               if (!add_on_stream(row, EventKind::memcpy, name, is_of_managed_memory(copy_kind))) return;
               if (const auto bytes = row.integer(7); bytes && *bytes >= 0) {
                 timeline_.copy_events.push_back(last_row());
                 timeline_.copy_bytes.push_back(static_cast<std::uint64_t>(*bytes));
               }
             }));
  return events("CUPTI_ACTIVITY_KIND_MEMSET",
                {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "memKind"},
                [&](const Row& row) { add_on_stream(row, EventKind::memset, timeline_.names.add(fill_name(row.integer_or(7, -1)))); });
}

// Of the runtime and of the driver.
Result<> Reader::calls() {
  return events("CUPTI_ACTIVITY_KIND_RUNTIME", {"start", "end", "globalTid", "correlationId", "nameId"}, [&](const Row& row) {
    const std::int64_t thread = row.integer_or(2, 0);
    const std::uint32_t name = strings_.name_of(row.integer_or(4, -1), call_name);
    add(row, kind_of_call(timeline_.names[name]), name, tracks_.of_thread(thread),
        tracks_.correlation(process_of(thread), row.integer_or(3, 0)));
  });
}

Result<> Reader::ranges() {
  TRY(events("NVTX_EVENTS", {"start", "end", "eventType", "globalTid", "domainId", "text", "textId"},
             [&](const Row& row) { add_range(row); }));
  judge_domains();
  end_open_ranges();
  return {};
}

void Reader::add_range(const Row& row) {
  const std::int64_t type = row.integer_or(2, 0), thread = row.integer_or(3, 0);
  const std::string_view words = row.text(5).empty() ? strings_[row.integer_or(6, -1)] : row.text(5);
  const Domain domain{process_of(thread), row.integer_or(4, 0)};
  if (type == domain_created && is_domain_of_library(words)) library_domains_.insert(domain);
  const bool is_nested = type == push_pop || type == push_range;
  if (!is_nested && type != start_end && type != start_range) return;
  const NvtxText text = parse_nvtx(words);
  const bool is_op = is_nested && is_operator(text);
  const EventKind kind = is_op ? EventKind::cpu_op : EventKind::annotation;
  const std::uint32_t name = timeline_.names.add(text.name.empty() ? "(no name)" : text.name);
  // Ranges that begin and end with a number need not be nested.
  const std::uint32_t track = is_nested ? tracks_.of_thread(thread) : tracks_.of_ranges(thread);
  const std::optional<std::int64_t> start = row.integer(0);
  if (start && !row.integer(1) && is_usable(*start, *start)) {
    place(*start, *start, kind, name, track, Timeline::no_id);
    open_ranges_.push_back(last_row());
  } else if (!add(row, kind, name, track)) {
    return;
  }
  if (is_op) add_operator(text);
  if (is_nested && !is_op && domain.second != 0) in_domains_.emplace_back(last_row(), domain);
}

// The names of domains are events among the ranges. Ranges of a library are calls of it.
void Reader::judge_domains() {
  for (const auto& [row, domain] : in_domains_) {
    if (library_domains_.contains(domain)) timeline_.kind[row] = EventKind::cpu_op;
  }
}

// The row was added last.
void Reader::add_operator(const NvtxText& text) {
  if (text.sequence && *text.sequence <= UINT32_MAX) {
    // The profiler of PyTorch numbers the thread that made the node of a backward operator; emit_nvtx does not name it.
    const bool is_backward = text.name.starts_with("autograd::engine::") || text.name.find("Backward") != text.name.npos;
    timeline_.numbered_events.push_back(last_row());
    timeline_.sequence.push_back(static_cast<std::uint32_t>(*text.sequence));
    timeline_.forward_thread.push_back(is_backward ? 1 : 0);
  }
  if (text.sizes.find_first_of("0123456789") == text.sizes.npos) return;
  timeline_.shaped_events.push_back(last_row());
  timeline_.shapes_of.push_back(number_of_shapes(timeline_, text.sizes));
}

void Reader::end_open_ranges() {
  for (const std::uint32_t row : open_ranges_) timeline_.duration[row] = std::max<std::int64_t>(0, last_end_ - timeline_.start[row]);
  if (!open_ranges_.empty())
    note(fmt::format("{} had not ended when the recording did, and count until then", count_text(open_ranges_.size(), "range")));
}

Result<> Reader::others() {
  TRY(events("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
             {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "syncType"}, [&](const Row& row) {
               constexpr std::int64_t no_stream = 0xFFFFFFFF;
               if (row.integer_or(4, no_stream) == no_stream) return;  // of a context: the call that waits says the same
               add_on_stream(row, EventKind::sync, timeline_.names.add(sync_name(row.integer_or(7, 0))));
             }));
  const auto on_thread = [&](EventKind kind) {
    return
        [this, kind](const Row& row) { add(row, kind, strings_.name_of(row.integer_or(3, -1)), tracks_.of_thread(row.integer_or(2, 0))); };
  };
  TRY(events("PROFILER_OVERHEAD", {"start", "end", "globalTid", "nameId"}, on_thread(EventKind::overhead)));
  TRY(events("CUPTI_ACTIVITY_KIND_OVERHEAD", {"start", "end", "globalTid", "nameId"}, on_thread(EventKind::overhead)));
  for (const std::string_view library : {"CUBLAS_EVENTS", "CUDNN_EVENTS"})
    TRY(events(library, {"start", "end", "globalTid", "nameId"}, on_thread(EventKind::cpu_op)));
  return events("OSRT_API", {"start", "end", "globalTid", "nameId"}, on_thread(EventKind::os_call));
}

void Reader::note_what_is_missing() {
  if (unusable_ > 0) {
    note(fmt::format("{} without a usable time and duration left out ({} of them kernels)", count_text(unusable_, "event"),
                     timeline_.untimed_kernels));
  }
  if (graphs_ > 0) {
    note(fmt::format("{} of CUDA graphs were recorded as a whole, without their kernels: record with --cuda-graph-trace=node",
                     graphs_ == 1 ? "one launch" : fmt::format("{} launches", graphs_)));
  }
}

Result<> Reader::expect_work() const {
  for (const EventKind kind : timeline_.kind) {
    if (kind != EventKind::other && kind != EventKind::overhead && kind != EventKind::os_call) return {};
  }
  return fail(ErrorKind::not_enough, "an export of Nsight Systems without GPU work, calls of CUDA or NVTX ranges")
      .at(timeline_.source)
      .hint("record them: nsys profile --trace=cuda,nvtx,osrt -o run COMMAND, then nsys export --type sqlite run.nsys-rep");
}

Result<Timeline> Reader::read(bool may_be_idle) {
  if (!database_.has_table("StringIds")) {
    return fail(ErrorKind::malformed, "a database of SQLite, but no export of Nsight Systems: it has no table StringIds")
        .at(timeline_.source)
        .hint("make one with: nsys export --type sqlite REPORT.nsys-rep");
  }
  TRY_ASSIGN(const TableEnd strings, strings_.read(database_));
  if (!strings.damage.empty())
    note(fmt::format("the table of names is damaged behind row {} ({})", strings.rows, printable(strings.damage)));
  TRY(read_facts(database_, timeline_));
  TRY_ASSIGN(timeline_.memory, read_device_memory(database_));
  TRY(gpu_work());
  TRY_ASSIGN(timeline_.gpu_metrics, read_gpu_metrics(database_, timeline_));
  TRY(captures());
  TRY(copies());
  TRY(calls());
  TRY(others());
  TRY(ranges());
  note_what_is_missing();
  if (!may_be_idle) TRY(expect_work());
  return std::move(timeline_);
}

}  // namespace

Result<Timeline> read_export(std::string name, std::shared_ptr<const RandomAccess> access,
                             const std::function<void(std::uint64_t)>& progress, std::stop_token stop, bool may_be_idle) {
  MemoryBudget::opened(name);
  MemoryBudget::read(access->size());
  TRY_ASSIGN(const Database database, Database::open(std::move(name), std::move(access), std::move(stop)));
  return Reader(database, progress).read(may_be_idle);
}

}  // namespace frx::ingest::nsys
