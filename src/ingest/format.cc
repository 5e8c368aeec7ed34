#include "ingest/format.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace frx::ingest {
namespace {

constexpr const Format* all[] = {
#define FRX_FORMAT(name) &name##_format,
#include "ingest/formats.def"
#undef FRX_FORMAT
};

constexpr std::string_view kind_names[] = {
    "an Nsight Compute profile", "a trace of a training run", "a run bundle",        "PTX",           "CUDA source",
    "compiled device code",      "a log of a compiler",       "a summary of a rank", "something else"};

bool is_named(const Format& format, std::string_view name) {
  return std::ranges::any_of(format.endings, [&](std::string_view ending) {
    return name.size() > ending.size() && equals_ignoring_case(name.substr(name.size() - ending.size()), ending);
  });
}

// The format with a table or page that begins in one of these lines.
const Format* format_of_lines(std::string_view head, const knowledge::MetricCatalogue& metrics) {
  for (const std::string_view line : split(head, '\n')) {
    for (const Format* format : all) {
      if (format->begins && format->begins(trim(line), metrics)) return format;
    }
  }
  return nullptr;
}

// The most certain one by content; of equal ones the one that the name suggests, then the first.
struct Best {
  const Format* format = nullptr;
  Match match = Match::no;
  bool is_named = false;
};

Best best_by_content(const Look& look, std::string_view name) {
  Best best;
  for (const Format* format : all) {
    const Match match = format->recognises ? format->recognises(look) : Match::no;
    if (match == Match::no || match < best.match) continue;
    const bool named = is_named(*format, name);
    if (match > best.match || (named && !best.is_named)) best = {format, match, named};
  }
  return best;
}

}  // namespace

std::span<const Format* const> formats() { return all; }

std::string_view name_of(Kind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

const Format* format_by_name(std::string_view name) {
  const auto at = std::ranges::find_if(all, [&](const Format* format) { return is_named(*format, name); });
  return at == std::end(all) ? nullptr : *at;
}

const Format* format_named(const Source& source) { return source.is_folder() ? nullptr : format_by_name(source.name()); }

Result<Recognised> recognise(Source& source, const knowledge::MetricCatalogue& metrics) {
  TRY_ASSIGN(const std::string_view head, source.head());
  const Best best = best_by_content({source.path(), head, source.is_folder()}, source.name());
  if (best.match == Match::certain || (best.match == Match::likely && best.is_named)) return Recognised{best.format, best.match};
  // A program that prints tables or names metrics is code all the same.
  const Format* const named = format_named(source);
  const Format* const lines = named && is_code(named->kind) ? nullptr : format_of_lines(head, metrics);
  if (lines) return Recognised{lines, Match::certain};
  if (best.format) return Recognised{best.format, best.match};
  return Recognised{named, Match::no};
}

}  // namespace frx::ingest
