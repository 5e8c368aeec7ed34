#include "capture/nvcc.h"

#include <chrono>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"

namespace frx::capture {
namespace {

constexpr std::chrono::minutes time_limit{10};

std::string first_error(std::string_view said) {
  for (const std::string_view line : split(said, '\n')) {
    if (line.find("error") != line.npos || line.find("fatal") != line.npos) return printable(trim(line));
  }
  return printable(trim(said.substr(0, said.find('\n'))));
}

}  // namespace

Result<std::string> compile_to_ptx(const std::string& cuda_file, const std::string& architecture, const std::vector<std::string>& options,
                                   const Host& host) {
  const std::optional<std::string> nvcc = host.program("nvcc");
  if (!nvcc) return fail(ErrorKind::environment, "nvcc was not found").hint("it is part of the CUDA toolkit; add its bin folder to PATH");
  TRY_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make(host.variable("TMPDIR").value_or("/tmp")));
  ChildCommand command;
  command.argv = {*nvcc, "-ptx", "-lineinfo", "-o", folder.file("out.ptx")};
  if (!architecture.empty()) command.argv.push_back("-arch=" + architecture);
  command.argv.insert(command.argv.end(), options.begin(), options.end());
  command.argv.push_back(cuda_file.starts_with('-') ? "./" + cuda_file : cuda_file);
  command.time_limit = time_limit;
  TRY_ASSIGN(const Exit exit, host.run(command));
  if (!exit.ok()) {
    const std::string said = first_error(exit.err.empty() ? exit.out : exit.err);
    return fail(ErrorKind::malformed, "nvcc ended with {}{}", describe(exit, time_limit), said.empty() ? "" : ": " + said).at(cuda_file);
  }
  return read_file(folder.file("out.ptx"), std::uint64_t{1} << 30);
}

}  // namespace frx::capture
