#include "ingest/source.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <new>

#include "base/memory_budget.h"
#include "ingest/unpacked_source.h"

namespace frx::ingest {

namespace fs = std::filesystem;

// The raw bytes, their decompressor, and the first bytes of the content.
struct Source::Opened : ByteSource {
  Opened(std::string_view its_name, std::unique_ptr<ByteSource> bytes, std::stop_token token)
      : name(its_name), raw(std::move(bytes)), content(*raw), stop(std::move(token)) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    if (stop.stop_requested()) return fail(ErrorKind::stopped, "the analysis was stopped");
    Result<std::size_t> got = content.read(buffer);
    if (!got && got.error().where.empty()) return Failure{std::move(got).error()}.at(name);
    return got;
  }
  std::uint64_t size_hint() const override { return content.size_hint(); }

  std::string name;  // for messages
  std::unique_ptr<ByteSource> raw;
  UnpackedSource content;
  std::string_view head;  // a view of content
  std::stop_token stop;
};

namespace {

// Bytes that own the text they are read from.
class TextBytes : public ByteSource {
 public:
  explicit TextBytes(std::shared_ptr<const std::string> text) : text_(std::move(text)), bytes_(open_bytes(*text_)) {}
  Result<std::size_t> read(std::span<char> buffer) override { return bytes_->read(buffer); }
  std::uint64_t size_hint() const override { return bytes_->size_hint(); }

 private:
  std::shared_ptr<const std::string> text_;
  std::unique_ptr<ByteSource> bytes_;
};

// Standard input after its first bytes were peeked at and before any was read.
struct LookedAt {
  std::mutex mutex;
  std::unique_ptr<ByteSource> opened;
};

LookedAt& looked_at() {
  static LookedAt one;
  return one;
}

}  // namespace

Source::Source(Source&&) noexcept = default;

Source& Source::operator=(Source&& other) noexcept {
  if (this != &other) {
    this->~Source();
    new (this) Source(std::move(other));
  }
  return *this;
}

Source::~Source() {
  if (!is_standard_input_ || !opened_) return;
  const std::scoped_lock lock(looked_at().mutex);
  looked_at().opened = std::move(opened_);
}

Source Source::at(std::string path) {
  Source source;
  if (path == "-") {
    source.name_ = "<stdin>";
    source.is_repeatable_ = false;
    source.is_standard_input_ = true;
    source.open_ = []() -> Result<std::unique_ptr<ByteSource>> { return open_standard_input(); };
    return source;
  }
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  source.is_folder_ = fs::is_directory(status);
  source.is_repeatable_ = !fs::exists(status) || fs::is_regular_file(status) || source.is_folder_;
  source.name_ = path;
  source.path_ = path;
  source.open_ = [path = std::move(path)] { return open_file(path); };
  return source;
}

std::vector<Source> Source::at_each(const std::vector<std::string>& paths) {
  std::vector<Source> sources;
  sources.reserve(paths.size());
  for (const std::string& path : paths) sources.push_back(at(path));
  return sources;
}

Source Source::of(std::string name, std::string bytes) {
  auto text = std::make_shared<const std::string>(std::move(bytes));
  return of(std::move(name), [text]() -> Result<std::unique_ptr<ByteSource>> { return std::make_unique<TextBytes>(text); });
}

Source Source::of(std::string name, Open open) {
  Source source;
  source.name_ = std::move(name);
  source.open_ = std::move(open);
  return source;
}

Source Source::named(std::string name) && {
  name_ = std::move(name);
  return std::move(*this);
}

Result<Source::Opened*> Source::opened() {
  if (opened_) return opened_.get();
  if (was_read_ && !is_repeatable_) return fail(ErrorKind::unreadable, "this input can be read only once, and it has been read").at(name_);
  if (is_standard_input_) {
    const std::scoped_lock lock(looked_at().mutex);
    opened_.reset(static_cast<Opened*>(looked_at().opened.release()));
    if (opened_) return opened_.get();
  }
  MemoryBudget::opened(name_);
  TRY_ASSIGN(std::unique_ptr<ByteSource> raw, open_());
  auto fresh = std::make_unique<Opened>(name_, std::move(raw), stop_);
  Result<std::string_view> head = fresh->content.head();
  if (!head && head.error().where.empty()) return Failure{std::move(head).error()}.at(name_);
  if (!head) return Failure{std::move(head).error()};
  fresh->head = *head;
  opened_ = std::move(fresh);
  return opened_.get();
}

Result<std::string_view> Source::head() {
  if (is_folder_) return std::string_view();
  TRY_ASSIGN(const Opened* at, opened());
  return at->head;
}

Result<std::unique_ptr<ByteSource>> Source::bytes() {
  TRY(opened());
  was_read_ = true;
  return std::unique_ptr<ByteSource>(std::move(opened_));
}

Result<std::string> Source::text(std::uint64_t limit) {
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, bytes());
  return read_all(*source, name_, limit);
}

Result<std::shared_ptr<const RandomAccess>> Source::random_access(std::uint64_t limit) {
  if (is_repeatable_ && !path_.empty()) {
    release();
    return open_random_access(path_);
  }
  TRY_ASSIGN(std::string all, text(limit));
  return random_access_holding(std::move(all));
}

Result<std::shared_ptr<const RandomAccess>> Source::random_access_to_content(std::uint64_t limit) {
  if (is_repeatable_ && !path_.empty()) {
    TRY_ASSIGN(const std::string_view content, head());
    TRY_ASSIGN(std::shared_ptr<const RandomAccess> raw, open_random_access(path_));
    std::string first(std::min<std::uint64_t>(content.size(), raw->size()), '\0');
    TRY(raw->read_at(0, first));
    if (first == content) {
      release();
      return raw;
    }
  }
  TRY_ASSIGN(std::string all, text(limit));
  return random_access_holding(std::move(all));
}

std::uint64_t Source::size_hint() {
  const Result<Opened*> at = opened();
  return at ? (*at)->size_hint() : 0;
}

void Source::release() {
  if (is_repeatable_) opened_.reset();
}

}  // namespace frx::ingest
