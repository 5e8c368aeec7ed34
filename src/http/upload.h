// Takes the body of a request as it comes in: its parts in memory while they are few bytes, in files of the server's folder else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_file.h"
#include "http/message.h"
#include "http/multipart.h"

namespace frx::http {

struct UploadLimits {
  std::string folder;                           // for files; they are removed with the upload
  std::uint64_t most = std::uint64_t{1} << 30;  // bytes of a body
  std::size_t in_memory = 256 << 10;            // bytes of all parts that are kept in memory
  std::size_t most_parts = 4096;
};

class Upload {
 public:
  // A form is taken apart, any other body is one part.
  Upload(const Request& request, UploadLimits limits);
  ~Upload();
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  // Errors: the body is too large (is_too_large()), a damaged form, a full disk.
  Result<> read(std::string_view bytes);
  // Once, behind the last byte: the parts, whose files live as long as this.
  Result<std::vector<Part>> end();

  bool is_too_large() const { return received_ > limits_.most; }
  std::uint64_t received() const { return received_; }

 private:
  Result<> begin(Part part);
  Result<> add(std::string_view bytes);
  Result<> move_to_file();
  Result<> close();

  UploadLimits limits_;
  std::optional<MultipartReader> form_;
  std::vector<Part> parts_;
  std::vector<std::string> files_;  // of the parts
  int descriptor_ = -1;             // of the file of the last part
  std::size_t held_ = 0;
  std::uint64_t received_ = 0;
  Result<> begun_;
};

}  // namespace frx::http
