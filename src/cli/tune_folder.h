// The folder of a tuning: <out>/tune-<8 hexadecimal digits>, for its owner alone, in which one frx is at work at a time.
//
//   tune.json   what was asked for: the job, the command and the settings, so that --resume needs nothing else
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "capture/spawn.h"
#include "report/tune/tune_report.h"

namespace frx::cli {

struct TuneAsked {
  std::string job_name;
  std::vector<std::string> command;  // as it was given
  report::TuneSettings settings;
};

class TuneFolder {
 public:
  // A new one in `out`, with a name that nothing has.
  static Result<TuneFolder> create(const std::string& out);
  // Of an earlier tuning. Not enough: there is no such folder, or it is none; negative: another frx is at work in it.
  static Result<TuneFolder> open(const std::string& path);

  const std::string& shown() const { return shown_; }  // "runs/tune-3f8a12b4"
  std::string file(const std::string& name) const { return shown_ + "/" + name; }

  Result<> write_asked(const TuneAsked& asked) const;
  Result<TuneAsked> read_asked() const;

 private:
  Result<> lock();

  std::string shown_;
  capture::Fd lock_;
};

}  // namespace frx::cli
