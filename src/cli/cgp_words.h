// The program of the name cgp: its command lines in our words, by one table.
//
//   cgp --json profile kernel --name gemm --size 512   ->   kernel profile --name gemm --size 512 --json
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/io.h"

namespace frx::cli {

inline constexpr std::string_view cgp_program = "cgp";

// Our command line for one of cgp, whose options before the command are gone; `json`: --json was one of them. Usage errors: no such
// command, with the nearest one; one that is about something that frx does not measure, with what does.
Result<std::vector<std::string>> words_for_cgp(std::span<const std::string> args, bool json);

// Whether commands of cgp have two words of which this is the first: "profile".
bool words_begin_cgp(std::string_view word);

// "cgp profile kernel" for the program cgp, "frx kernel profile" for the others: how a command is called there.
std::string spelled(std::string_view command, std::string_view program);

// The commands of cgp that there are.
std::string cgp_help(const Io& io);

}  // namespace frx::cli
