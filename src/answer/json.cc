// The library's trees of JSON, compiled here once: most of what is in this file is its. A release optimises it little (CMakeLists.txt).
#include "answer/json.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;
template class std::vector<nlohmann::ordered_json>;

namespace frx::answer {

std::string json_text(const Json& value) { return value.dump(2, ' ', true, Json::error_handler_t::replace) + "\n"; }

}  // namespace frx::answer
