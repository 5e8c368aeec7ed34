#include "analyse/inputs.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"

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

// Other JSON than traces may lie beside them. What the profiler calls by its own ending is not looked into.
bool is_profiler_trace(const std::string& path) {
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

// Files of code in a folder and below it, by name; all of them, or the first one.
Result<std::vector<std::string>> code_in(const std::string& folder, bool only_first) {
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored) || !is_named_as_code(at->path().string())) continue;
    found.push_back(at->path().string());
    if (only_first) return found;
  }
  if (error) return fail(ErrorKind::unreadable, "cannot read the folder: {}", error.message()).at(folder);
  std::ranges::sort(found);
  return found;
}

Result<> add_code(const std::string& folder, std::vector<Input>& inputs) {
  TRY_ASSIGN(const std::vector<std::string> paths, code_in(folder, false));
  if (paths.empty()) {
    return fail(ErrorKind::unreadable, "no file of code in this folder")
        .at(folder)
        .hint("code is: .cu, .cuh, .cuda, .ptx, .cubin, .fatbin");
  }
  // Thousands of files are not opened before their turn: the name says enough.
  for (const std::string& path : paths) inputs.push_back({Source::at(path), ingest::format_by_name(path), ingest::Match::no, folder});
  return {};
}

Result<> add_folder(Source source, const Format* format, std::vector<Input>& inputs) {
  if (format) {
    inputs.push_back({std::move(source), format, ingest::Match::certain});
    return {};
  }
  const std::string folder = source.path();
  const std::vector<std::string> traces = traces_in(folder);
  const Result<std::vector<std::string>> code = traces.empty() ? std::vector<std::string>() : code_in(folder, true);
  if (traces.empty() || (code && !code->empty())) return add_code(folder, inputs);
  for (const std::string& path : traces) inputs.push_back({Source::at(path), ingest::format_by_name(path), ingest::Match::no, folder});
  return {};
}

}  // namespace

Input input_of(Source source, const knowledge::MetricCatalogue& metrics) {
  const Result<ingest::Recognised> found = ingest::recognise(source, metrics);
  const ingest::Recognised known = found ? *found : ingest::Recognised{ingest::format_by_name(source.name())};
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
