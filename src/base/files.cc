#include "base/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/large_pages.h"
#include "base/memory_budget.h"
#include "base/output_file.h"

namespace frx {
namespace {

Failure cannot(std::string_view verb, const std::string& path, int error) {
  return fail(ErrorKind::unreadable, "cannot {}: {}", verb, std::strerror(error)).at(path);
}

constexpr std::size_t believed_at_once = std::size_t{16} << 20;

// A file with holes is a compressed one: its zeros are not stored. The limit is that of other compression (ingest/unpack_limits.h), beyond
// what file systems do of their own accord.
constexpr std::uint64_t freely_sparse = std::uint64_t{1} << 20;
constexpr std::uint64_t largest_sparseness = 200;

bool is_mostly_holes(int descriptor, const struct stat& info) {
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (!S_ISREG(info.st_mode) || size <= freely_sparse) return false;
  const std::uint64_t stored = static_cast<std::uint64_t>(info.st_blocks) * 512;
  if (stored >= size / largest_sparseness) return false;
  // Some file systems count no blocks at all; those that know where the data ends say so.
  const off_t hole = ::lseek(descriptor, 0, SEEK_HOLE);
  ::lseek(descriptor, 0, SEEK_SET);
  return hole >= 0 && static_cast<std::uint64_t>(hole) < size;
}

constexpr int writer_wait_ms = 1500;
constexpr int writer_poll_ms = 20;
constexpr auto pipe_file_system = 0x50495045;  // of pipes without a name, whose other end is or was there

// Opening a named pipe waits for a writer, possibly for ever. This waits a moment; then reads wait as they do for any pipe.
Result<> await_writer(int descriptor, const std::string& path) {
  struct statfs system {};
  if (::fstatfs(descriptor, &system) == 0 && system.f_type == pipe_file_system) return {};
  std::array<int, 2> probe{};
  if (::pipe2(probe.data(), O_CLOEXEC | O_NONBLOCK) != 0) return {};
  bool has_writer = false;
  for (int waited = 0; !has_writer && waited < writer_wait_ms; waited += writer_poll_ms) {
    pollfd end{descriptor, POLLIN, 0};
    // Copies a byte, which stays in the pipe. Without one this is an error as long as a process holds the other end, and 0 when none does.
    has_writer = ::poll(&end, 1, writer_poll_ms) > 0 || ::tee(descriptor, probe[1], 1, SPLICE_F_NONBLOCK) != 0;
  }
  ::close(probe[0]);
  ::close(probe[1]);
  if (has_writer) return {};
  return fail(ErrorKind::unreadable, "no process writes into this pipe")
      .at(path)
      .hint("start the program that writes first, or give a file");
}

class FileSource : public ByteSource {
 public:
  FileSource(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
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
  void expect(std::uint64_t size) { size_ = size; }

 private:
  int descriptor_;
  std::string path_;
  std::uint64_t size_ = 0;
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
  // Not blocking, or opening a pipe could wait for ever.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const int error = errno;
    Failure failure = cannot("open", path, error);
    return std::move(failure).hint(error == ENOENT ? "is the path right, seen from this directory?" : "");
  }
  auto file = std::make_unique<FileSource>(descriptor, path);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return cannot("inspect", path, errno);
  if (S_ISDIR(info.st_mode)) return fail(ErrorKind::unreadable, "expected a file, found a directory").at(path);
  if (S_ISFIFO(info.st_mode)) TRY(await_writer(descriptor, path));
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  if (is_mostly_holes(descriptor, info)) {
    return fail(ErrorKind::malformed, "the file is mostly holes: {} MB, of which {} KB are stored", info.st_size >> 20, info.st_blocks / 2)
        .at(path)
        .hint("it was not written completely; copy or export it again");
  }
#ifdef POSIX_FADV_SEQUENTIAL
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
  MemoryBudget::opened(path);
  if (S_ISREG(info.st_mode)) file->expect(static_cast<std::uint64_t>(info.st_size));
  return file;
}

std::unique_ptr<ByteSource> open_bytes(std::string_view bytes) { return std::make_unique<MemorySource>(bytes); }

std::unique_ptr<ByteSource> open_standard_input() {
  return std::make_unique<FileSource>(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0), "<stdin>");
}

namespace {

void grow(std::string& text, std::size_t size) {
  text.reserve(size);
  ask_for_large_pages(text.data() + text.size(), size - text.size());
  text.resize(size);
}

}  // namespace

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
    if (used == text.size()) grow(text, std::clamp(claimed + 1, used + std::max<std::size_t>(used, 65536), 8 * used + 65536));
  }
  text.resize(used);
  return text;
}

Result<std::string> read_file(const std::string& path, std::uint64_t limit) {
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(path));
  return read_all(*source, path, limit);
}

Result<> write_file(const std::string& path, std::string_view bytes, Access access) {
  TRY_ASSIGN(OutputFile file, OutputFile::create(path, access));
  TRY(file.write(bytes));
  return file.commit();
}

}  // namespace frx
