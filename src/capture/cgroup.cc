#include "capture/cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace frx::capture {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view group_prefix = "frx-tune-";

std::string file_of_group(const std::string& group, std::string_view name) {
  return read_file(fmt::format("{}/{}", group, name), 1 << 20).value_or("");
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  const std::string_view digits = trim(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// Blanks and backslashes in paths are octal there: "\040".
std::string without_octal(std::string_view path) {
  std::string plain;
  for (std::size_t i = 0; i < path.size(); ++i) {
    int value = 0;
    const bool is_octal = path[i] == '\\' && path.size() - i > 3 &&
                          std::from_chars(path.data() + i + 1, path.data() + i + 4, value, 8).ptr == path.data() + i + 4;
    plain += is_octal ? static_cast<char>(value) : path[i];
    if (is_octal) i += 3;
  }
  return plain;
}

struct Mounted {
  std::string root, at;  // which part of the hierarchy, and where it is
};

// "31 23 0:28 /part /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw"
std::optional<Mounted> mounted_hierarchy(std::string_view mountinfo) {
  for (const std::string_view line : split(mountinfo, '\n')) {
    const std::size_t separator = line.find(" - ");
    if (separator == line.npos || !line.substr(separator + 3).starts_with("cgroup2 ")) continue;
    const std::vector<std::string_view> fields = split(line.substr(0, separator), ' ');
    if (fields.size() > 4) return Mounted{without_octal(fields[3]), without_octal(fields[4])};
  }
  return std::nullopt;
}

// Groups of processes that were killed before they could remove them. A group that is not empty stays.
void remove_forgotten(const std::string& parent) {
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename();
    if (!name.starts_with(group_prefix)) continue;
    const std::string_view rest = std::string_view(name).substr(group_prefix.size());
    const std::optional<std::uint64_t> pid = whole_number(rest.substr(0, rest.find('-')));
    if (pid && !fs::exists(fmt::format("/proc/{}", *pid))) ::rmdir(it->path().c_str());
  }
}

}  // namespace

std::optional<std::string> own_cgroup(std::string_view cgroup, std::string_view mountinfo) {
  std::optional<std::string> own;
  for (const std::string_view line : split(cgroup, '\n')) {
    if (line.starts_with("0::/")) own = std::string(line.substr(3));
  }
  const std::optional<Mounted> mounted = mounted_hierarchy(mountinfo);
  if (!own || !mounted) return std::nullopt;
  std::string_view below = *own;
  if (mounted->root != "/") {
    if (!below.starts_with(mounted->root)) return std::nullopt;
    below.remove_prefix(mounted->root.size());
    if (!below.empty() && below[0] != '/') return std::nullopt;
  }
  // Outside of the namespace of groups that we see, and of a group that was removed.
  if (below.starts_with("/..") || below.ends_with(" (deleted)")) return std::nullopt;
  return below == "/" || below.empty() ? mounted->at : mounted->at + std::string(below);
}

std::unique_ptr<Cgroup> Cgroup::make(std::uint64_t most_threads) {
  const std::string cgroup = read_file("/proc/self/cgroup", 1 << 20).value_or("");
  const std::optional<std::string> own = own_cgroup(cgroup, read_file("/proc/self/mountinfo", 16 << 20).value_or(""));
  return own ? make_below(*own, most_threads) : nullptr;
}

std::unique_ptr<Cgroup> Cgroup::make_below(const std::string& parent, std::uint64_t most_threads) {
  static std::atomic<unsigned> count{0};
  remove_forgotten(parent);
  for (int attempt = 0; attempt < 16; ++attempt) {
    const std::string path = fmt::format("{}/{}{}-{}", parent, group_prefix, ::getpid(), ++count);
    if (::mkdir(path.c_str(), 0755) != 0) {
      if (errno == EEXIST) continue;  // of a process with our number in another namespace
      return nullptr;
    }
    std::unique_ptr<Cgroup> group(new Cgroup(path));
    // Below a group of threads the new one is "domain invalid" and takes no processes.
    if (!group->members_ || trim(file_of_group(path, "cgroup.type")) != "domain") return nullptr;
    const Fd limit(::open((path + "/pids.max").c_str(), O_WRONLY | O_CLOEXEC));
    const std::string text = std::to_string(most_threads);
    if (limit) [[maybe_unused]] const ssize_t wrote = ::write(limit.get(), text.data(), text.size());
    return group;
  }
  return nullptr;
}

Cgroup::Cgroup(std::string path) : path_(std::move(path)) {
  members_ = Fd(::open((path_ + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  kill_ = Fd(::open((path_ + "/cgroup.kill").c_str(), O_WRONLY | O_CLOEXEC));
}

Cgroup::~Cgroup() {
  for (int i = 0; i < 100 && ::rmdir(path_.c_str()) != 0 && errno == EBUSY; ++i) {
    end_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void Cgroup::end_all() const {
  if (kill_ && ::pwrite(kill_.get(), "1", 1, 0) == 1) return;
  for (const std::string_view line : split(file_of_group(path_, "cgroup.procs"), '\n')) {
    const std::optional<std::uint64_t> pid = whole_number(line);
    if (pid && *pid > 1) ::kill(static_cast<pid_t>(*pid), SIGKILL);
  }
}

std::optional<std::uint64_t> Cgroup::number_in(std::string_view file) const { return whole_number(file_of_group(path_, file)); }
std::optional<std::uint64_t> Cgroup::memory_peak() const { return number_in("memory.peak"); }
std::optional<std::uint64_t> Cgroup::threads_peak() const { return number_in("pids.peak"); }

bool Cgroup::reached_limit() const {
  for (const std::string_view line : split(file_of_group(path_, "pids.events"), '\n')) {
    if (line.starts_with("max ")) return whole_number(line.substr(4)).value_or(0) > 0;
  }
  return false;
}

}  // namespace frx::capture
