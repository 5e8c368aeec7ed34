// One answer, whatever way the bytes come: from memory, compressed by gzip or zstd, from a file. Files of one program, which stand behind
// each other with a byte 0x1E between them, are answered by one core as by all of them.
#include <sched.h>
#include <zstd.h>

#include <optional>
#include <vector>

#include "analyse/answer.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "fuzz/input.h"
#include "render/render.h"
#include "support/deflate.h"

namespace {

using frx::fuzz::require;
using frx::fuzz::require_same;
using frx::ingest::Source;

constexpr std::size_t most_bytes = 1 << 17;

// Knows all that frx knows, which takes long to load; what it answered is kept until it is made anew.
frx::analyse::Context& context() {
  static std::optional<frx::analyse::Context> one;
  static int uses = 0;
  if (uses++ % 100 == 0) one.emplace(frx::analyse::Options());
  return *one;
}

std::string answer_to(std::vector<Source> sources) {
  const auto analysis = frx::analyse::analyse(std::move(sources), context());
  // Where a damaged file breaks off is told in other words when it cannot be read from its end.
  if (!analysis) return fmt::format("no answer, exit code {}", frx::exit_code(analysis.error().kind));
  const frx::answer::Answer answer = frx::analyse::answer_of(*analysis);
  std::string text;
  require(frx::render::render(answer, "json", {80, false, frx::answer::Detail::full}, [&](std::string_view part) {
            text += part;
          }).has_value());
  return text;
}

std::string answer_to(Source source) {
  std::vector<Source> one;
  one.push_back(std::move(source));
  return answer_to(std::move(one));
}

std::string by_zstd(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  return packed;
}

void use_cores(int count) {
  static const cpu_set_t all = [] {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    return set;
  }();
  cpu_set_t some = all;
  for (int i = 0, left = count; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &some) && --left < 0) CPU_CLR(i, &some);
  }
  sched_setaffinity(0, sizeof some, &some);
}

std::vector<Source> files_of(std::string_view text) {
  std::vector<Source> files;
  for (const std::string_view part : frx::split(text, '\x1E'))
    files.push_back(Source::of(fmt::format("part{}.cu", files.size()), std::string(part)));
  return files;
}

void check_one_file(std::string_view text) {
  static const frx::TemporaryDirectory folder = frx::TemporaryDirectory::make("/dev/shm").value();
  const std::string path = folder.path() + "/input", bytes(text);
  const std::string expected = answer_to(Source::of(path, bytes));
  if (!frx::write_file(path, bytes)) return;
  require_same(answer_to(Source::at(path)), expected);
  // Archives are read from their end, which compressed data has none of; bytes that are compressed are unpacked once.
  if (text.starts_with("PK") || text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd")) return;
  require_same(answer_to(Source::of(path, frx::testing::deflated(text, frx::testing::as_gzip, 1))), expected);
  require_same(answer_to(Source::of(path, by_zstd(text))), expected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  if (size == 0 || size > most_bytes) return 0;
  if (input.text().find('\x1E') == std::string_view::npos) {
    check_one_file(input.text());
    return 0;
  }
  use_cores(CPU_SETSIZE);
  const std::string expected = answer_to(files_of(input.text()));
  use_cores(1);
  require_same(answer_to(files_of(input.text())), expected);
  use_cores(CPU_SETSIZE);
  return 0;
}
