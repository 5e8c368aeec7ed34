// The parts of a form (multipart/form-data, RFC 7578), as its bytes come in pieces of any size.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace frx::http {

class MultipartReader {
 public:
  // What becomes of a part: begin with its names, then its bytes.
  struct Receiver {
    std::function<Result<>(Part)> begin;
    std::function<Result<>(std::string_view)> bytes;
  };

  // `boundary` as boundary_of() gives it.
  MultipartReader(std::string_view boundary, Receiver receiver);

  // Errors: bytes that are no form, more than 64 headers or 16 KiB of them, what the receiver says.
  Result<> read(std::string_view bytes);
  // At the end of the body. Errors: the last boundary is missing.
  Result<> end() const;

 private:
  enum class State { before, headers, content, behind };
  Result<bool> step();
  Result<bool> read_headers();
  Result<bool> read_content();
  Result<bool> read_boundary();
  Result<> pass_on(std::string_view bytes);
  std::string_view rest() const { return std::string_view(held_).substr(at_); }

  std::string mark_;  // CRLF, two dashes and the boundary
  Receiver receiver_;
  State state_ = State::before;
  std::string held_ = "\r\n";  // not read yet, from at_ on; the first boundary has no line before it
  std::size_t at_ = 0;
  std::size_t to_leave_out_ = 0;  // bytes of the line feed behind the headers that are still to come
};

// Of a Content-Type: "" where it has none, or one that is not allowed (1 to 70 characters).
std::string boundary_of(std::string_view content_type);

}  // namespace frx::http
