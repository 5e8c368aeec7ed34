#include "capture/nsys.h"

#include <filesystem>

#include "capture/compiler_run.h"

namespace frx::capture {

Result<> export_with_nsys(const std::string& nsys, const std::string& report, const std::string& database, const Host& host) {
  constexpr std::size_t kept = std::size_t{1} << 16;
  TRY(run_compiler({nsys, "export", "--type", "sqlite", "--force-overwrite", "true", "--output", database}, report, host, kept));
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(database, ignored))
    return fail(ErrorKind::malformed, "nsys export ended well and wrote no database").at(report);
  return {};
}

std::vector<std::string> record_command(const std::string& nsys, const NsysRequest& request) {
  // Samples of the CPU are not looked at, and need permissions that a container lacks.
  std::vector<std::string> argv = {
      nsys, "profile", "--trace=" + request.traces, "--cuda-graph-trace=node", "--sample=none", "--cpuctxsw=none"};
  if (request.duration_s) argv.insert(argv.end(), {"--duration", std::to_string(*request.duration_s)});
  argv.insert(argv.end(), {"--output", request.output, "--force-overwrite", "true"});
  argv.insert(argv.end(), request.program.argv.begin(), request.program.argv.end());
  return argv;
}

Result<NsysRun> record_with_nsys(const std::string& nsys, const NsysRequest& request, const Host& host) {
  ProgramRun run = request.program;
  run.argv = record_command(nsys, request);
  TRY_ASSIGN(const Exit exit, host.run(child_of(run, true)));
  const std::string& program = request.program.argv.front();
  if (exit.interrupted_by != 0) return fail(ErrorKind::negative, "stopped by a signal; nothing was recorded").at(program);
  if (exit.timed_out)
    return fail(ErrorKind::negative, "{}", describe(exit, run.time_limit))
        .at(program)
        .hint("--timeout SECONDS gives it more time; --duration SECONDS records its beginning only");
  NsysRun result{request.output + ".nsys-rep", exit.code()};
  std::error_code ignored;
  if (std::filesystem::is_regular_file(result.report, ignored)) return result;
  return fail(ErrorKind::environment, "Nsight Systems wrote no report: {}", describe(exit))
      .at(program)
      .hint("its own message, if any, is above");
}

}  // namespace frx::capture
