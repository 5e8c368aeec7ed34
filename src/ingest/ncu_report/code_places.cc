#include "ingest/ncu_report/code_places.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "base/text.h"

namespace frx::ingest::nsight {
namespace {

using model::CodeInstruction;
using model::CodePlace;
using model::CodeProfile;

// What is kept until the end of the report: about 48 MB at most, real reports need less than one.
constexpr std::size_t max_rows = 1'500'000;
constexpr std::size_t max_text_bytes = std::size_t{16} << 20;
constexpr std::size_t max_named_functions = 100'000;
constexpr std::size_t max_references = 10'000;
constexpr std::size_t max_path = 1000, max_line = 300, max_name = 4096;

// Adds the places of one profile, each once.
class PlaceList {
 public:
  explicit PlaceList(CodeProfile& profile) : profile_(profile) {}

  std::uint32_t place(std::string_view file, std::uint32_t line, std::uint32_t called_from, std::string_view text) {
    const auto [known, is_new] =
        places_.try_emplace({this->file(file), line, called_from}, static_cast<std::uint32_t>(profile_.places.size()));
    if (is_new) {
      profile_.places.push_back({std::get<0>(known->first), line, called_from, shorten(printable(trim(text)), max_line)});
    }
    return known->second;
  }

 private:
  std::uint32_t file(std::string_view path) {
    const auto [known, is_new] = files_.try_emplace(std::string(path), static_cast<std::uint32_t>(profile_.files.size()));
    if (is_new) profile_.files.push_back(shorten(printable(path), max_path));
    return known->second;
  }

  CodeProfile& profile_;
  std::map<std::string, std::uint32_t> files_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> places_;
};

// The limit of nested inlined calls; compilers stop long before 100.
constexpr std::size_t max_inlined = 100;

bool too_deep(const cubin::LineTable& lines) {
  std::vector<std::size_t> depth;
  depth.reserve(lines.calls.size());
  for (const cubin::LineTable::Call& call : lines.calls) {
    depth.push_back(call.call == cubin::LineTable::none ? 1 : depth[call.call] + 1);
    if (depth.back() > max_inlined) return true;
  }
  return false;
}

}  // namespace

std::string_view CodePlaces::Text::line(std::uint32_t number) const {
  if (number == 0 || number > lines.size()) return {};
  const std::size_t begin = lines[number - 1];
  return std::string_view(text).substr(begin, text.find('\n', begin) - begin);
}

void CodePlaces::take(const SourceData& source) {
  if (binaries_.size() >= max_references && !binaries_.contains(source.reference)) return;
  Binary& binary = binaries_[source.reference];
  for (const SourceData::Function& function : source.functions) {
    if (functions_ >= max_named_functions) break;
    functions_ += binary.functions.try_emplace(function.address, function.mangled.substr(0, max_name)).second;
  }
  if (source.cubin.empty()) return;
  const std::size_t fingerprint = std::hash<std::string_view>{}(source.cubin);
  if (binary.has_cubin) {
    binary.ambiguous |= binary.fingerprint != fingerprint;
    return;
  }
  binary.has_cubin = true;
  binary.fingerprint = fingerprint;
  read_lines(source.cubin, binary);
  if (!binary.lines.functions.empty()) keep_texts(source.files, binary);
}

void CodePlaces::read_lines(std::string_view cubin, Binary& into) {
  if (!cubin::has_line_info(cubin)) return;
  if (rows_ >= max_rows) {
    ++passed_over_;
    return;
  }
  Result<cubin::LineTable> lines = cubin::read_line_table(cubin);
  if (lines && too_deep(*lines)) lines = fail(ErrorKind::malformed, "expected code inlined less than {} levels deep", max_inlined);
  if (!lines) {
    if (damaged_++ == 0) why_damaged_ = lines.error().message;
    return;
  }
  std::size_t rows = lines->calls.size();
  for (const auto& [function, of_function] : lines->functions) rows += of_function.size();
  if (rows_ + rows > max_rows) {
    ++passed_over_;
    return;
  }
  rows_ += rows;
  into.lines = std::move(*lines);
}

void CodePlaces::keep_texts(const std::vector<SourceData::File>& files, Binary& into) {
  for (const SourceData::File& file : files) {
    if (text_bytes_ + file.text.size() > max_text_bytes) return;
    const auto [kept, is_new] = into.texts.try_emplace(std::string(file.path));
    if (!is_new) continue;
    text_bytes_ += file.text.size();
    Text& text = kept->second;
    text.text = file.text;
    for (std::size_t begin = 0; begin < text.text.size(); begin = text.text.find('\n', begin) + 1) {
      text.lines.push_back(static_cast<std::uint32_t>(begin));
      if (text.text.find('\n', begin) == text.text.npos) break;
    }
  }
}

void CodePlaces::resolve(CodeCounters::Code& code) const {
  const auto found = binaries_.find(code.source);
  if (found == binaries_.end() || found->second.ambiguous) return;
  const Binary& binary = found->second;
  CodeProfile& profile = code.profile;
  for (std::size_t i = 0; i < profile.functions.size(); ++i) {
    const auto name = binary.functions.find(code.begins[i]);
    if (profile.functions[i].empty() && name != binary.functions.end()) profile.functions[i] = name->second;
  }
  PlaceList places(profile);
  for (CodeInstruction& instruction : profile.instructions) {
    const auto stack = binary.lines.call_stack(profile.functions[instruction.function], instruction.offset);
    std::uint32_t place = CodePlace{}.called_from;
    for (auto caller = stack.rbegin(); caller != stack.rend(); ++caller) {
      const auto text = binary.texts.find(caller->file);
      place = places.place(caller->file, caller->line, place,
                           text == binary.texts.end() ? std::string_view() : text->second.line(caller->line));
    }
    instruction.place = place;
  }
}

}  // namespace frx::ingest::nsight
