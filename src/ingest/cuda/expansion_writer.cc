#include "ingest/cuda/expansion_writer.h"

namespace frx::ingest::cuda {

using model::cuda::Origin;

namespace {

constexpr std::size_t longest_gap = 200;  // between tokens of the file, that is kept as it is

}  // namespace

void ExpansionWriter::replace(std::uint32_t begin, std::uint32_t end, const MacroTokens& made) {
  copy_file_until(begin);
  write(made, {begin, end});
  copied_ = end;
  has_changes_ = true;
}

ExpandedText ExpansionWriter::finish() && {
  copy_file_until(static_cast<std::uint32_t>(text_.size()));
  return std::move(out_);
}

void ExpansionWriter::copy_file_until(std::uint32_t end) {
  if (end == copied_) return;
  separate(text_[copied_], {});
  add_origin({size(), copied_, 0});
  out_.text += text_.substr(copied_, end - copied_);
  copied_ = end;
}

void ExpansionWriter::add_origin(Origin origin) {
  if (!out_.origins.empty()) {
    const Origin& last = out_.origins.back();
    const bool goes_on = origin.file_end != 0 ? last.file_begin == origin.file_begin && last.file_end == origin.file_end
                                              : last.file_end == 0 && last.file_begin + (origin.begin - last.begin) == origin.file_begin;
    if (goes_on) return;
  }
  out_.origins.push_back(origin);
}

// Two tokens that would become one are kept apart.
void ExpansionWriter::separate(char next, FileRange range) {
  if (out_.text.empty()) return;
  const char last = out_.text.back();
  const bool are_words = is_word_character(last) && is_word_character(next);
  const bool are_marks = last == next && std::string_view("+-&|<>").find(last) != std::string_view::npos;
  if (are_words || are_marks) add_blank(range);
}

void ExpansionWriter::add_blank(FileRange range) {
  if (range.begin != nowhere) add_origin({size(), range.begin, range.end});
  out_.text += ' ';
}

void ExpansionWriter::write(const MacroTokens& made, FileRange whole) {
  const char* behind = nullptr;  // the token before, where it is in memory
  std::uint32_t file_behind = nowhere;
  for (const MacroToken& token : made) {
    const bool is_of_file = token.file != nowhere;
    if (is_of_file && token.before == file_behind && token.file - file_behind <= longest_gap) {
      out_.text += text_.substr(file_behind, token.file - file_behind);
    } else if (token.is_spaced) {
      add_blank(whole);
    } else if (token.spelling.data() != behind) {
      separate(token.spelling.front(), whole);
    }
    const FileRange range = token.invocation.begin == nowhere ? whole : token.invocation;
    add_origin(is_of_file ? Origin{size(), token.file, 0} : Origin{size(), range.begin, range.end});
    out_.text += token.spelling;
    behind = token.spelling.data() + token.spelling.size();
    file_behind = is_of_file ? token.file + static_cast<std::uint32_t>(token.spelling.size()) : nowhere;
  }
}

}  // namespace frx::ingest::cuda
