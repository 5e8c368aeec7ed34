// Where a command reads its surroundings and writes its answer. main() makes one from the process,
// tests make one from strings.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/safe_text.h"
#include "capture/host.h"
#include "cli/syntax.h"

namespace frx::cli {

class Settings;

// Where text goes, and the one place where it is made harmless (base/safe_text.h).
class Sink {
 public:
  virtual ~Sink() = default;
  void write(std::string_view text) { put(safe_.show(text)); }
  // For what has to act: the progress on a terminal, commands for a build service.
  void write_as_it_is(std::string_view text) { put(text); }
  // Brings out what is held back: before a child process writes to the same terminal, and at the end.
  void flush() {
    put(safe_.rest());
    bring_out();
  }
  SafeText& safety() { return safe_; }
  // errno of the first write that failed, else 0. A reader that left (EPIPE) is not a failure.
  virtual int error() const { return 0; }
  // Whether anything written from now on is lost: a long output need not be made to its end.
  virtual bool closed() const { return false; }

 private:
  virtual void put(std::string_view text) = 0;
  virtual void bring_out() {}

  SafeText safe_;
};

class StringSink final : public Sink {
 public:
  const std::string& text() const { return text_; }

 private:
  void put(std::string_view text) override { text_ += text; }

  std::string text_;
};

// A file descriptor. After the first failed write the rest is dropped.
class FileSink final : public Sink {
 public:
  FileSink(int descriptor, bool buffered) : descriptor_(descriptor), buffered_(buffered) {}
  ~FileSink() override { flush(); }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  int error() const override { return error_; }
  bool closed() const override { return closed_; }

 private:
  void put(std::string_view text) override;
  void bring_out() override;
  void write_out(std::string_view text);

  int descriptor_;
  bool buffered_;
  bool closed_ = false;
  int error_ = 0;
  std::string held_;
};

enum class Colour { red, green, yellow, blue, bold, dim };
enum class LogLevel { debug, info, warning, error };

struct Io {
  Sink& out;
  Sink& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int width = 80;
  bool colour = false;                 // on `out`
  LogLevel level = LogLevel::warning;  // -v: info, --debug: debug
  std::string program = "frx";         // the name it was called by: frx, fournex, operator-profiler or cgp
  std::function<std::optional<std::string>(std::string_view)> environment = [](std::string_view) { return std::nullopt; };
  const capture::Host* host = &capture::this_machine();
  bool reads_settings = false;                    // files of settings count: of the program, and not of the library
  std::shared_ptr<const Settings> settings = {};  // of the run
  std::vector<OptionPreset> presets = {};         // what they say about the options of the command
  // --record: the answer that is printed goes to the history.
  enum class Recording : std::uint8_t { off, asked, done };
  Recording recording = Recording::off;
  bool opens_page = false;  // --open: a page goes to a file, which a browser is told to show
  // Answers of thousands of small pieces. A process that ends has no need to give them back one by one.
  std::vector<std::shared_ptr<const void>> kept = {};

  // `text`, in colour when the output shows it.
  std::string paint(Colour which, std::string_view text) const;
  // "INFO capture: ..." on the error stream, when the level asks for it.
  void log(LogLevel at, std::string_view logger, std::string_view text) const;
};

// no-color.org and its relatives: NO_COLOR, then FORCE_COLOR or CLICOLOR_FORCE, then the terminal.
bool wants_colour(const Io& io);

// By the variables that services set.
BuildService build_service(const Io& io);

// "fournex" when the base name of argv[0] contains it, else "frx".
std::string program_called_by(std::string_view argv0);

// The process itself: standard output and error, terminal, environment.
class ProcessIo {
 public:
  explicit ProcessIo(std::string_view argv0);
  Io& io() { return io_; }

 private:
  FileSink out_{1, true};
  FileSink err_{2, false};
  Io io_;
};

}  // namespace frx::cli
