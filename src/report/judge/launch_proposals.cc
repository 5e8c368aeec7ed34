#include "report/judge/launch_proposals.h"

#include <algorithm>
#include <cmath>
#include <regex>

#include "base/text.h"

namespace frx::report {
namespace {

// Limits that all GPUs since Volta share, and the largest of any of them where they differ.
constexpr double most_threads = 1024, most_registers = 255, most_shared = 232448, warp = 32, most_cluster = 16, portable_cluster = 8;
constexpr std::size_t most_problems = 32;      // of one text
constexpr std::size_t longest_sentence = 600;  // std::regex goes as deep as its text is long

double count_of(const std::string& text) {
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return c != ','; });
  return std::atof(digits.c_str());
}

// No count has as many digits. Expressions that begin with a number try each of its digits, which a megabyte of them makes hours.
std::string with_short_numbers(std::string_view text) {
  constexpr std::size_t most_digits = 24;
  std::string result;
  std::size_t digits = 0;
  for (const char c : text) {
    digits = (c >= '0' && c <= '9') || c == ',' ? digits + 1 : 0;
    if (digits <= most_digits) result += c;
  }
  return result;
}

class ProposalReader {
 public:
  ProposalReader(std::string_view text, const knowledge::SmLimits* limits) : limits_(limits) {
    const std::string lower = to_lower(text);
    is_triton_ = lower.find("num_warps") != lower.npos || lower.find("triton") != lower.npos || lower.find("block_") != lower.npos;
    for (std::string_view rest = lower; !rest.empty() && problems_.size() < most_problems;) {
      const std::size_t end = std::min({rest.find(". "), rest.find('\n'), longest_sentence, rest.size()});
      read(with_short_numbers(rest.substr(0, end)));
      rest.remove_prefix(std::min(rest.size(), end + 1));
    }
  }

  std::vector<ProposalProblem> problems() { return std::move(problems_); }

 private:
  template <typename Take>
  static void each(const std::string& sentence, const std::regex& pattern, Take&& take) {
    for (std::sregex_iterator at(sentence.begin(), sentence.end(), pattern), end; at != end; ++at) take(*at);
  }

  void read(const std::string& sentence) {
    read_threads(sentence);
    read_resources(sentence);
    read_features(sentence);
  }

  void read_threads(const std::string& sentence) {
    static const std::regex per_block(
        R"((\d{1,3}(?:,\d{3})+(?!\d)|\d+) ?(?:-|‑)?threads?(?: |/|-)(?:per |in (?:each|a) |a |thread )?blocks?)");
    static const std::regex dim(
        R"((?:blockdim(?:\.x)?|threads_per_block|threadsperblock|block_?dim) ?(?:=|to|of) ?(\d{1,3}(?:,\d{3})+(?!\d)|\d+)\b)");
    static const std::regex launch(R"(<<<[^,<>]{1,80}, ?(\d+) ?[,>])");
    static const std::regex bounds(R"(__launch_bounds__\((\d+))");
    static const std::regex block_size(
        R"(block sizes? (?:of |to |= ?)?(?:from \d+ to )?(\d{1,3}(?:,\d{3})+(?!\d)|\d+)\b(?! ?(?:x|×|kb|kib|bytes)))");
    static const std::regex shape(
        R"((?:dim3 ?\(|block(?: size| shape|s)? (?:of |to )?\(?|blockdim ?(?:=|of|to) ?\(?)(\d+) ?(?:,|x|×) ?(\d+)(?: ?(?:,|x|×) ?(\d+))?( threads?)?)");
    static const std::regex warps(R"((?:num_warps ?(?:=|to|of|:) ?(\d+))|(?:(\d+) warps per (?:thread )?block))");
    for (const std::regex* pattern : {&per_block, &dim, &launch, &bounds})
      each(sentence, *pattern, [&](const std::smatch& found) { threads(found.str(), count_of(found[1])); });
    if (!is_triton_) {
      each(sentence, block_size, [&](const std::smatch& found) { threads(found.str(), count_of(found[1])); });
      // "a block shape of 128x128" may be the outputs of a block, as libraries of products have it.
      each(sentence, shape, [&](const std::smatch& found) {
        const bool is_of_threads = found[4].matched || found.str().find("dim") != std::string::npos;
        threads(found.str(), count_of(found[1]) * count_of(found[2]) * (found[3].matched ? count_of(found[3]) : 1), is_of_threads);
      });
    }
    each(sentence, warps, [&](const std::smatch& found) { threads(found.str(), warp * count_of(found[found[1].matched ? 1 : 2])); });
  }

