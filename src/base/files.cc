#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/memory_budget.h"
#include "base/output_file.h"

namespace frx {
namespace {

Failure cannot(std::string_view verb, const std::string& path, int error) {
  return fail(ErrorKind::unreadable, "cannot {}: {}", verb, std::strerror(error)).at(path);
}

constexpr std::size_t believed_at_once = std::size_t{16} << 20;

class FileSource : public ByteSource {
 public:
  FileSource(int descriptor, std::string path, std::uint64_t size) : descriptor_(descriptor), path_(std::move(path)), size_(size) {}
  ~FileSource() override { ::close(descriptor_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  Result<std::size_t> read(std::span<char> buffer) override {
    std::size_t done = 0;
    while (done < buffer.size()) {
      const ssize_t got = ::read(descriptor_, buffer.data() + done, buffer.size() - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return cannot("read", path_, errno);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    MemoryBudget::read(done);
    return done;
  }
  std::uint64_t size_hint() const override { return size_; }

 private:
  int descriptor_;
  std::string path_;
  std::uint64_t size_;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes), size_(bytes.size()) {}
  Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t take = std::min(buffer.size(), bytes_.size());
    std::memcpy(buffer.data(), bytes_.data(), take);
    bytes_.remove_prefix(take);
    MemoryBudget::read(take);
    return take;
  }
  std::uint64_t size_hint() const override { return size_; }

 private:
  std::string_view bytes_;
  std::uint64_t size_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const int error = errno;
    Failure failure = cannot("open", path, error);
    return std::move(failure).hint(error == ENOENT ? "is the path right, seen from this directory?" : "");
  }
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) {
    const int error = errno;
    ::close(descriptor);
    return cannot("inspect", path, error);
  }
  if (S_ISDIR(info.st_mode)) {
    ::close(descriptor);
    return fail(ErrorKind::unreadable, "expected a file, found a directory").at(path);
  }
#ifdef POSIX_FADV_SEQUENTIAL
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
  MemoryBudget::opened(path);
  const auto size = S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
  return std::make_unique<FileSource>(descriptor, path, size);
}

std::unique_ptr<ByteSource> open_bytes(std::string_view bytes) { return std::make_unique<MemorySource>(bytes); }

std::unique_ptr<ByteSource> open_standard_input() {
  return std::make_unique<FileSource>(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0), "<stdin>", 0);
}

Result<std::string> read_all(ByteSource& source, const std::string& name, std::uint64_t limit) {
  // What the size of a file claims is believed once a part of it has come: a sparse file claims anything. One byte more than there should
  // be: where nothing comes for it, all of it is there.
  const auto claimed = static_cast<std::size_t>(std::min(source.size_hint(), limit));
  std::string text(std::min(claimed, believed_at_once) + 1, '\0');
  std::size_t used = 0;
  while (true) {
    TRY_ASSIGN(const std::size_t got, source.read(std::span(text.data() + used, text.size() - used)));
    used += got;
    if (used > limit) {
      return fail(ErrorKind::malformed, "expected at most {} MB, found more", limit >> 20).at(name);
    }
    // A short read is not taken for the end: a source that fails says so when it is asked again.
    if (got == 0) break;
    if (used == text.size()) text.resize(std::clamp(claimed + 1, used + std::max<std::size_t>(used, 65536), 8 * used + 65536));
  }
  text.resize(used);
  return text;
}

Result<std::string> read_file(const std::string& path, std::uint64_t limit) {
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(path));
  return read_all(*source, path, limit);
}

Result<> write_file(const std::string& path, std::string_view bytes) {
  TRY_ASSIGN(OutputFile file, OutputFile::create(path));
  TRY(file.write(bytes));
  return file.commit();
}

}  // namespace frx
