#include "capture/ncu.h"

#include <algorithm>
#include <filesystem>

#include "base/output_file.h"
#include "base/text.h"
#include "capture/ncu_log.h"
#include "capture/permission.h"

namespace frx::capture {
namespace {

// The messages of ncu when it cannot measure, and the remedies. Wordings of ncu 2020 to 2026.
struct KnownFailure {
  std::string_view words;
  std::string_view message;
  std::string_view hint;
};

constexpr KnownFailure known_failures[] = {
    {"driver is not compatible", "this ncu does not support the installed driver",
     "update the driver, or use the ncu of a CUDA toolkit that is not newer than the driver (frx doctor shows both)"},
    {"LibraryNotLoaded", "ncu could not load the counter library of the driver",
     "the driver and ncu do not fit, or the container lacks the driver's libraries (NVIDIA_DRIVER_CAPABILITIES=all)"},
    {"concurrently collecting", "another tool is using the GPU's performance counters",
     "end the other profiler; for DCGM: dcgmi profile --pause, and --resume afterwards"},
    {"failed to connect to the CUDA driver", "ncu found a stub of libcuda instead of the driver",
     "take folders named 'stubs' out of LD_LIBRARY_PATH; in a container, start it with --gpus all"},
    {"lock file", "ncu could not take its lock file; another user may own it",
     "set TMPDIR to a folder of your own, or remove the stale nsight-compute-lock file"},
    {"not supported", "ncu does not support this GPU or option", "frx doctor shows the versions of ncu, driver and GPU"},
};

bool is_permission(const NcuLog& log) {
  return log.mentions("ERR_NVGPUCTRPERM") || log.mentions("permission to access NVIDIA GPU Performance Counters");
}

std::string first_error(const NcuLog& log) { return log.errors.empty() ? std::string() : shorten(log.errors.front(), 300); }

Failure no_permission(const Host& host) {
  const CounterPermission permission = counter_permission(host);
  return fail(ErrorKind::environment, "no permission to read GPU counters (ERR_NVGPUCTRPERM): {}", permission_cause(permission))
      .hint(join(permission_remedy(permission), "\n") + "\nwithout counters frx still reads timelines, PTX and source: frx analyze --help");
}

Failure no_kernels(const NcuRequest& request, const NcuLog& log) {
  if (log.application_code.value_or(0) != 0) {
    return fail(ErrorKind::environment, "the application ended with exit code {} before a kernel was profiled", *log.application_code)
        .hint("run it alone first: " + shell_line(request.workload));
  }
  if (!request.kernel_filter.empty()) {
    const std::string names = log.available_kernels.empty() ? "" : "; it launched: " + join(log.available_kernels, ", ");
    return fail(ErrorKind::environment, "no kernel matched '{}'{}", request.kernel_filter, names)
        .hint("leave out --kernel-name, or give a regular expression such as '.*gemm.*'");
  }
  if (request.launch_skip.value_or(0) > 0) {
    return fail(ErrorKind::environment, "no kernels were left to profile after --launch-skip {}", *request.launch_skip)
        .hint("skip fewer launches");
  }
  return fail(ErrorKind::environment, "no kernels were profiled: the application launched none on an NVIDIA GPU")
      .hint("does it run on the GPU? frx doctor shows what this machine offers");
}

Failure unknown_counters(const NcuLog& log) {
  return fail(ErrorKind::environment, "this ncu does not know the counters {}", join(log.unknown_counters, ", "))
      .hint("ncu --query-metrics lists what this GPU offers");
}

// The reason why there is no table.
Failure explain(const NcuRequest& request, const NcuLog& log, const Exit& exit, std::chrono::milliseconds time_limit, const Host& host) {
  if (is_permission(log)) return no_permission(host);
  if (exit.timed_out) {
    return fail(ErrorKind::environment, "ncu was ended: {}", describe(exit, time_limit))
        .hint("every launch is replayed several times; profile fewer: --launch-count 20");
  }
  if (exit.interrupted_by != 0) return fail(ErrorKind::environment, "interrupted before a kernel was profiled");
  if (!log.unknown_counters.empty()) return unknown_counters(log);
  for (const KnownFailure& known : known_failures) {
    if (log.mentions(known.words)) {
      return fail(ErrorKind::environment, "{} (it said: {})", known.message, first_error(log)).hint(std::string(known.hint));
    }
  }
  if (log.no_kernels || log.application_code) return no_kernels(request, log);
  const std::string said = first_error(log);
  return fail(ErrorKind::environment, "ncu wrote no profile: {}{}", describe(exit), said.empty() ? "" : "; it said: " + said)
      .hint(said.empty() ? "its own message, if any, is above" : "");
}

void note_survived(const NcuLog& log, const Exit& exit, std::chrono::milliseconds time_limit, NcuCapture& capture) {
  capture.application_code = log.application_code.value_or(exit.ok() ? 0 : exit.code());
  capture.is_cut = exit.timed_out || exit.interrupted_by != 0;
  if (exit.timed_out) {
    capture.notes.push_back(fmt::format("profiling was ended ({}): later launches are missing", describe(exit, time_limit)));
  } else if (exit.interrupted_by != 0) {
    capture.notes.push_back("profiling was interrupted: later launches are missing");
  } else if (log.application_code.value_or(0) != 0) {
    capture.notes.push_back(
        fmt::format("the application ended with exit code {}: launches it never reached are missing", *log.application_code));
  } else if (!exit.ok()) {
    capture.notes.push_back(fmt::format("ncu ended with {} after it had written its table", describe(exit)));
  }
  if (is_permission(log)) capture.notes.push_back("ncu lacked the permission to read counters for some launches");
}

// Removes the counters that are unknown to ncu; false when none of ours was meant.
bool drop_unknown(const NcuLog& log, NcuRequest& request, std::vector<std::string>& notes) {
  std::vector<std::string> dropped;
  std::erase_if(request.counters, [&](const std::string& counter) {
    const bool unknown = std::any_of(log.unknown_counters.begin(), log.unknown_counters.end(),
                                     [&](const std::string& name) { return is_meant(name, counter); });
    if (unknown) dropped.push_back(counter);
    return unknown;
  });
  if (dropped.empty() || (request.counters.empty() && request.set.empty())) return false;
  notes.push_back("this ncu and GPU do not offer, so not collected: " + join(dropped, ", "));
  return true;
}

struct NcuAttempt {
  Exit exit;
  NcuLog log;
};

Result<NcuAttempt> attempt(const std::vector<std::string>& command, const std::string& log_file, const Host& host,
                           std::chrono::milliseconds time_limit) {
  ChildCommand child;
  child.argv = command;
  // ncu writes numbers in the locale of its environment; the application gets the same one, which a profiled run can afford.
  child.environment = {{"LC_ALL", "C"}};
  child.input = Input::inherit;
  child.out = Output::to_stderr;
  child.err = Output::inherit;
  child.time_limit = time_limit;
  NcuAttempt result;
  TRY_ASSIGN(result.exit, host.run(child));
  if (std::filesystem::exists(log_file)) {
    TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(log_file));
    TRY_ASSIGN(result.log, read_ncu_log(*source));
  }
  return result;
}

}  // namespace

