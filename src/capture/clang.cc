#include "capture/clang.h"

#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "capture/compiler_run.h"
#include "capture/cuda_declarations.h"

namespace frx::capture {
namespace {

constexpr std::size_t clang_log_limit = std::size_t{1} << 20;
constexpr std::uint64_t clang_ptx_limit = std::uint64_t{1} << 30;
constexpr std::string_view usual_architecture = "sm_80";
constexpr int oldest = 14, newest = 29;  // clang 14 is the first that knows PTX 7.5

using Words = std::vector<std::string>;

std::optional<std::string> find_toolkit(const Host& host) {
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
    const std::optional<std::string> folder = host.variable(name);
    if (folder && host.exists(*folder + "/include/cuda_runtime.h")) return folder;
  }
  const std::string usual = "/usr/local/cuda";
  return host.exists(usual + "/include/cuda_runtime.h") ? std::optional(usual) : std::nullopt;
}

// clang chooses the version of PTX by that of the toolkit, and the oldest of all without one.
std::string ptx_version(const std::string& architecture) {
  const bool is_new = architecture.starts_with("sm_9") || architecture.starts_with("sm_1");
  return is_new ? "+ptx80" : "+ptx75";
}

// Our own headers under the names that sources include, in `folder`.
Result<> write_declarations(const TemporaryDirectory& folder) {
  const std::string include = fmt::format("#include <{}>\n", cuda_declarations_header);
  TRY(write_file(folder.file(cuda_declarations_header), cuda_declarations));
  for (const std::string_view header : replaced_cuda_headers) TRY(write_file(folder.file(header), include));
  // clang's own header includes this one of the toolkit: instructions of sm_70 that our code never calls.
  std::error_code error;
  std::filesystem::create_directory(folder.file("crt"), error);
  return write_file(folder.file("crt/sm_70_rt.hpp"), "");
}

// One file, one compiler, and a folder for the output.
struct Attempt {
  const std::string& clang;
  const std::string& cuda_file;
  std::string architecture;
  const Words& options;
  const Host& host;
  const TemporaryDirectory& folder;
  std::chrono::milliseconds time_limit;

  Result<std::string> compile(const Words& where_cuda_is) const {
    const std::string out = folder.file("out.ptx");
    Words argv{clang, "-x", "cuda", "--cuda-device-only", "-S", "-O3", "-gline-tables-only", "-std=c++17", "-o", out};
    argv.push_back("--cuda-gpu-arch=" + architecture);
    argv.insert(argv.end(), where_cuda_is.begin(), where_cuda_is.end());
    argv.insert(argv.end(), options.begin(), options.end());
    TRY(run_compiler(std::move(argv), cuda_file, host, clang_log_limit, time_limit));
    return read_file(out, clang_ptx_limit);
  }

  Result<std::string> compile_without_toolkit() const {
    Words where{"-nocudainc", "-nocudalib", "--cuda-path=" + folder.path(), "-isystem", folder.path()};
    for (const std::string_view word : {std::string_view("-include"), cuda_declarations_header}) where.emplace_back(word);
    for (const std::string& word : {std::string("-target-feature"), ptx_version(architecture)}) {
      where.emplace_back("-Xclang");
      where.push_back(word);
    }
    return compile(where);
  }
};

Result<std::string> without_toolkit(Attempt attempt) {
  TRY(write_declarations(attempt.folder));
  Result<std::string> ptx = attempt.compile_without_toolkit();
  if (ptx || attempt.architecture == usual_architecture) return ptx;
  attempt.architecture = usual_architecture;
  return attempt.compile_without_toolkit();
}

std::string hint_after(const std::optional<std::string>& toolkit) {
  const std::string alone = "clang knows only the few declarations of CUDA that frx brings along";
  return toolkit ? fmt::format("this clang cannot read it with the CUDA toolkit in {} either; without it, {}", printable(*toolkit), alone)
                 : "without the CUDA toolkit, " + alone;
}

}  // namespace

std::optional<std::string> find_clang(const Host& host) {
  if (const std::optional<std::string> plain = host.program("clang++")) return plain;
  for (int version = newest; version >= oldest; --version) {
    if (const std::optional<std::string> found = host.program(fmt::format("clang++-{}", version))) return found;
  }
  return std::nullopt;
}

Result<CompiledPtx> compile_with_clang(const std::string& clang, const std::string& cuda_file, const std::string& architecture,
                                       const std::vector<std::string>& options, const Host& host, std::chrono::milliseconds time_limit) {
  TRY_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make(host.variable("TMPDIR").value_or("/tmp")));
  const Attempt attempt{clang,  cuda_file, architecture.empty() ? std::string(usual_architecture) : architecture, options, host,
                        folder, time_limit};
  CompiledPtx compiled;
  compiled.compiler = name_and_version("clang", clang, host);
  const std::optional<std::string> toolkit = find_toolkit(host);
  if (toolkit) {
    if (Result<std::string> ptx = attempt.compile({"--cuda-path=" + *toolkit})) {
      compiled.text = std::move(*ptx);
      return compiled;
    }
  }
  Result<std::string> ptx = without_toolkit(attempt);
  if (!ptx) {
    if (ptx.error().hint.empty()) ptx.error().hint = hint_after(toolkit);
    return Failure{std::move(ptx).error()};
  }
  compiled.text = std::move(*ptx);
  compiled.compiler += " without the CUDA toolkit";
  return compiled;
}

}  // namespace frx::capture
