#include "base/loopback.h"

#include <arpa/inet.h>

#include <string>

namespace frx {

bool is_loopback(std::string_view host) {
  in_addr address{};
  if (::inet_pton(AF_INET, std::string(host).c_str(), &address) == 1) return (ntohl(address.s_addr) >> 24) == 127;
  return host == "::1" || host == "localhost";
}

}  // namespace frx
