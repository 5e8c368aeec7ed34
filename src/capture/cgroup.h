// A control group (version 2) of its own for one program, where there is one that we may write.
//
// Ends everything in it at once, also what starts processes faster than they can be counted, and says how much memory was used at most. The
// group is made below that of this process. Nothing of groups that exist is changed: limits and figures are there only where the group of
// this process hands its controllers on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "capture/spawn.h"

namespace frx::capture {

// The folder of this process's group, from /proc/self/cgroup and /proc/self/mountinfo: "/sys/fs/cgroup/user.slice/session-1.scope".
// nullopt: no hierarchy of version 2 is mounted, or the group is outside of what is.
std::optional<std::string> own_cgroup(std::string_view cgroup, std::string_view mountinfo);

class Cgroup {
 public:
  // nullptr where there is none for us. `most_threads`: of all its processes together, where that can be limited.
  static std::unique_ptr<Cgroup> make(std::uint64_t most_threads);
  // The same below the folder of a group.
  static std::unique_ptr<Cgroup> make_below(const std::string& parent, std::uint64_t most_threads);
  ~Cgroup();  // ends what is in it, and removes it
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  const std::string& path() const { return path_; }
  // Who writes "0" there is moved into it. Async-signal-safe.
  int members() const { return members_.get(); }
  // Where "1" ends all of it; -1 before Linux 5.14.
  int kill_file() const { return kill_.get(); }
  void end_all() const;

  // Absent where the controllers are.
  std::optional<std::uint64_t> memory_peak() const;   // bytes
  std::optional<std::uint64_t> threads_peak() const;  // of all its processes
  bool reached_limit() const;                         // `most_threads` were there, and one more was refused

 private:
  explicit Cgroup(std::string path);
  std::optional<std::uint64_t> number_in(std::string_view file) const;

  std::string path_;
  Fd members_, kill_;
};

}  // namespace frx::capture
