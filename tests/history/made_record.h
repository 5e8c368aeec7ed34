// An answer as a history keeps it, for tests.
#pragma once

#include <string>

#include "history/record_of.h"

namespace frx::history {

inline answer::Json document(double seconds, const std::string& command = "./train") {
  return {
      {"schema", "gpu_measurement_v1"}, {"command", command}, {"seconds", seconds}, {"launches", nullptr}, {"gpus", answer::Json::array()}};
}

inline Record record(double seconds, std::int64_t at_ms = 1000, std::string commit = "c0ffee", std::string series = "s") {
  return *record_of(document(seconds), {std::move(series), at_ms, std::move(commit), "0.1.0", "{\"host\":\"h\"}"}, "test");
}

}  // namespace frx::history
