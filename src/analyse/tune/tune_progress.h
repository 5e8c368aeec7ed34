// What frx tune says while it goes on, a line at a time.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "report/tune/tune_report.h"

namespace frx::analyse {

class TuneProgress {
 public:
  // `say` may be empty. The report is read when a line is said.
  TuneProgress(std::function<void(std::string_view line)> say, const report::TuneReport& report) : say_(std::move(say)), report_(report) {}

  void begin() const;
  void baseline_done() const;
  void candidates_made(std::size_t count) const;
  // "[2/8] race: dl:nw=2,pin=T ..."; the first race and the first full run are introduced by a line of their own.
  void run_begins(const report::TuneCandidate& candidate, report::TuneStage stage, std::size_t expected);
  // "[RACE] dl:nw=2,pin=T +11.4% (exit=0, steps=6)", and what is wrong with it.
  void run_ended(const report::TuneTrial& trial, const report::TuneRun& run, bool was_reused) const;
  void skipped(const report::TuneTrial& trial) const;
  void throttled(const report::TuneRun& run) const;

 private:
  template <typename... Values>
  void line(fmt::format_string<Values...> words, Values&&... values) const;
  void introduce(report::TuneStage stage, std::size_t expected);

  std::function<void(std::string_view line)> say_;
  const report::TuneReport& report_;
  std::size_t races_ = 0, full_ = 0;
};

}  // namespace frx::analyse
