// What became of advice, told by those who tried it: POST /feedback and GET /feedback on a file with an object per line.
#pragma once

#include <string>

#include "http/message.h"

namespace frx::serve {

// {"run_id", "rec_id", "outcome", "notes"}: texts, the last one optional. Answers {"ok": true, "id"}.
http::Response keep_feedback(http::Request& request, const std::string& file);
// {"feedback": [...]}, in the order in which it came.
http::Response show_feedback(const std::string& file);

}  // namespace frx::serve
