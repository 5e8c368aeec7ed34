#include "analyse/inputs.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "ingest/cuda/kernel_file.h"

namespace frx::analyse {
namespace {

namespace fs = std::filesystem;
using ingest::Format;
using ingest::Kind;
using ingest::Source;

bool is_named_as(Kind kind, const std::string& path) {
  const Format* format = ingest::format_by_name(path);
  return format && format->kind == kind;
}

bool is_named_as_code(const std::string& path) {
  const Format* format = ingest::format_by_name(path);
  return format && is_code(format->kind);
}

// A header or a file for the host that defines or launches kernels all the same; what cannot be opened is not taken for one.
bool holds_kernels(const std::string& path) {
  constexpr std::uint64_t largest = std::uint64_t{64} << 20;
  if (!ingest::cuda::may_hold_kernels(path)) return false;
  const Result<std::string> text = read_file(path, largest);
  return text && ingest::cuda::holds_kernels(path, *text);
}

// Other JSON than traces may lie beside them. What the profiler calls by its own ending is not looked into, nor is a summary.
bool is_profiler_trace(const std::string& path) {
  if (is_named_as(Kind::rank_summary, path)) return true;
  if (!is_named_as(Kind::trace, path)) return false;
  if (to_lower(file_name_in(path)).find(".pt.trace.json") != std::string::npos) return true;
  Source source = Source::at(path);
  const Result<std::string_view> head = source.head();
  return head && (*ingest::format_by_name(path)).recognises({path, *head, false}) == ingest::Match::certain;
}

// Files of a folder itself, by name.
std::vector<std::string> traces_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error, ignored;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->is_regular_file(ignored) && is_profiler_trace(at->path().string())) found.push_back(at->path().string());
  }
  std::ranges::sort(found);
  return found;
}

// The code in a folder and below it. Links to folders are not followed. What cannot be read is not passed over: a change that cannot be
// read would pass every check.
class CodeInFolder {
 public:
  explicit CodeInFolder(const std::string& folder) : folders_{folder} {
    while (!folders_.empty()) {
      const std::string next = std::move(folders_.back());
      folders_.pop_back();
      list(next);
    }
    std::ranges::sort(files_);
    std::ranges::sort(refused_);
  }

  bool has_files() const { return !files_.empty(); }
  bool is_empty() const { return files_.empty() && refused_.empty(); }

  void add_to(std::vector<Input>& inputs, const std::string& folder) && {
    // Thousands of files are not opened before their turn: the name says enough.
    for (const std::string& path : files_) {
      const Format* format = ingest::format_by_name(path);
      inputs.push_back({Source::at(path), format && is_code(format->kind) ? format : &ingest::cuda_format, ingest::Match::no, folder});
    }
    for (auto& [path, why] : refused_) {
      const Format* format = ingest::format_by_name(path);
      auto refuse = [path, why]() -> Result<std::unique_ptr<ByteSource>> { return fail(ErrorKind::unreadable, "{}", why).at(path); };
      inputs.push_back({Source::of(path, std::move(refuse)), format && is_code(format->kind) ? format : &ingest::cuda_format,
                        ingest::Match::no, folder});
    }
  }

 private:
  void list(const std::string& folder) {
    std::error_code error;
    fs::directory_iterator at(folder, error), end;
    for (; !error && at != end; at.increment(error)) add(*at);
    if (error) refused_.emplace_back(folder, fmt::format("cannot read the folder: {}", error.message()));
  }

  void add(const fs::directory_entry& entry) {
    std::error_code error, ignored;
    std::string path = entry.path().string();
    // What the folder says of its entries, which needs no access to them.
    if (!entry.is_symlink(ignored) && entry.is_directory(ignored)) {
      folders_.push_back(std::move(path));
      return;
    }
    const fs::file_status status = entry.status(error);
    if (fs::is_directory(status)) return;
    if (!is_named_as_code(path)) {
      if (fs::is_regular_file(status) && holds_kernels(path)) files_.push_back(std::move(path));
    } else if (fs::is_regular_file(status)) {
      files_.push_back(std::move(path));
    } else if (!fs::exists(status)) {
      if (!error) error = std::make_error_code(std::errc::no_such_file_or_directory);
      refused_.emplace_back(std::move(path), fmt::format("cannot open: {}", error.message()));
    } else {
      refused_.emplace_back(std::move(path), "expected a file, found a pipe or a device");
    }
  }

  std::vector<std::string> folders_;  // still to be listed
  std::vector<std::string> files_;
  std::vector<std::pair<std::string, std::string>> refused_;  // path, why
};

Result<> add_code(const std::string& folder, CodeInFolder code, std::vector<Input>& inputs) {
  if (code.is_empty()) {
    return fail(ErrorKind::unreadable, "no file of code in this folder")
        .at(folder)
        .hint("code is: .cu, .cuh, .cuda, .ptx, .cubin, .fatbin, and any header or C++ file that defines or launches a kernel");
  }
  std::move(code).add_to(inputs, folder);
  return {};
}

Result<> add_folder(Source source, const Format* format, std::vector<Input>& inputs) {
  if (format) {
    inputs.push_back({std::move(source), format, ingest::Match::certain});
    return {};
  }
  const std::string folder = source.path();
  const std::vector<std::string> traces = traces_in(folder);
  CodeInFolder code(folder);
  if (traces.empty() || code.has_files()) return add_code(folder, std::move(code), inputs);
  for (const std::string& path : traces) inputs.push_back({Source::at(path), ingest::format_by_name(path), ingest::Match::no, folder});
  return {};
}

}  // namespace

Input input_of(Source source, const knowledge::MetricCatalogue& metrics) {
  const Result<ingest::Recognised> found = ingest::recognise(source, metrics);
  const ingest::Recognised known = found ? *found : ingest::Recognised{ingest::format_named(source)};
  source.release();
  return {std::move(source), known.format, known.match};
}

Result<std::vector<Input>> inputs_of(std::vector<Source> sources, const knowledge::MetricCatalogue& metrics) {
  std::vector<Input> inputs;
  for (Source& source : sources) {
    Input input = input_of(std::move(source), metrics);
    if (input.source.is_folder()) {
      TRY(add_folder(std::move(input.source), input.format, inputs));
    } else {
      inputs.push_back(std::move(input));
    }
  }
  return inputs;
}

bool all_are(std::span<const Input> inputs, bool (*is)(Kind)) {
  return std::ranges::all_of(inputs, [is](const Input& input) { return is(input.kind()); });
}

}  // namespace frx::analyse
