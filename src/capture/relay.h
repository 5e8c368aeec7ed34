// Copies the streams of a running program to ours and to a log.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "capture/spawn.h"

namespace frx::capture {

class Relay {
 public:
  // `out` and `err` are those of this process. The child's ends are open until close_child_ends().
  static Result<Relay> make(int out, int err, const std::string& log_path);

  int child_out() const { return child_out_.get(); }
  int child_err() const { return merged_ ? child_out_.get() : child_err_.get(); }
  void close_child_ends();

  // Waits until output arrives, `also` becomes readable or the time is over, and passes on the output.
  // False when there was none.
  bool pump(int timeout_ms, int also = -1);
  bool ended() const { return streams_.empty(); }
  // Why the log is not complete, or "".
  const std::string& log_error() const { return log_error_; }
  // The errno of the first stream that could not be passed on to its end, or 0.
  int output_error() const { return output_error_; }

 private:
  struct Stream {
    Fd from;
    int to;
    bool is_terminal;
    bool to_is_gone = false;  // a reader that left does not end the work
  };

  Result<> add(Fd& child_end, int to);
  bool pass_on(Stream& stream);
  void keep(std::string_view bytes);
  void follow_window_size() const;

  std::vector<Stream> streams_;
  Fd child_out_, child_err_;
  bool merged_ = false;
  Fd log_;
  std::string log_error_;
  int output_error_ = 0;
};

}  // namespace frx::capture
