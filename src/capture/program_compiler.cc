#include "capture/program_compiler.h"

#include <optional>

#include "capture/compiler_run.h"

namespace frx::capture {
namespace {

constexpr std::size_t program_log_limit = std::size_t{1} << 20;

bool lacks_main(const std::string& message) {
  return message.find("undefined reference to") != message.npos && message.find("main'") != message.npos;
}

}  // namespace

Result<std::chrono::nanoseconds> compile_program_as(const std::string& executable, const std::string& cuda_file,
                                                    const std::string& architecture, const std::vector<std::string>& options,
                                                    const Host& host) {
  const std::optional<std::string> nvcc = host.program("nvcc");
  if (!nvcc) {
    return fail(ErrorKind::environment, "nvcc was not found")
        .hint("it is part of the CUDA toolkit: add its bin folder to PATH; frx compare A.cu B.cu needs no compiler");
  }
  std::vector<std::string> argv{*nvcc, "-lineinfo", "-o", executable};
  if (!architecture.empty()) argv.push_back("-arch=" + architecture);
  argv.insert(argv.end(), options.begin(), options.end());
  Result<Exit> exit = run_compiler(std::move(argv), cuda_file, host, program_log_limit);
  if (exit) return exit->took;
  Error error = std::move(exit).error();
  if (lacks_main(error.message)) error.hint = "only a program can be run; where a macro hides main(): --build-flags -DBUILD_EXECUTABLE";
  return Failure{std::move(error)};
}

Result<CompiledProgram> compile_program(const std::string& cuda_file, const std::string& architecture,
                                        const std::vector<std::string>& options, const Host& host) {
  TRY_ASSIGN(TemporaryDirectory folder, TemporaryDirectory::make(host.variable("TMPDIR").value_or("/tmp")));
  CompiledProgram program{std::move(folder), ""};
  program.path = program.folder.file("program");
  TRY(compile_program_as(program.path, cuda_file, architecture, options, host));
  return program;
}

}  // namespace frx::capture
