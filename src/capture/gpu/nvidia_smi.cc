#include "capture/gpu/nvidia_smi.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>

#include "base/text.h"
#include "capture/spawn.h"

namespace frx::capture {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
constexpr milliseconds answer_limit{5000};
constexpr std::size_t longest_line = 1 << 16;

constexpr const char* contract_fields =
    "index,uuid,name,utilization.gpu,utilization.memory,memory.used,memory.total,pcie.link.gen.current,pcie.link.width.current";
constexpr const char* further_fields =
    ",clocks.current.sm,clocks.current.memory,power.draw,power.limit,temperature.gpu,clocks_throttle_reasons.active,memory.free";

// "[N/A]", "[Not Supported]" and the like are no numbers.
std::optional<double> number(std::string_view cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size() ? std::optional(value) : std::nullopt;
}

std::optional<unsigned> whole(std::string_view cell) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size() ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> mask(std::string_view cell) {
  if (!cell.starts_with("0x")) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(cell.data() + 2, cell.data() + cell.size(), value, 16);
  return error == std::errc() && end == cell.data() + cell.size() ? std::optional(value) : std::nullopt;
}

class NvidiaSmi final : public GpuSource {
 public:
  NvidiaSmi(std::string path, milliseconds interval, std::string driver, std::vector<GpuIdentity> gpus)
      : path_(std::move(path)), interval_(interval), driver_(std::move(driver)), gpus_(std::move(gpus)) {}
  ~NvidiaSmi() override { end(); }
  NvidiaSmi(const NvidiaSmi&) = delete;
  NvidiaSmi& operator=(const NvidiaSmi&) = delete;

  std::string name() const override { return "nvidia-smi"; }
  const std::string& driver() const override { return driver_; }
  const std::vector<GpuIdentity>& gpus() const override { return gpus_; }
  bool keeps_time() const override { return true; }
  void cancel() override { cancelled_ = true; }

  Result<std::vector<GpuSample>> sample(const std::vector<unsigned>& indices) override {
    if (pid_ < 0) TRY(start(indices));
    Result<std::vector<GpuSample>> samples = next_round(indices.size());
    if (!samples) {
      end();
      short_query_ = !ever_answered_;  // the driver may be too old for the further fields
    }
    return samples;
  }

 private:
  Result<> start(const std::vector<unsigned>& indices) {
    std::vector<std::string> words;
    for (const unsigned index : indices) words.push_back(std::to_string(index));
    const std::vector<std::string> argv = {path_,
                                           "--id=" + join(words, ","),
                                           fmt::format("--query-gpu={}{}", contract_fields, short_query_ ? "" : further_fields),
                                           "--format=csv,noheader,nounits",
                                           "-lms",
                                           std::to_string(interval_.count())};
    const std::vector<std::pair<std::string, std::string>> variables = {{"LC_ALL", "C"}};
    TRY_ASSIGN(Pipe pipe, make_pipe());
    const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    SpawnRequest request{.argv = argv, .environment = variables, .directory = {}};
    request.in = null.get();
    request.out = pipe.write.get();
    request.err = pipe.write.get();
    SignalForwarding forwarding;
    TRY_ASSIGN(pid_, spawn(request, forwarding, watch_));
    forwarding.forget();  // it runs until we end it
    out_ = std::move(pipe.read);
    held_.clear();
    return {};
  }

  void end() {
    if (pid_ < 0) return;
    ::kill(-pid_, SIGKILL);
    reap(pid_);
    watch_.stop();
    pid_ = -1;
    out_.close();
  }

  // A line of each GPU.
  Result<std::vector<GpuSample>> next_round(std::size_t gpus) {
    std::vector<GpuSample> round;
    const Clock::time_point until = Clock::now() + interval_ + answer_limit;
    while (round.size() < gpus) {
      if (const std::size_t end = held_.find('\n'); end != held_.npos) {
        const std::string line = held_.substr(0, end);
        held_.erase(0, end + 1);
        std::optional<GpuSample> one = parse_nvidia_smi_line(line);
        if (!one) return fail(ErrorKind::environment, "nvidia-smi says: {}", shorten(printable(trim(line)), 120));
        round.push_back(std::move(*one));
        continue;
      }
      TRY(read_more(until));
    }
    ever_answered_ = true;
    return round;
  }

