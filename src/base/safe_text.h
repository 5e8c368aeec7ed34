// What a file says never acts: on a terminal, on a reader's eyes, or on the service that runs a build.
//
// Control characters (but line ends), marks that change the direction of text, and characters without a shape are shown as escapes: \x1b,
// \u202e, \U000e0041. Bytes that are no UTF-8 become U+FFFD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace frx {

// A name, a message: on one line, for which line ends and tabs become blanks.
std::string printable(std::string_view text);

// A service that takes lines of the output of a build for commands.
enum class BuildService : std::uint8_t { none, github, azure, teamcity };

// All that a stream is given, in any pieces. Line ends and tabs stay. Where the program writes in colour its own sequences stay, too. A
// line that the service would obey is given a backslash: \::error, ##\[group].
class SafeText {
 public:
  void allow_colours(bool allowed) { has_colours_ = allowed; }
  void run_by(BuildService service) { service_ = service; }

  // What can be shown of all pieces so far and was not returned before; a view into `piece`, or into this object until the next call. A
  // sequence that the next piece may complete is kept back.
  std::string_view show(std::string_view piece);
  // What was kept back.
  std::string_view rest();

 private:
  std::size_t plain_part(std::string_view text);
  bool take(std::string_view text, std::size_t& used, bool is_end);
  bool take_colour(std::string_view text, std::size_t& used, bool is_end);
  bool take_command(std::string_view text, std::size_t& used, bool is_end);
  std::string_view shown(std::string_view text, bool is_end);

  BuildService service_ = BuildService::none;
  bool has_colours_ = false;
  bool begins_line_ = true;  // only blanks since the line began
  std::string kept_;
  std::string shown_;
};

// The same for a text in one piece: a file that is written.
std::string safe_text(std::string_view text);

}  // namespace frx
