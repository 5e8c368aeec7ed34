#include "ingest/profile.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "ingest/format.h"
#include "ingest/unpacked_source.h"

namespace frx::ingest {
namespace {

bool looks_binary(std::string_view head) {
  const auto zeros = std::count(head.begin(), head.end(), '\0');
  return zeros > 0;
}

bool is_nvprof_text(std::string_view head) {
  return head.find("NVPROF is profiling") != head.npos || head.find("GPU activities:") != head.npos ||
         head.find("======== Profiling result:") != head.npos;
}

bool is_section_list(std::string_view head) {
  return head.find("Identifier ") != head.npos && head.find("Display Name") != head.npos && head.find(".section") != head.npos;
}

// `ncu --query-metrics` and handmade lists: most lines begin with the name of a counter.
bool is_metric_list(std::string_view head) {
  std::size_t lines = 0, names = 0;
  for (std::string_view line : split(head, '\n')) {
    line = trim(line);
    if (line.empty()) continue;
    ++lines;
    const std::string_view word = line.substr(0, line.find(' '));
    if (word.find("__") != word.npos && word.find_first_of(",\";=()") == word.npos) ++names;
  }
  return names >= 3 && names * 2 > lines;
}

// What the file seems to be instead, so that the message can say which file to give.
std::string guess(std::string_view head) {
  if (head.starts_with("NVQP") || head.starts_with("NVR")) return "a binary report of another kind than Nsight Compute's";
  if (head.starts_with("SQLite format 3")) return "an SQLite database";
  if (head.starts_with("PK\x03\x04")) return "a zip archive";
  if (head.starts_with("\x1F\x8B")) return "gzip data";
  if (head.starts_with("\x7F"
                       "ELF"))
    return "an ELF file";
  if (looks_binary(head)) return "binary data";
  const std::string_view start = trim(head);
  if (start.starts_with("{") || start.starts_with("[{")) return "JSON";
  if (start.find(".version") != start.npos && start.find(".target") != start.npos) return "PTX";
  if (is_section_list(head)) return "a list of sections (ncu --list-sections)";
  if (is_metric_list(head)) return "a list of metrics";
  return {};
}

// "==4711== Error: ..." of nvprof, "======== Error: ..." before it knows the process.
std::string_view nvprof_message(std::string_view line, std::string_view kind) {
  const std::size_t end = line.find_first_not_of("=0123456789");
  if (!line.starts_with("==") || end == line.npos || line[end - 1] != '=') return {};
  line = trim(line.substr(end));
  return line.starts_with(kind) ? trim(line.substr(kind.size())) : std::string_view();
}

struct ToolError {
  std::string_view tool;
  std::string text;
};

std::optional<ToolError> first_error(std::string_view head) {
  for (const std::string_view line : split(head, '\n')) {
    if (line.starts_with("==ERROR==")) return ToolError{"Nsight Compute", printable(trim(line.substr(9)))};
    const std::string_view nvprof = nvprof_message(line, "Error:");
    if (!nvprof.empty()) return ToolError{"nvprof", printable(nvprof)};
  }
  return std::nullopt;
}

Failure unrecognised(const std::string& name, std::string_view head) {
  constexpr std::string_view hint =
      "make one with: ncu --set full -o report ./your_app   (writes report.ncu-rep; CSV: ncu --csv --page raw --log-file report.csv "
      "./your_app)";
  if (trim(head).empty()) {
    return fail(ErrorKind::malformed, "expected an Nsight Compute profile, found an empty file").at(name).hint(std::string(hint));
  }
  if (is_lfs_pointer(head)) {
    return fail(ErrorKind::malformed, "expected a profile, found a git-lfs pointer to it")
        .at(name)
        .hint("fetch the file itself: git lfs pull");
  }
  if (const std::optional<ToolError> error = first_error(head)) {
    return fail(ErrorKind::malformed, "no profile in it: {} said '{}'", error->tool, shorten(error->text, 160))
        .at(name)
        .hint("the profiled run failed; mend that and profile again");
  }
  if (head.find("==PROF==") != head.npos) {
    return fail(ErrorKind::malformed, "no metrics in it: only the tool's progress lines")
        .at(name)
        .hint("the report went elsewhere (look for '==PROF== Report:'); " + std::string(hint));
  }
  if (is_nvprof_text(head)) {
    return fail(ErrorKind::malformed, "expected kernels, found output of nvprof without a table")
        .at(name)
        .hint("collect kernels with: nvprof --csv --metrics all --log-file metrics.csv ./your_app");
  }
  const std::string other = guess(head);
  return fail(ErrorKind::malformed, "expected an Nsight Compute profile (.ncu-rep, CSV or text), found {}",
              other.empty() ? "no metric table" : other)
      .at(name)
      .hint(std::string(hint));
}

// Finds the line at which a text format begins and reads from there.
Result<> read_text(const std::string& name, ByteSource& source, const knowledge::MetricCatalogue& metrics,
                   const std::function<void(std::uint64_t)>& progress, model::Session& session) {
  LineReader lines(source);
  TRY_ASSIGN(const std::string_view head, lines.head());
  const std::string start(head);
  if (looks_binary(start)) return unrecognised(name, start);
  Input input{name, lines, metrics, progress};
  std::string_view line;
  while (true) {
    TRY_ASSIGN(const bool more, lines.next(line));
    if (!more) return unrecognised(name, start);
    if (take_tool_line(line, session)) continue;
    const auto chosen =
        std::ranges::find_if(formats(), [&](const Format* format) { return format->begins && format->begins(line, metrics); });
    if (chosen == formats().end()) continue;
    session.format = (*chosen)->title;
    TRY((*chosen)->read_lines(input, line, session));
    session.lines = lines.line_number();
    return {};
  }
}

Result<> read(const std::string& name, ByteSource& source, const knowledge::MetricCatalogue& metrics,
              const std::function<void(std::uint64_t)>& progress, model::Session& session) {
  UnpackedSource bytes(source);
  TRY_ASSIGN(const std::string_view head, bytes.head());
  const auto binary = std::ranges::find_if(formats(), [&](const Format* format) {
    return format->read_session && format->recognises({"", head, false}) != Match::no;
  });
  if (binary == formats().end()) return read_text(name, bytes, metrics, progress, session);
  session.format = (*binary)->title;
  BinaryInput input{name, bytes, metrics, progress};
  return (*binary)->read_session(input, session);
}

}  // namespace

bool is_lfs_pointer(std::string_view head) { return head.starts_with("version https://git-lfs"); }

bool take_tool_line(std::string_view line, model::Session& session) {
  if (!line.starts_with("==")) return false;
  constexpr std::size_t max_messages = 20;
  const bool matters = line.starts_with("==ERROR==") || line.starts_with("==WARNING==") || !nvprof_message(line, "Error:").empty() ||
                       !nvprof_message(line, "Warning:").empty();
  if (matters && session.tool_messages.size() < max_messages) {
    session.tool_messages.push_back(shorten(printable(trim(line)), 300));
  }
  return true;
}

Result<model::Session> read_profile(std::string name, ByteSource& source, const knowledge::MetricCatalogue& metrics,
                                    const std::function<void(std::uint64_t)>& progress, Keep keep) {
  model::Session session;
  if (keep == Keep::every_launch) session.each = std::make_shared<model::MeasuredLaunches>();
  if (keep == Keep::every_counter) session.others = std::make_shared<model::OtherCounters>();
  session.source = name;
  if (Result<> done = read(name, source, metrics, progress, session); !done) {
    Error error = std::move(done).error();
    if (error.where.empty()) error.where = name;
    return Failure{std::move(error)};
  }
  if (session.launches == 0) {
    const bool is_table = session.places == model::Places::lines;
    return fail(ErrorKind::malformed, "expected kernel launches {}, found none", is_table ? "after the header" : "in the report")
        .at(name)
        .hint(is_table ? "was the export cut off? the table has a header and no rows"
                       : "no kernel was profiled: do the filters of the run (--kernel-name, --launch-skip ...) match one?");
  }
  return session;
}

}  // namespace frx::ingest
