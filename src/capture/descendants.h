// Processes that a program leaves running: those of its group, and those in sessions of their own.
//
// While an object of this class lives, orphans of this process's descendants become its children (a "subreaper"), so that none of them is
// lost: torchrun, for example, gives every worker a session of its own.
#pragma once

#include <sys/types.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace frx::capture {

// The children that this process started itself and has not reaped.
class OwnChildren {
 public:
  static void add(pid_t pid);
  static void remove(pid_t pid);
  static bool has(pid_t pid);
};

class Descendants {
 public:
  // `mark`: "NAME=VALUE" in the environment of the processes that are meant; empty: only the group is.
  explicit Descendants(std::string mark);
  ~Descendants();
  Descendants(const Descendants&) = delete;
  Descendants& operator=(const Descendants&) = delete;

  // Ends the group of a leader that has been reaped: SIGTERM, and SIGKILL a second later. `meanwhile` is called every
  // few milliseconds.
  static void end_group(pid_t group, const std::function<void()>& meanwhile);
  // Marked children of this process that lost their parents.
  std::vector<pid_t> strays() const;
  void kill_strays() const;
  // Other children that this process did not have before and did not start: they lost their parents, and the mark with the environment.
  std::vector<pid_t> escaped() const;

 private:
  std::string mark_;
  int before_ = 0;
  std::set<pid_t> children_before_;
};

}  // namespace frx::capture
