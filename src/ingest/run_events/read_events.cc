#include "ingest/run_events/read_events.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "ingest/line_reader.h"
#include "ingest/run_events/json_fields.h"
#include "ingest/run_events/step_rows.h"

namespace frx::ingest {
namespace {

using model::RunRecord;

constexpr double mebibyte = 1024.0 * 1024.0;
// Eleven days; a longer time is not the time of a step, and sums must not overflow.
constexpr std::int64_t longest_ns = 1'000'000'000'000'000, longest_sum_ns = INT64_MAX / 4;
constexpr std::int64_t largest_step = 1'000'000'000'000'000;

std::optional<std::int64_t> time_of(const Json& event) {
  const std::optional<std::int64_t> time = whole(event, "timestamp_ns");
  return time && *time >= 0 ? time : std::nullopt;
}

void add(std::int64_t& sum, std::int64_t more) { sum = std::min(sum + std::clamp<std::int64_t>(more, 0, longest_ns), longest_sum_ns); }

std::optional<std::string> shape_of(const Json& payload) {
  const auto shapes = payload.find("shapes");
  if (shapes == payload.end() || !shapes->is_object() || shapes->empty()) return std::nullopt;
  std::string signature;
  for (const auto& [name, shape] : shapes->items()) signature += (signature.empty() ? "" : "|") + name + ":" + shape.dump();
  return signature;
}

class EventFolder {
 public:
  explicit EventFolder(RunRecord& record) : record_(record) {}

  void take(const Json& event) {
    ++record_.events;
    const std::string type = text(event, "event_type");
    const auto found = event.find("payload");
    static const Json nothing = Json::object();
    const Json& payload = found != event.end() && found->is_object() ? *found : nothing;
    if (type == "gpu_sample") return take_sample(event, payload);
    const std::optional<std::int64_t> id = whole(event, "step_id");
    note_kinds(type, payload);
    if (!id || std::abs(*id) > largest_step) return;
    const bool is_over = ended_before(*id, time_of(event));
    if (is_over && type == "step_start") begin_again(*id);
    // A loader whose numbers begin anew in each epoch names earlier steps: its wait belongs to the next step.
    if (is_over && type == "dataloader_span") {
      if (text(payload, "stage") == "next") add(waited_for_next_, whole(event, "duration_ns").value_or(0));
      return;
    }
    StepRow& one = step(*id);
    if (type == "step_start") add(one.loader_before_ns, std::exchange(waited_for_next_, 0));
    take(type, event, payload, one);
  }

  // Called once, after all events.
  void finish() {
    record_.steps = table_of(std::move(steps_));
    if (restarts_ == 0) return;
    record_.notes.push_back(
        {0, fmt::format("the program counted its steps from the start again {}; they are numbered on", count_text(restarts_, "time"))});
  }

 private:
  StepRow& step(std::int64_t id) {
    // A number below the one at which the program began again would be that of a step before.
    if (restarts_ > 0 && id + offset_ < first_since_ && !places_.contains(id)) begin_again(id);
    const auto [place, is_new] = places_.try_emplace(id, steps_.rows.size());
    if (is_new) {
      steps_.rows.emplace_back().id = id + offset_;
      highest_ = std::max(highest_, id + offset_);
    }
    return steps_.rows[place->second];
  }

  bool ended_before(std::int64_t id, std::optional<std::int64_t> time) const {
    const auto place = places_.find(id);
    if (place == places_.end() || !time) return false;
    const std::optional<std::int64_t>& end = steps_.rows[place->second].end_ns;
    return end && *end <= *time;
  }

  // The program starts counting again: an epoch, or an evaluation. From now on its numbers are moved after the existing ones.
  void begin_again(std::int64_t id) {
    first_since_ = highest_ + 1;
    offset_ = first_since_ - id;
    places_.clear();
    begins_.clear();
    ++restarts_;
  }

  void note_kinds(std::string_view type, const Json& payload) {
    steps_.has_loader = steps_.has_loader || (type == "dataloader_span" && text(payload, "stage") == "next");
    steps_.has_copies = steps_.has_copies || type == "memcpy_span";
    steps_.has_waits = steps_.has_waits || type == "sync_wait";
  }

  void take_sample(const Json& event, const Json& payload) {
    model::GpuSample sample;
    sample.index = static_cast<std::int32_t>(std::clamp<std::int64_t>(whole(event, "gpu_id").value_or(0), 0, 4096));
    sample.time_ns = time_of(event);
    sample.utilization_pct = number(payload, "utilization_gpu_pct");
    sample.memory_utilization_pct = number(payload, "utilization_mem_pct");
    sample.memory_used = number(payload, "memory_used_bytes");
    sample.memory_total = number(payload, "memory_total_bytes");
    if (sample.utilization_pct || sample.memory_used) record_.samples.push_back(sample);
  }

