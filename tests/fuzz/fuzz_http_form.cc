// A form of parts, in pieces of two sizes: the same parts, whose bytes together are fewer than those of the form.
#include "fuzz/input.h"
#include "http/message.h"
#include "http/multipart.h"

namespace {

std::string parts_of(std::string_view body, std::size_t piece) {
  std::string parts;
  std::size_t bytes = 0;
  frx::http::MultipartReader reader("b", {[&](const frx::http::Part& part) -> frx::Result<> {
                                            parts += "\n" + part.field + "|" + part.filename + "|" + part.content_type + "|";
                                            return {};
                                          },
                                          [&](std::string_view more) -> frx::Result<> {
                                            parts += more;
                                            bytes += more.size();
                                            return {};
                                          }});
  for (std::size_t at = 0; at < body.size(); at += piece) {
    if (const auto read = reader.read(body.substr(at, piece)); !read) return read.error().message;
  }
  frx::fuzz::require(bytes <= body.size());
  const auto end = reader.end();
  return end ? parts : end.error().message;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  const std::string_view body = input.text();
  frx::fuzz::require_same(parts_of(body, 7), parts_of(body, 1 << 20));
  (void)frx::http::boundary_of(body);
  frx::http::Request request;
  if (frx::http::read_target(body, request)) frx::fuzz::require(request.path.starts_with('/'));
  return 0;
}
