#include "derive/trace/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "derive/trace/judged_names.h"

namespace frx::derive::trace {
namespace {

using model::EventKind;
using model::Timeline;

constexpr std::string_view prefix = "nn.Module: ";

std::vector<std::uint32_t> modules_of_kind(const Timeline& timeline, EventKind kind) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] == kind && is_module_range(timeline.name_of(row))) rows.push_back(row);
  }
  return rows;
}

}  // namespace

bool is_module_range(std::string_view range) { return range.starts_with(prefix); }

std::string_view module_name(std::string_view range) { return is_module_range(range) ? range.substr(prefix.size()) : std::string_view(); }

std::string module_range(std::string_view name) { return std::string(prefix).append(name); }

ModuleRanges module_ranges(const Timeline& timeline, std::span<const OperatorKernel> kernels) {
  ModuleRanges modules;
  modules.rows = modules_of_kind(timeline, EventKind::annotation);
  if (modules.rows.empty()) modules.rows = modules_of_kind(timeline, EventKind::python);
  if (modules.rows.empty()) return modules;
  std::ranges::sort(modules.rows, {}, [&](std::uint32_t row) { return std::pair(timeline.track[row], timeline.start[row]); });
  modules.around = enclosing_ranges(timeline, modules.rows);
  modules.of_kernel.resize(kernels.size(), none);
  const auto look_around = [&](std::uint32_t OperatorKernel::*place) {
    std::vector<std::uint32_t> places, of_place;
    for (std::uint32_t i = 0; i < kernels.size(); ++i) {
      if (modules.of_kernel[i] != none || kernels[i].*place == none) continue;
      places.push_back(kernels[i].*place);
      of_place.push_back(i);
    }
    const std::vector<std::uint32_t> found = innermost_around(timeline, modules.rows, places);
    for (std::size_t i = 0; i < found.size(); ++i) modules.of_kernel[of_place[i]] = found[i];
  };
  look_around(&OperatorKernel::place);
  look_around(&OperatorKernel::forward);
  return modules;
}

namespace {

constexpr std::string_view python_file = ".py";

// "model.py", and what notebooks call their cells: "<ipython-input-3-4f2a>".
bool is_python_file(std::string_view file) {
  return file.ends_with(python_file) || (file.starts_with("<ipython-input") && file.ends_with('>'));
}

// "model.py:47", as PyTorch writes the place of a call.
ProgramLine read_call(std::string_view call) {
  const std::size_t colon = call.rfind(':');
  ProgramLine line{.file = call.substr(0, colon), .is_of_call = true};
  if (colon == call.npos || !is_python_file(line.file)) return {};
  const char* const end = call.data() + call.size();
  const auto [behind, error] = std::from_chars(call.data() + colon + 1, end, line.line);
  return error == std::errc() && behind == end ? line : ProgramLine{};
}

// "model.py(42): forward".
ProgramLine read_function(std::string_view function) {
  const std::size_t close = function.find("): "), open = close == function.npos ? close : function.rfind('(', close);
  if (open == function.npos || !is_python_file(function.substr(0, open))) return {};
  ProgramLine line{.file = function.substr(0, open), .function = function.substr(close + 3)};
  std::from_chars(function.data() + open + 1, function.data() + close, line.line);
  return line;
}

// Behind the folder of installed packages, the last one where there are several; "": the file is of no package.
std::string_view in_packages(std::string_view file) {
  std::string_view inside;
  for (const std::string_view folder : {"site-packages/", "dist-packages/"}) {
    const std::size_t at = file.rfind(folder);
    if (at == file.npos) continue;
    const std::string_view behind = file.substr(at + folder.size());
    if (inside.empty() || behind.size() < inside.size()) inside = behind;
  }
  return inside;
}

// Of PyTorch, installed or a checkout ("/opt/pytorch/torch/nn/functional.py"). The program may have a folder called torch.
bool is_in_torch(std::string_view file) {
  constexpr std::string_view folder = "/torch/";
  constexpr std::array<std::string_view, 45> parts = {"_",
                                                      "accelerator/",
                                                      "amp/",
                                                      "ao/",
                                                      "autograd/",
                                                      "backends/",
                                                      "compiler/",
                                                      "contrib/",
                                                      "cpu/",
                                                      "cuda/",
                                                      "distributed/",
                                                      "distributions/",
                                                      "export/",
                                                      "fft/",
                                                      "func/",
                                                      "functional.py",
                                                      "futures/",
                                                      "fx/",
                                                      "hub.py",
                                                      "jit/",
                                                      "library.py",
                                                      "linalg/",
                                                      "masked/",
                                                      "mps/",
                                                      "mtia/",
                                                      "multiprocessing/",
                                                      "nativert/",
                                                      "nested/",
                                                      "nn/",
                                                      "onnx/",
                                                      "optim/",
                                                      "overrides.py",
                                                      "package/",
                                                      "profiler/",
                                                      "quantization/",
                                                      "random.py",
                                                      "serialization.py",
                                                      "signal/",
                                                      "sparse/",
                                                      "special/",
                                                      "storage.py",
                                                      "testing/",
                                                      "utils/",
                                                      "version.py",
                                                      "xpu/"};
  if (file.starts_with("torch/") || file.starts_with("torch\\")) return true;
  if (const std::string_view inside = in_packages(file); !inside.empty()) return inside.starts_with("torch/");
  for (std::size_t at = file.find(folder); at != file.npos; at = file.find(folder, at + 1)) {
    const std::string_view inside = file.substr(at + folder.size());
    if (std::ranges::any_of(parts, [&](std::string_view part) { return inside.starts_with(part); })) return true;
  }
  return false;
}

// Of Python's own library: by its folder, or, where the profiler cut that off, files of it that call what they are given.
bool is_in_python(std::string_view file) {
  constexpr std::array<std::string_view, 11> callers = {"bdb.py",   "contextlib.py", "copy.py",    "functools.py", "inspect.py", "queue.py",
                                                        "runpy.py", "threading.py",  "weakref.py", "cProfile.py",  "pdb.py"};
  constexpr std::array<std::string_view, 5> folders = {"asyncio/", "concurrent/", "importlib/", "multiprocessing/", "unittest/"};
  if (file.starts_with("<frozen") || (file.find("lib/python") != file.npos && in_packages(file).empty())) return true;
  return std::ranges::find(callers, file) != callers.end() ||
         std::ranges::any_of(folders, [&](std::string_view folder) { return file.starts_with(folder); });
}

std::vector<std::uint32_t> program_functions(const Timeline& timeline, const ProgramFiles& files) {
  JudgedNames names(timeline, [&](std::string_view function) { return is_program_function(function, files); });
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < timeline.size(); ++row) {
    if (timeline.kind[row] == EventKind::python && names.holds_for(row)) rows.push_back(row);
  }
  return rows;
}

