#include "cli/io.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "base/text.h"

namespace frx::cli {
namespace {

constexpr std::size_t buffer_size = 1 << 16;
constexpr int narrowest = 40;
constexpr int default_width = 80;

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? std::optional(value) : std::nullopt;
}

int terminal_width(const Io& io) {
  if (const auto columns = io.environment("COLUMNS")) {
    if (const auto value = number(*columns)) return std::max(narrowest, *value);
  }
  struct winsize size {};
  if (io.out_is_terminal && ::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return std::max<int>(narrowest, size.ws_col);
  return default_width;
}

bool is_set(const Io& io, std::string_view name) {
  const std::optional<std::string> value = io.environment(name);
  return value && !value->empty() && *value != "0";
}

}  // namespace

void FileSink::put(std::string_view text) {
  if (buffered_ && held_.size() + text.size() < buffer_size) {
    if (!closed_) held_ += text;
    return;
  }
  bring_out();
  write_out(text);  // megabytes of JSON are not copied once more
}

void FileSink::bring_out() {
  write_out(held_);
  held_.clear();
}

void FileSink::write_out(std::string_view text) {
  while (!text.empty() && !closed_) {
    const ssize_t wrote = ::write(descriptor_, text.data(), text.size());
    if (wrote >= 0) {
      text.remove_prefix(static_cast<std::size_t>(wrote));
    } else if (errno != EINTR) {
      closed_ = true;
      error_ = errno == EPIPE ? 0 : errno;
    }
  }
}

std::string Io::paint(Colour which, std::string_view text) const {
  if (!colour || text.empty()) return std::string(text);
  constexpr std::array codes = {"31", "32", "33", "34", "1", "2"};
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<std::size_t>(which)], text);
}

void Io::log(LogLevel at, std::string_view logger, std::string_view text) const {
  constexpr std::array names = {"DEBUG", "INFO", "WARNING", "ERROR"};
  if (at < level) return;
  err.write(fmt::format("{} {}: {}\n", names[static_cast<std::size_t>(at)], logger, printable(text)));
}

bool wants_colour(const Io& io) {
  if (const auto no = io.environment("NO_COLOR"); no && !no->empty()) return false;
  if (is_set(io, "FORCE_COLOR") || is_set(io, "CLICOLOR_FORCE")) return true;
  return io.out_is_terminal && io.environment("TERM").value_or("") != "dumb";
}

BuildService build_service(const Io& io) {
  if (io.environment("GITHUB_ACTIONS") == "true") return BuildService::github;
  if (io.environment("TF_BUILD")) return BuildService::azure;
  if (io.environment("TEAMCITY_VERSION")) return BuildService::teamcity;
  return BuildService::none;
}

std::string program_called_by(std::string_view argv0) {
  const std::size_t slash = argv0.rfind('/');
  const std::string_view name = slash == argv0.npos ? argv0 : argv0.substr(slash + 1);
  for (const std::string_view own : {"operator-profiler", "cgp"}) {
    if (name == own) return std::string(own);
  }
  return name.find("fournex") != name.npos ? "fournex" : "frx";
}

ProcessIo::ProcessIo(std::string_view argv0) : io_{.out = out_, .err = err_} {
  io_.environment = [this](std::string_view name) { return io_.host->variable(name); };
  io_.out_is_terminal = ::isatty(1) != 0;
  io_.err_is_terminal = ::isatty(2) != 0;
  io_.reads_settings = true;
  io_.program = program_called_by(argv0);
  io_.width = terminal_width(io_);
  io_.colour = wants_colour(io_);
}

}  // namespace frx::cli
