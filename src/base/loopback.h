// Names and addresses of the machine itself.
#pragma once

#include <string_view>

namespace frx {

// 127.0.0.0/8, ::1 and localhost, in small letters. A name that only begins like such an address is another machine.
bool is_loopback(std::string_view host);

}  // namespace frx
