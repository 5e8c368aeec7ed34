#include "http/upload.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace frx::http {
namespace {

std::string next_file(const std::string& folder) {
  static std::atomic<std::uint64_t> next = 0;
  return fmt::format("{}/upload-{}", folder, next++);
}

Failure cannot_keep() {
  return fail(ErrorKind::unreadable, "cannot keep the upload: {}", std::strerror(errno))
      .hint("free space in the folder of uploads ($TMPDIR)");
}

}  // namespace

Upload::Upload(const Request& request, UploadLimits limits) : limits_(std::move(limits)) {
  if (request.media_type() == "multipart/form-data") {
    const std::string boundary = boundary_of(request.header("content-type"));
    if (boundary.empty()) {
      begun_ = fail(ErrorKind::usage, "the form has no boundary");
      return;
    }
    form_.emplace(boundary, MultipartReader::Receiver{[this](Part part) { return begin(std::move(part)); },
                                                      [this](std::string_view bytes) { return add(bytes); }});
    return;
  }
  Part body;
  body.content_type = request.media_type();
  body.filename = request.parameter("filename");
  begun_ = begin(std::move(body));
}

Upload::~Upload() {
  if (descriptor_ >= 0) ::close(descriptor_);
  for (const std::string& file : files_) ::unlink(file.c_str());
}

Result<> Upload::read(std::string_view bytes) {
  TRY(begun_);
  received_ += bytes.size();
  if (is_too_large()) return fail(ErrorKind::usage, "the body is larger than {} bytes", limits_.most);
  return form_ ? form_->read(bytes) : add(bytes);
}

Result<> Upload::begin(Part part) {
  if (parts_.size() >= limits_.most_parts) return fail(ErrorKind::usage, "the form has more than {} parts", limits_.most_parts);
  TRY(close());
  parts_.push_back(std::move(part));
  return {};
}

Result<> Upload::add(std::string_view bytes) {
  Part& part = parts_.back();
  part.size += bytes.size();
  if (descriptor_ < 0 && held_ + bytes.size() <= limits_.in_memory) {
    held_ += bytes.size();
    part.bytes += bytes;
    return {};
  }
  if (descriptor_ < 0) TRY(move_to_file());
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return cannot_keep();
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<> Upload::move_to_file() {
  Part& part = parts_.back();
  part.path = files_.emplace_back(next_file(limits_.folder));
  descriptor_ = ::open(part.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor_ < 0) return cannot_keep();
  const std::string begin = std::exchange(part.bytes, {});
  held_ -= begin.size();
  part.size -= begin.size();
  return begin.empty() ? Result<>() : add(begin);
}

Result<> Upload::close() {
  if (descriptor_ >= 0 && ::close(std::exchange(descriptor_, -1)) != 0) return cannot_keep();
  return {};
}

Result<std::vector<Part>> Upload::end() {
  TRY(begun_);
  if (form_) TRY(form_->end());
  TRY(close());
  return std::move(parts_);
}

}  // namespace frx::http
