// For tests: the whole program in-process, with strings for its streams.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "cli/run.h"

namespace frx::cli {

struct TestIo {
  StringSink out_sink;
  StringSink err_sink;
  Io io{.out = out_sink, .err = err_sink};

  int run(std::initializer_list<std::string> args) {
    const std::vector<std::string> list(args);
    return cli::run(list, io);
  }
  const std::string& out() const { return out_sink.text(); }
  const std::string& err() const { return err_sink.text(); }
};

}  // namespace frx::cli