  void threads(const std::string& said, double count, bool is_of_threads = true) {
    const double most = limits_ && limits_->threads_per_block > 0 ? limits_->threads_per_block : most_threads;
    if (count > most) {
      add(said,
          fmt::format("a block has at most {:.0f} threads, this is {:.0f}{}", most, count,
                      is_of_threads ? "" : "; or are those its outputs?"),
          is_of_threads);
    } else if (count < 1) {
      add(said, "a block has at least one thread");
    } else if (std::fmod(count, warp) != 0) {
      add(said, fmt::format("{:.0f} threads are no whole number of warps: lanes of the last warp idle", count), false);
    }
  }

  void read_resources(const std::string& sentence) {
    static const std::regex shared(
        R"(((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?) ?(kb|kib|mb|mib|bytes) (?:of )?(?:dynamic |static )?(?:shared memory|smem)( per sm)?)");
    static const std::regex registers(R"((?:maxrregcount ?(?:=|to|of) ?(\d+))|(?:(\d+) registers(?: per |/)thread))");
    static const std::regex cluster(R"((?:cluster sizes? (?:of |to |= ?)?(\d+))|(?:clusters of (\d+)))");
    each(sentence, shared, [&](const std::smatch& found) {
      const std::string unit = found[2];
      const double bytes = count_of(found[1]) * (unit == "bytes" ? 1 : unit[0] == 'k' ? 1024 : 1048576);
      const bool per_sm = found[3].matched;
      const double most = limits_ ? (per_sm ? limits_->shared_per_sm : limits_->shared_per_block) : most_shared;
      if (bytes > most) add(found.str(), fmt::format("{} has at most {:.0f} bytes of shared memory", per_sm ? "an SM" : "a block", most));
    });
    each(sentence, registers, [&](const std::smatch& found) {
      const double count = count_of(found[found[1].matched ? 1 : 2]);
      if (count > most_registers) add(found.str(), fmt::format("a thread has at most {:.0f} registers", most_registers));
    });
    each(sentence, cluster, [&](const std::smatch& found) {
      const double count = count_of(found[found[1].matched ? 1 : 2]);
      if (limits_ && limits_->max_cluster_size == 0)
        add(found.str(), "the GPU has no clusters of blocks");
      else if (count > most_cluster)
        add(found.str(), fmt::format("a cluster has at most {:.0f} blocks", most_cluster));
      else if (count > portable_cluster)
        add(found.str(), fmt::format("more than {:.0f} blocks of a cluster are not portable", portable_cluster), false);
    });
  }

  void read_features(const std::string& sentence) {
    if (!limits_) return;
    struct Feature {
      std::string_view word, name, display;
    };
    static constexpr Feature features[] = {
        {"tma", "tma", "the tensor memory accelerator"}, {"tensor memory accelerator", "tma", "the tensor memory accelerator"},
        {"wgmma", "wgmma", "products of warp groups"},   {"fp8", "fp8", "8-bit floating point on tensor cores"},
        {"cp.async", "cp_async", "asynchronous copies"}, {"bf16", "bf16", "bfloat16"},
        {"tensor core", "tensor_cores", "tensor cores"}};
    for (const Feature& feature : features) {
      const std::size_t at = sentence.find(feature.word);
      if (at == sentence.npos || limits_->has(feature.name)) continue;
      const auto letter = [&](std::size_t i) { return i < sentence.size() && std::isalnum(static_cast<unsigned char>(sentence[i])) != 0; };
      if ((at > 0 && letter(at - 1)) || (letter(at + feature.word.size()) && sentence[at + feature.word.size()] != 's')) continue;
      add(std::string(feature.word), fmt::format("{} has no {}", limits_->display, feature.display), false);
    }
  }

  void add(std::string said, std::string message, bool is_impossible = true) {
    const auto same = [&](const ProposalProblem& other) { return other.message == message; };
    if (std::ranges::none_of(problems_, same)) problems_.push_back({printable(shorten(said, 80)), std::move(message), is_impossible});
  }

  const knowledge::SmLimits* limits_;
  bool is_triton_ = false;
  std::vector<ProposalProblem> problems_;
};

}  // namespace

std::vector<ProposalProblem> problems_of_proposal(std::string_view text, const knowledge::SmLimits* limits) {
  return ProposalReader(text, limits).problems();
}

}  // namespace frx::report