std::vector<model::PythonCall> calls_by_program(const Timeline& timeline, const ProgramFiles& files) {
  JudgedNames names(timeline, [&](std::string_view from) {
    const ProgramLine line = read_call(from);
    return line.line != 0 && files.holds(line.file);
  });
  std::vector<model::PythonCall> calls;
  for (const model::PythonCall& call : timeline.python_calls) {
    if (names.holds(call.from)) calls.push_back(call);
  }
  return calls;
}

}  // namespace

bool ProgramFiles::holds(std::string_view file) const { return !is_in_torch(file) && !is_in_python(file) && file.find(only) != file.npos; }

bool is_program_function(std::string_view function, const ProgramFiles& files) {
  const ProgramLine line = read_function(function);
  return !line.file.empty() && files.holds(line.file);
}

std::vector<ProgramPlace> program_places(const Timeline& timeline, const std::vector<std::uint32_t>& queries, const ProgramFiles& files) {
  const std::vector<std::uint32_t> functions = program_functions(timeline, files);
  const std::vector<model::PythonCall> calls = calls_by_program(timeline, files);
  if (functions.empty() && calls.empty()) return {};
  std::vector<ProgramPlace> places(queries.size());
  const auto name_or_none = [&](std::uint32_t row) { return row == none ? none : timeline.name[row]; };
  const std::vector<std::uint32_t> around = innermost_around(timeline, functions, queries);
  for (std::size_t i = 0; i < places.size(); ++i) places[i].function = name_or_none(around[i]);
  if (calls.empty()) return places;

  // The innermost of both kinds: where it is a function that the program called, it tells the line; a function of the program hides the
  // line at which it was called itself.
  std::vector<std::uint32_t> both = functions;
  for (const model::PythonCall& call : calls) both.push_back(call.event);
  std::ranges::sort(both);
  const auto twins = std::ranges::unique(both);
  both.erase(twins.begin(), twins.end());
  const std::vector<std::uint32_t> innermost = innermost_around(timeline, both, queries);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (innermost[i] == none || innermost[i] == around[i]) continue;
    const std::uint32_t from = std::ranges::lower_bound(calls, innermost[i], {}, &model::PythonCall::event)->from;
    const std::uint32_t function = places[i].function;
    // The caller was not recorded: what is around it stands elsewhere.
    const bool is_another = function != none && read_function(timeline.names[function]).file != read_call(timeline.names[from]).file;
    places[i] = {is_another ? none : function, from};
  }
  return places;
}

ProgramLine program_line(const Timeline& timeline, const ProgramPlace& place) {
  const ProgramLine function = place.function == none ? ProgramLine{} : read_function(timeline.names[place.function]);
  if (place.call == none) return function;
  ProgramLine call = read_call(timeline.names[place.call]);
  call.function = function.function;
  return call;
}

std::string ProgramLine::text() const {
  if (!is_of_call) return fmt::format("{}({}){}{}", file, line, function.empty() ? "" : ": ", function);
  return fmt::format("{}:{}{}{}", file, line, function.empty() ? "" : " in ", function);
}

}  // namespace frx::derive::trace
