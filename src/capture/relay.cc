#include "capture/relay.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace frx::capture {
namespace {

bool same_file(int a, int b) {
  struct stat first {
  }, second{};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

struct Terminal {
  Fd master;
  Fd slave;
};

// Raw mode, so that the bytes are unchanged: our own terminal makes "\r\n" of "\n" already.
Result<Terminal> make_terminal(int like) {
  Terminal pair;
  pair.master = Fd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  std::array<char, 128> name{};
  if (!pair.master || ::grantpt(pair.master.get()) != 0 || ::unlockpt(pair.master.get()) != 0 ||
      ::ptsname_r(pair.master.get(), name.data(), name.size()) != 0) {
    return fail(ErrorKind::environment, "cannot make a pseudo-terminal: {}", std::strerror(errno));
  }
  pair.slave = Fd(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pair.slave) return fail(ErrorKind::environment, "cannot open a pseudo-terminal: {}", std::strerror(errno));
  struct termios settings {};
  if (::tcgetattr(pair.slave.get(), &settings) == 0) {
    ::cfmakeraw(&settings);
    ::tcsetattr(pair.slave.get(), TCSANOW, &settings);
  }
  struct winsize size {};
  if (::ioctl(like, TIOCGWINSZ, &size) == 0) ::ioctl(pair.slave.get(), TIOCSWINSZ, &size);
  return pair;
}

// The errno of the first write that failed, 0 when all of it was written. Waits for a slow reader.
int write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(to, bytes.data(), bytes.size());
    if (wrote >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
    } else if (errno == EAGAIN) {
      pollfd ready{to, POLLOUT, 0};
      ::poll(&ready, 1, 1000);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

Result<> Relay::add(Fd& child_end, int to) {
  if (::isatty(to) != 0) {
    TRY_ASSIGN(Terminal terminal, make_terminal(to));
    child_end = std::move(terminal.slave);
    streams_.push_back({std::move(terminal.master), to, true});
  } else {
    TRY_ASSIGN(Pipe pipe, make_pipe());
    child_end = std::move(pipe.write);
    streams_.push_back({std::move(pipe.read), to, false});
  }
  return {};
}

Result<Relay> Relay::make(int out, int err, const std::string& log_path) {
  Relay relay;
  if (!log_path.empty()) {
    relay.log_ = Fd(::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!relay.log_) return fail(ErrorKind::unreadable, "cannot write: {}", std::strerror(errno)).at(log_path);
  }
  relay.merged_ = same_file(out, err);
  TRY(relay.add(relay.child_out_, out));
  if (!relay.merged_) TRY(relay.add(relay.child_err_, err));
  return relay;
}

void Relay::close_child_ends() {
  child_out_.close();
  child_err_.close();
}

void Relay::keep(std::string_view bytes) {
  if (!log_) return;
  if (const int error = write_all(log_.get(), bytes); error != 0) {
    log_error_ = fmt::format("the log is not complete: {}", std::strerror(error));
    log_.close();
  }
}

// False at the end of the stream. A pseudo-terminal ends with EIO.
bool Relay::pass_on(Stream& stream) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(stream.from.get(), buffer.data(), buffer.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (got <= 0) return false;
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
  keep(bytes);
  if (stream.to_is_gone) return true;
  if (const int error = write_all(stream.to, bytes); error != 0) {
    stream.to_is_gone = true;
    output_error_ = error;
  }
  return true;
}

void Relay::follow_window_size() const {
  for (const Stream& stream : streams_) {
    struct winsize ours {
    }, theirs{};
    if (!stream.is_terminal || ::ioctl(stream.to, TIOCGWINSZ, &ours) != 0) continue;
    if (::ioctl(stream.from.get(), TIOCGWINSZ, &theirs) != 0) continue;
    if (ours.ws_col != theirs.ws_col || ours.ws_row != theirs.ws_row) ::ioctl(stream.from.get(), TIOCSWINSZ, &ours);
  }
}

bool Relay::pump(int timeout_ms, int also) {
  follow_window_size();
  std::vector<pollfd> fds;
  for (const Stream& stream : streams_) fds.push_back({stream.from.get(), POLLIN, 0});
  if (also >= 0) fds.push_back({also, POLLIN, 0});
  if (::poll(fds.data(), fds.size(), timeout_ms) <= 0) return false;
  bool came = false;
  std::vector<bool> over(streams_.size());
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (fds[i].revents == 0) continue;
    came = true;
    over[i] = !pass_on(streams_[i]);
  }
  for (std::size_t i = streams_.size(); i-- > 0;) {
    if (over[i]) streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return came;
}

}  // namespace frx::capture