  void take(std::string_view type, const Json& event, const Json& payload, StepRow& step) {
    const std::int64_t duration = whole(event, "duration_ns").value_or(0);
    const std::optional<std::int64_t> time = time_of(event);
    if (type == "step_start") {
      step.kind = text(payload, "step_kind");
      if (time) begins_[step.id] = *time;
      step.begin_ns = time;
    } else if (type == "step_end") {
      end(payload, duration, step);
      step.end_ns = time;
    } else if (type == "dataloader_span" && text(payload, "stage") == "next") {
      add(is_before(step.id, time, duration) ? step.loader_before_ns : step.loader_ns, duration);
    } else if (type == "memcpy_span" && text(payload, "copy_kind") == "h2d") {
      add(step.host_to_device_ns, duration);
    } else if (type == "sync_wait") {
      add(step.sync_ns, duration);
    } else if (type == "phase_span") {
      const std::string phase = text(payload, "phase_name");
      if (phase == "forward") add(step.forward_ns, duration);
      if (phase == "backward") add(step.backward_ns, duration);
      if (phase == "optimizer") add(step.optimizer_ns, duration);
    } else if (type == "shape_snapshot") {
      step.shape = shape_of(payload);
      step.batch_size = whole(payload, "batch_size");
      step.sequence_length = whole(payload, "sequence_length");
    } else if (type == "profiler_window" && text(payload, "window_state") == "exported") {
      window(payload, step);
    }
  }

  static void end(const Json& payload, std::int64_t duration, StepRow& step) {
    const std::string status = text(payload, "status");
    step.status = status.empty() ? "unknown" : status;
    if (const std::string kind = text(payload, "step_kind"); !kind.empty()) step.kind = kind;
    step.wall_ns = std::clamp<std::int64_t>(duration, 0, longest_ns);
    if (const auto loss = loss_in(payload)) step.loss = loss;
  }

  static void window(const Json& payload, StepRow& step) {
    ++step.windows;
    auto kernels = number(payload, "kernel_count_per_step");
    if (!kernels) kernels = number(payload, "kernel_count");
    // A window over several steps is stored at its last one.
    const auto first = number(payload, "start_step"), last = number(payload, "end_step");
    if (kernels && !number(payload, "kernel_count_per_step") && first && last && *last > *first) *kernels /= *last - *first + 1;
    if (kernels) step.kernels = step.kernels.value_or(0) + *kernels;
    if (const auto median = number(payload, "median_cuda_kernel_duration_us"); median && *median > 0)
      step.median_kernel_ns = *median * 1000;
    if (const auto small = number(payload, "small_kernel_fraction")) step.small_kernels = std::clamp(*small, 0.0, 1.0);
  }

  // The SDK fetches the batch of a step before the step begins: its span is written first, and ends by then.
  bool is_before(std::int64_t id, std::optional<std::int64_t> time, std::int64_t duration) const {
    return duration > 0 && time && *time > 0 && !begins_.contains(id);
  }

  RunRecord& record_;
  StepRows steps_;
  std::uint64_t restarts_ = 0;
  std::unordered_map<std::int64_t, std::size_t> places_;
  std::unordered_map<std::int64_t, std::int64_t> begins_;
  std::int64_t offset_ = 0, highest_ = -1, waited_for_next_ = 0;
  std::int64_t first_since_ = 0;  // number of the first step since the program began to count again
};

std::optional<std::size_t> column(const std::vector<std::string_view>& header, std::initializer_list<std::string_view> names) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (std::ranges::find(names, trim(header[i])) != names.end()) return i;
  }
  return std::nullopt;
}

}  // namespace

Result<> read_run_events(ByteSource& source, RunRecord& into) {
  LineReader lines(source);
  EventFolder folder(into);
  std::uint64_t unreadable = 0;
  std::string_view line;
  for (;;) {
    TRY_ASSIGN(const bool any, lines.next(line));
    if (!any) break;
    if (trim(line).empty()) continue;
    const Json event = Json::parse(line, nullptr, false);
    if (event.is_object() && event.contains("event_type")) {
      folder.take(event);
    } else {
      ++unreadable;
    }
  }
  folder.finish();
  if (unreadable > 0) into.notes.push_back({0, fmt::format("{} of the event stream are no events and left out", unreadable)});
  return {};
}

Result<> read_gpu_samples(ByteSource& source, RunRecord& into) {
  LineReader lines(source);
  std::string_view line;
  TRY_ASSIGN(const bool any, lines.next(line));
  if (!any) return {};
  const std::string header_line(line);
  const std::vector<std::string_view> header = split(header_line, ',');
  const auto index = column(header, {"index"}), utilization = column(header, {"utilization.gpu", "gpu_util"}),
             memory = column(header, {"utilization.memory", "memory_util"}), used = column(header, {"memory.used", "memory_used"}),
             total = column(header, {"memory.total", "memory_total"}), time = column(header, {"monotonic_ns"});
  for (;;) {
    TRY_ASSIGN(const bool more, lines.next(line));
    if (!more) return {};
    const std::vector<std::string_view> cells = split(line, ',');
    const auto cell = [&](std::optional<std::size_t> at) {
      return at && *at < cells.size() ? parse_number(trim(cells[*at]), NumberStyle::point) : std::nullopt;
    };
    model::GpuSample sample;
    sample.index = static_cast<std::int32_t>(std::clamp(cell(index).value_or(0), 0.0, 4096.0));
    if (const auto at = cell(time); at && *at > 0 && *at < 9e18) sample.time_ns = static_cast<std::int64_t>(*at);
    sample.utilization_pct = cell(utilization);
    sample.memory_utilization_pct = cell(memory);
    if (const auto mib = cell(used)) sample.memory_used = *mib * mebibyte;
    if (const auto mib = cell(total)) sample.memory_total = *mib * mebibyte;
    if (sample.utilization_pct || sample.memory_used) into.samples.push_back(sample);
  }
}

}  // namespace frx::ingest
