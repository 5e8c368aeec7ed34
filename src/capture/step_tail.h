// Steps of a training run while it goes on: follows the event stream that the SDK writes (raw/trace.jsonl, docs/sdk.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capture/spawn.h"

namespace frx::capture {

// A step that has ended.
struct LiveStep {
  std::int64_t step_id = 0;
  std::int64_t end_ns = 0;                       // on the monotonic clock of the machine
  std::optional<std::int64_t> duration_ns = {};  // without the wait for its batch
  std::string status = {};                       // ok, error, cancelled; "" where the event has none
  std::optional<double> loss = {};               // also infinite, or not a number
  std::optional<std::int64_t> batch_size = {};   // above 0
  std::string kind = {};                         // train, eval, inference; "" where the event has none
};

class StepTail {
 public:
  // The file need not be there yet.
  explicit StepTail(std::string path) : path_(std::move(path)) {}

  // All steps that have ended by now, in the order in which they ended. A step whose end was written again (with its loss) is there once,
  // as it was written last. Where another file has taken the place of the one that was read, its steps alone.
  // At most 4 MiB at once.
  const std::vector<LiveStep>& read();
  // The last read() stopped at its limit, not at the end of the file.
  bool has_more() const { return has_more_; }
  // Leaves out of the answers of read() what it has returned, so that a run of any length takes little memory. The end of such a step that
  // is written again stays left out.
  void forget_steps();

  // Complete lines that are no event, or longer than a MiB; blank ones are not counted. Objects that mention none of the events that are
  // followed here are not looked at.
  std::uint64_t bad_lines() const { return bad_lines_; }
  // Steps are left out: more than 100,000 of them had ended.
  bool is_cut() const { return is_cut_; }

 private:
  void begin_again();
  bool open_file();
  void take_bytes(std::string_view bytes);
  void take_line(std::string_view line);
  void take_end(LiveStep step, const std::string& span);

  std::string path_;
  Fd file_;
  std::uint64_t offset_ = 0;  // of what was read
  std::string partial_;       // a line without its end
  bool is_too_long_ = false;  // the line of which `partial_` was the beginning
  bool has_more_ = false;
  std::size_t forgotten_ = 0;  // steps
  std::vector<LiveStep> steps_;
  std::map<std::string, std::size_t, std::less<>> places_;  // of the latest steps, by span_id; forgotten ones count
  std::map<std::int64_t, std::int64_t> batches_;            // of steps that have not ended, by step_id
  std::uint64_t bad_lines_ = 0;
  bool is_cut_ = false;
};

// Milliseconds from the end of the step before to the end of each step, so that the wait for its batch counts; of the first step its own
// duration. The first `warmup` steps are left out. Steps that have not ended well, and times that are not above 0, are left out, too.
std::vector<double> step_times_ms(std::span<const LiveStep> steps, std::size_t warmup);

}  // namespace frx::capture
