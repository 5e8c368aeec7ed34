// Which requests are allowed: none from a page of another origin, under a name that was made to point here (DNS rebinding), or without the
// token.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace frx::http {

struct GuardOptions {
  std::string token = {};                    // that has to be sent as "Authorization: Bearer TOKEN"; "" for none
  std::vector<std::string> hosts = {};       // names by which the server may be called, besides localhost and addresses of numbers
  std::vector<std::string> open_paths = {};  // that need no token: for those who watch whether the server lives
};

// Why the request is refused, or nothing.
std::optional<Response> refused(const Request& request, const GuardOptions& options);

// The name in "name:80", "[::1]:80", "127.0.0.1", in small letters; "" where it is none.
std::string host_name(std::string_view host);
// 127.0.0.1, ::1
bool is_address(std::string_view name);
// Takes as long for texts of one length, wherever they differ.
bool are_equal(std::string_view one, std::string_view other);

}  // namespace frx::http
