#include "capture/host.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/directory_entries.h"
#include "base/files.h"
#include "base/text.h"
#include "capture/spawn.h"

namespace frx::capture {
namespace {

bool is_program(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// "2024.10.1" after "2024.9.2": numbers compare as numbers.
bool is_older(const std::string& a, const std::string& b) { return ::strverscmp(a.c_str(), b.c_str()) < 0; }

// Subfolders of `folder` whose names start with `prefix`, newest version first, each with `suffix`.
std::vector<std::string> versions(const std::string& folder, std::string_view prefix, std::string_view suffix) {
  std::vector<std::string> found;
  const Fd open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  alignas(8) std::array<char, 4096> entries;
  for_each_entry(open.get(), entries, [&](std::string_view name) {
    if (name.starts_with(prefix)) found.push_back(fmt::format("{}/{}{}", folder, name, suffix));
  });
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return is_older(b, a); });
  return found;
}

class Machine final : public Host {
 public:
  std::optional<std::string> variable(std::string_view name) const override {
    const char* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }
  std::optional<std::string> file(const std::string& path) const override {
    Result<std::string> text = read_file(path, 1 << 20);
    return text ? std::optional(std::move(*text)) : std::nullopt;
  }
  bool exists(const std::string& path) const override { return ::access(path.c_str(), F_OK) == 0; }
  std::optional<std::string> program(std::string_view name) const override {
    return find_program(name, variable("PATH").value_or(""), nvidia_tool_folders(*this));
  }
  Result<Exit> run(const ChildCommand& command) const override { return run_process(command); }
};

}  // namespace

const Host& this_machine() {
  static const Machine machine;
  return machine;
}

std::optional<std::string> find_program(std::string_view name, std::string_view path, std::span<const std::string> more) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != name.npos) return is_program(std::string(name)) ? std::optional<std::string>(name) : std::nullopt;
  const auto in = [&](std::string_view folder) {
    return (folder.empty() ? std::string(".") : std::string(folder)) + "/" + std::string(name);
  };
  for (const std::string_view folder : split(path, ':')) {
    if (!path.empty() && is_program(in(folder))) return in(folder);
  }
  for (const std::string& folder : more) {
    if (is_program(in(folder))) return in(folder);
  }
  return std::nullopt;
}

std::vector<std::string> nvidia_tool_folders(const Host& host) {
  std::vector<std::string> folders;
  const auto append = [&](std::vector<std::string> more) { folders.insert(folders.end(), more.begin(), more.end()); };
  for (const std::string_view name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const auto home = host.variable(name); home && !home->empty()) folders.push_back(*home + "/bin");
  }
  folders.emplace_back("/usr/local/cuda/bin");
  append(versions("/opt/nvidia/nsight-compute", "", ""));
  append(versions("/opt/nvidia/nsight-systems", "", "/bin"));
  append(versions("/usr/local", "cuda-", "/bin"));
  append(versions("/usr/local", "cuda-", "/nsight-compute"));
  folders.emplace_back("/usr/lib/wsl/lib");  // nvidia-smi under WSL2
  return folders;
}

}  // namespace frx::capture
