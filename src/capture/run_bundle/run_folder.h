// The folder of one run, made new, for its owner alone: <out>/<run-id> with raw/, derived/ and profiler/ in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::capture {

class RunFolder {
 public:
  // An empty `run_id` gets "run-" and 12 hexadecimal digits. Fails when the name is not plain or exists already, also as a .zip.
  static Result<RunFolder> create(const std::string& out, const std::string& run_id);

  const std::string& id() const { return id_; }
  const std::string& shown() const { return shown_; }  // as the user typed it: "runs/run-1"
  const std::string& absolute() const { return absolute_; }
  std::string zip_path() const { return absolute_ + ".zip"; }
  std::string file(std::string_view path) const { return absolute_ + "/" + std::string(path); }
  // Relative paths of all files, sorted.
  std::vector<std::string> files() const;
  // What the workload and others wrote into it is for the owner alone from then on, as all that is written by the collection is.
  void restrict_access() const;
  // Removes the folder; for a run that never began.
  void remove() const;

 private:
  std::string id_, shown_, absolute_;
};

}  // namespace frx::capture
