// The series that an answer belongs to, unless the user names one.
#pragma once

#include <string>
#include <string_view>

namespace frx::history {

// "profile/gemm/nvidia-a100-sxm4-80gb" of a profile of "runs/gemm-2026-03-01.csv". `gpu` may be "".
std::string series_name(std::string_view kind, std::string_view subject, std::string_view gpu);

}  // namespace frx::history
