// The machine as the rest of this folder sees it: variables, small files, programs. Tests replace it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capture/process.h"

namespace frx::capture {

class Host {
 public:
  virtual ~Host() = default;
  virtual std::optional<std::string> variable(std::string_view name) const = 0;
  // A small text file such as /proc/driver/nvidia/version.
  virtual std::optional<std::string> file(const std::string& path) const = 0;
  virtual bool exists(const std::string& path) const = 0;
  // The path of a program: PATH first, then the folders of the CUDA and Nsight installers.
  virtual std::optional<std::string> program(std::string_view name) const = 0;
  virtual Result<Exit> run(const ChildCommand& command) const = 0;
};

// The real machine. Stateless.
const Host& this_machine();

// Looks for an executable file `name` in the folders of `path` ("/usr/bin:/bin"), then in `more`.
// A name with a slash is looked up as it is.
std::optional<std::string> find_program(std::string_view name, std::string_view path, std::span<const std::string> more = {});

// The folders in which NVIDIA's installers put their tools without adding them to PATH; the newest version first.
std::vector<std::string> nvidia_tool_folders(const Host& host);

}  // namespace frx::capture
