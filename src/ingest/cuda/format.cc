// How CUDA source is recognised: by its name, or by the declaration of a kernel. A launch (<<<) alone is not enough: logs and pages of
// documentation have it, too.

#include "ingest/cuda/read_source.h"
#include "ingest/observation.h"

namespace frx::ingest {
namespace {

constexpr std::uint64_t largest_cuda = std::uint64_t{4} << 30;
constexpr std::string_view cuda_endings[] = {".cu", ".cuh", ".cuda"};
constexpr std::string_view qualifier = "__global__", blanks = " \t\r\n";

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// "__global__ void copy(": only words follow the qualifier up to its parenthesis, and there are no quotes.
bool declares_kernel(std::string_view text, std::size_t at) {
  const std::size_t line = text.find_last_of('\n', at) + 1;  // npos + 1 is 0
  if (text.substr(line, at - line).find_first_of("'\"`") != text.npos) return false;
  std::size_t next = at + qualifier.size();
  if (next >= text.size() || blanks.find(text[next]) == blanks.npos) return false;
  std::size_t words = 0;
  while (true) {
    next = text.find_first_not_of(blanks, next);
    if (next == text.npos || !is_word(text[next])) break;
    while (next < text.size() && is_word(text[next])) ++next;
    ++words;
  }
  return words > 0 && next != text.npos && (text[next] == '(' || text[next] == '<' || text[next] == ':' || text[next] == '*');
}

Match recognises_cuda(const Look& look) {
  for (std::size_t at = look.head.find(qualifier); at != look.head.npos; at = look.head.find(qualifier, at + 1)) {
    if (declares_kernel(look.head, at)) return Match::likely;
  }
  return Match::no;
}

Result<Observation> read_cuda(Source& source, const ReadOptions&) {
  TRY_ASSIGN(std::string text, source.text(largest_cuda));
  TRY_ASSIGN(model::cuda::Source syntax, cuda::read_source(source.name(), std::move(text)));
  return Observation{std::move(syntax)};
}

}  // namespace

constinit const Format cuda_format = {
    .id = "cuda",
    .title = "CUDA source",
    .kind = Kind::cuda,
    .endings = cuda_endings,
    .recognises = recognises_cuda,
    .read = read_cuda,
};

}  // namespace frx::ingest