  Result<> read_more(Clock::time_point until) {
    while (true) {
      if (cancelled_) return fail(ErrorKind::environment, "sampling ended");
      if (Clock::now() > until) return fail(ErrorKind::environment, "nvidia-smi does not answer");
      pollfd ready{out_.get(), POLLIN, 0};
      if (::poll(&ready, 1, 50) <= 0) continue;
      std::array<char, 4096> buffer;
      const ssize_t got = ::read(out_.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return fail(ErrorKind::environment, "nvidia-smi ended");
      held_.append(buffer.data(), static_cast<std::size_t>(got));
      if (held_.size() > longest_line) return fail(ErrorKind::environment, "nvidia-smi prints no lines");
      return {};
    }
  }

  std::string path_;
  milliseconds interval_;
  std::string driver_;
  std::vector<GpuIdentity> gpus_;
  pid_t pid_ = -1;
  DeathWatch watch_;
  Fd out_;
  std::string held_;
  std::atomic<bool> cancelled_{false};
  bool short_query_ = false;
  bool ever_answered_ = false;
};

}  // namespace

std::optional<GpuSample> parse_nvidia_smi_line(std::string_view line) {
  std::vector<std::string_view> cells = split(line, ',');
  for (std::string_view& cell : cells) cell = trim(cell);
  if (cells.size() < 9) return std::nullopt;
  const std::optional<unsigned> index = whole(cells[0]);
  if (!index) return std::nullopt;
  const auto at = [&](std::size_t i) { return i < cells.size() ? cells[i] : std::string_view(); };
  GpuSample one{.index = *index, .name = std::string(cells[2]), .uuid = std::string(cells[1])};
  one.utilization_gpu = number(at(3));
  one.utilization_memory = number(at(4));
  one.memory_used = number(at(5));
  one.memory_total = number(at(6));
  one.pcie_generation = whole(at(7));
  one.pcie_width = whole(at(8));
  one.sm_clock = number(at(9));
  one.memory_clock = number(at(10));
  one.power = number(at(11));
  one.power_limit = number(at(12));
  one.temperature = number(at(13));
  one.throttle_reasons = mask(at(14));
  one.memory_free = number(at(15));
  return one;
}

Result<std::unique_ptr<GpuSource>> open_nvidia_smi(const Host& host, milliseconds interval) {
  const std::optional<std::string> path = host.program("nvidia-smi");
  if (!path) return fail(ErrorKind::environment, "there is no nvidia-smi");
  ChildCommand question;
  question.argv = {*path, "--query-gpu=index,uuid,name,driver_version", "--format=csv,noheader,nounits"};
  question.environment = {{"LC_ALL", "C"}};
  question.time_limit = answer_limit;
  TRY_ASSIGN(const Exit answer, host.run(question));
  std::vector<GpuIdentity> gpus;
  std::string driver;
  for (const std::string_view line : split(answer.out, '\n')) {
    const std::vector<std::string_view> cells = split(line, ',');
    if (cells.size() < 4 || !whole(trim(cells[0]))) continue;
    gpus.push_back({*whole(trim(cells[0])), printable(trim(cells[2])), printable(trim(cells[1]))});
    driver = printable(trim(cells[3]));
  }
  if (gpus.empty()) {
    const std::string words = printable(trim(answer.out.empty() ? answer.err : answer.out));
    return fail(ErrorKind::environment, "nvidia-smi shows no GPU: {}",
                words.empty() ? describe(answer, answer_limit) : shorten(words, 120));
  }
  return std::unique_ptr<GpuSource>(std::make_unique<NvidiaSmi>(*path, interval, std::move(driver), std::move(gpus)));
}

}  // namespace frx::capture
