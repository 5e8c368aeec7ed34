// How the program describes a file format, and the list of all of them.
//
// A format says in one place how it is recognised and what it reads into. Recognition goes by content; the name of a file
// is a hint that decides only where the content does not. A format has one of these:
//
//   recognises, read          by its first bytes; reads a whole source
//   recognises, read_session  the same, for profiles in binary form
//   begins, read_lines        a table or page of a profiler, which may begin after lines of other output
//   recognises, hint          is known and not read; the hint says what to do instead
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/line_reader.h"
#include "ingest/source.h"
#include "knowledge/metrics.h"
#include "model/session.h"

namespace frx::ingest {

// What a source is about: the alternatives of Observation in their order, and what is not read.
enum class Kind : std::uint8_t { profile, trace, run_bundle, ptx, cuda, device_code, compiler_log, rank_summary, other };
// "an Nsight Compute profile", "CUDA source".
std::string_view name_of(Kind kind);
// Code, whether a person or a compiler wrote it.
constexpr bool is_code(Kind kind) { return kind == Kind::ptx || kind == Kind::cuda || kind == Kind::device_code; }

// The input of recognition.
struct Look {
  std::string_view path;  // in the file system, "" elsewhere
  std::string_view head;  // first bytes of the content, unpacked; "" of a folder
  bool is_folder = false;
};

// How certain the content makes it. `likely`: the content fits the format; `certain`: no other format begins like this.
enum class Match : std::uint8_t { no, likely, certain };

// Lines of text, as readers of tables and pages get them.
struct Input {
  std::string name;  // for messages and the report
  LineReader& lines;
  const knowledge::MetricCatalogue& metrics;
  std::function<void(std::uint64_t bytes)> progress;  // called now and then; may be empty
};

struct BinaryInput {
  std::string name;
  ByteSource& bytes;  // from the first byte on
  const knowledge::MetricCatalogue& metrics;
  std::function<void(std::uint64_t bytes)> progress;
};

// The input of readers besides the bytes.
struct ReadOptions {
  const knowledge::MetricCatalogue& metrics;
  std::function<void(std::uint64_t bytes)> progress = {};  // told how many bytes have been read; may be empty
  bool all_arguments = false;                              // of a trace: keep the inputs of every operator, not of products only
  bool kernel_shapes = false;                              // of a trace: keep those of kernels; exports have them always
  bool may_be_idle = false;                                // of an export of Nsight Systems: one in which nothing used CUDA is no error
};

struct Observation;

struct Format {
  std::string_view id;     // "ncu-csv"
  std::string_view title;  // "Nsight Compute CSV"
  Kind kind = Kind::profile;
  std::span<const std::string_view> endings = {};  // of the names of such files, in lower case
  Match (*recognises)(const Look& look) = nullptr;
  // Gives an observation of `kind`.
  Result<Observation> (*read)(Source& source, const ReadOptions& options) = nullptr;
  Result<> (*read_session)(BinaryInput& input, model::Session& into) = nullptr;
  // Does this line begin the format? Lines before it (program output, ==PROF== lines) are skipped.
  bool (*begins)(std::string_view line, const knowledge::MetricCatalogue& metrics) = nullptr;
  // Reads from `first`, the line that begins it, to the end. `first` is valid until the next line is read.
  Result<> (*read_lines)(Input& input, std::string_view first, model::Session& into) = nullptr;
  std::string_view hint = {};  // what to do with files of a format that is not read
};

// The formats, in the order of formats.def.
std::span<const Format* const> formats();

struct Recognised {
  const Format* format = nullptr;  // null when neither content nor name decide
  Match match = Match::no;         // no: by the name alone
};

// Errors: the source cannot be opened or read.
Result<Recognised> recognise(Source& source, const knowledge::MetricCatalogue& metrics);
// By the name alone, as files of a folder are chosen; null when the name says nothing.
const Format* format_by_name(std::string_view name);

// The same for a file; null for a folder, whose name says nothing of what is in it: unet.cu/.
const Format* format_named(const Source& source);

#define FRX_FORMAT(name) extern const Format name##_format;
#include "ingest/formats.def"
#undef FRX_FORMAT

}  // namespace frx::ingest
