#include "ingest/run_bundle/random_access.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/memory_budget.h"

namespace frx::ingest {
namespace {

Failure ends_early() { return fail(ErrorKind::malformed, "the archive ends early").hint("the copy is incomplete; copy the file again"); }

bool fits(std::uint64_t offset, std::uint64_t wanted, std::uint64_t size) { return offset <= size && wanted <= size - offset; }

class File final : public RandomAccess {
 public:
  File(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  ~File() override { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::uint64_t size() const override { return size_; }
  Result<> read_at(std::uint64_t offset, std::span<char> buffer) const override {
    if (!fits(offset, buffer.size(), size_)) return ends_early();
    std::size_t done = 0;
    while (done < buffer.size()) {
      const ssize_t got = ::pread(descriptor_, buffer.data() + done, buffer.size() - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(ErrorKind::unreadable, "cannot read: {}", std::strerror(errno));
      if (got == 0) return ends_early();  // the file was truncated while it was read
      done += static_cast<std::size_t>(got);
    }
    MemoryBudget::read(done);
    return {};
  }

 private:
  int descriptor_;
  std::uint64_t size_;
};

class Memory final : public RandomAccess {
 public:
  explicit Memory(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Result<> read_at(std::uint64_t offset, std::span<char> buffer) const override {
    if (!fits(offset, buffer.size(), bytes_.size())) return ends_early();
    if (!buffer.empty()) std::memcpy(buffer.data(), bytes_.data() + offset, buffer.size());
    return {};
  }

 private:
  std::string_view bytes_;
};

// A text that it owns.
class KeptBytes final : public RandomAccess {
 public:
  explicit KeptBytes(std::string bytes) : bytes_(std::move(bytes)), access_(bytes_) {}
  std::uint64_t size() const override { return access_.size(); }
  Result<> read_at(std::uint64_t offset, std::span<char> buffer) const override { return access_.read_at(offset, buffer); }

 private:
  std::string bytes_;
  Memory access_;
};

}  // namespace

Result<std::shared_ptr<const RandomAccess>> open_random_access(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return fail(ErrorKind::unreadable, "cannot open: {}", std::strerror(errno)).at(path);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(descriptor);
    return fail(ErrorKind::unreadable, "expected a regular file, found something else").at(path);
  }
  return std::shared_ptr<const RandomAccess>(std::make_shared<File>(descriptor, static_cast<std::uint64_t>(info.st_size)));
}

std::shared_ptr<const RandomAccess> random_access_to(std::string_view bytes) { return std::make_shared<Memory>(bytes); }

std::shared_ptr<const RandomAccess> random_access_holding(std::string bytes) { return std::make_shared<KeptBytes>(std::move(bytes)); }

}  // namespace frx::ingest
