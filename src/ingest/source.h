// The origin of bytes: a file, standard input, a member of an archive, text in memory, or a folder.
//
// Every input of the program is a Source. Its first bytes can be peeked at without consuming them, so that a format is recognised by
// content, and the content is delivered from its first byte, decompressed when it was compressed by gzip or zstd. A source that can be read
// only once (a pipe, standard input) is opened once; a regular file may be closed in between.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "ingest/head_source.h"
#include "ingest/run_bundle/random_access.h"

namespace frx::ingest {

class Source {
 public:
  // The most bytes that head() gives.
  static constexpr std::size_t head_bytes = HeadSource::head_bytes;
  using Open = std::function<Result<std::unique_ptr<ByteSource>>()>;

  // A path as the user gives it; "-" is standard input. Nothing is opened yet. Bytes of standard input that one source peeked at and did
  // not read are delivered to the next one.
  static Source at(std::string path);
  static std::vector<Source> at_each(const std::vector<std::string>& paths);
  // Text in memory, which the source keeps.
  static Source of(std::string name, std::string bytes);
  // A member of a larger file, or bytes that the caller provides; opened at most once at a time.
  static Source of(std::string name, Open open);

  // The same, by another name in messages and reports: an upload that lies in a file of the server.
  Source named(std::string name) &&;

  Source(Source&&) noexcept;
  Source& operator=(Source&&) noexcept;
  ~Source();

  // The name in messages and reports: the path as it was given, "<stdin>", the name of a member.
  const std::string& name() const { return name_; }
  // The path in the file system; "" when there is none.
  const std::string& path() const { return path_; }
  bool is_folder() const { return is_folder_; }
  // Whether it can be opened again from its first byte.
  bool is_repeatable() const { return is_repeatable_; }

  // The first bytes of the content, fewer than head_bytes only when there are no more; "" of a folder. Errors: it cannot be opened or read,
  // or its compressed data is damaged.
  Result<std::string_view> head();
  // The content from its first byte on; the size of compressed content is unknown. A source that is not repeatable allows this once.
  Result<std::unique_ptr<ByteSource>> bytes();
  // All of it; refuses more than `limit` bytes.
  Result<std::string> text(std::uint64_t limit);
  // Random access, for archives, which are read from their end. A source without random access is held in memory, up to `limit` bytes.
  Result<std::shared_ptr<const RandomAccess>> random_access(std::uint64_t limit = std::uint64_t{1} << 30);
  // The same for the content, unpacked: packed content is held in memory, up to `limit` bytes.
  Result<std::shared_ptr<const RandomAccess>> random_access_to_content(std::uint64_t limit);
  // Bytes of the content, 0 when that is not known (packed, a pipe) or it cannot be opened.
  std::uint64_t size_hint();
  // From then on reading fails once `stop` is requested.
  void stop_with(std::stop_token stop) { stop_ = std::move(stop); }
  const std::stop_token& stop_token() const { return stop_; }
  // Closes a regular file after head(), so that thousands of sources do not hold thousands of descriptors.
  void release();

 private:
  Source() = default;
  struct Opened;
  Result<Opened*> opened();

  std::string name_, path_;
  Open open_;
  bool is_folder_ = false;
  bool is_repeatable_ = true;
  bool is_standard_input_ = false;
  std::unique_ptr<Opened> opened_;
  bool was_read_ = false;
  std::stop_token stop_;
};

}  // namespace frx::ingest