Result<> NcuCapture::save_as(const std::string& path) const {
  if (is_cut) {
    TRY_ASSIGN(std::string text, read_file(csv_path));
    text.resize(text.rfind('\n') + 1);  // npos + 1 is 0
    return write_file(path, text + "==WARNING== Profiling was ended: later launches are missing.\n");
  }
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(csv_path));
  TRY_ASSIGN(OutputFile target, OutputFile::create(path));
  std::vector<char> buffer(std::size_t{1} << 18);
  while (true) {
    TRY_ASSIGN(const std::size_t got, source->read(buffer));
    if (got == 0) return target.commit();
    TRY(target.write({buffer.data(), got}));
  }
}

Result<std::string> find_ncu(const NcuRequest& request, const Host& host) {
  if (std::optional<std::string> found = host.program("ncu")) return std::move(*found);
  NcuRequest elsewhere = request;
  elsewhere.log_file = "profile.csv";
  return fail(ErrorKind::environment, "Nsight Compute (ncu) was not found, neither on PATH nor where CUDA installs it")
      .hint(
          "install it: package nsight-compute of NVIDIA's repository, or with the CUDA toolkit, and put it on PATH;\n"
          "or profile where it is and bring the file here:\n  1. " +
          shell_line(ncu_command(elsewhere)) + "\n  2. frx profile --ncu profile.csv");
}

Result<NcuCapture> profile_with_ncu(NcuRequest request, const Host& host, std::chrono::milliseconds time_limit) {
  if (request.workload.empty()) {
    return fail(ErrorKind::usage, "expected a program to profile").hint("give it after --: frx profile -- ./your_app");
  }
  TRY_ASSIGN(const std::string ncu, find_ncu(request, host));
  TRY_ASSIGN(TemporaryDirectory folder, TemporaryDirectory::make(host.variable("TMPDIR").value_or("/tmp")));
  request.log_file = folder.file("profile.csv");
  NcuCapture capture{request.log_file, {}, {}, 0, false, {}, std::move(folder)};
  // Twice at most: each attempt runs the whole application, and ncu names every unknown counter at once.
  for (bool first = true;; first = false) {
    capture.command = ncu_command(request, ncu);
    TRY_ASSIGN(const NcuAttempt done, attempt(capture.command, request.log_file, host, time_limit));
    capture.took = done.exit.took;
    if (done.log.has_table) {
      note_survived(done.log, done.exit, time_limit, capture);
      return capture;
    }
    const bool again = first && !done.exit.timed_out && done.exit.interrupted_by == 0 && drop_unknown(done.log, request, capture.notes);
    if (!again) return explain(request, done.log, done.exit, time_limit, host);
    std::error_code ignored;
    std::filesystem::remove(request.log_file, ignored);
  }
}

}  // namespace frx::capture
