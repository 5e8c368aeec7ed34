// Files of a run bundle that were sent one by one, as a folder that is read like any other bundle.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/temporary_directory.h"
#include "http/message.h"

namespace frx::serve {

// Where a file stands in a bundle: its run ("", "runs/a") and its path in it.
struct RunMember {
  std::string run, path;
  bool operator==(const RunMember&) const = default;
};
// By its name as a client sends it: "runs/a/derived/summary.json", or "summary.json" of one that was taken out of its folder. None for a
// name that is no member, or that leads out of its folder.
std::optional<RunMember> run_member(std::string_view filename);

// How much a run is worth by its files; the summary alone is worth more than everything else together (120).
int score_of_run(std::span<const RunMember> members);

struct UploadedRun {
  TemporaryDirectory folder;       // goes with this
  std::string path;                // of the run in it
  std::vector<std::size_t> parts;  // that belong to a run, this one or another
};
// The run with the highest score among the parts. None where no part is a summary or a raw trace: traces of a profiler are what they are
// without a bundle. Errors: the folder cannot be written.
Result<std::optional<UploadedRun>> uploaded_run(std::span<const http::Part> parts);

}  // namespace frx::serve
