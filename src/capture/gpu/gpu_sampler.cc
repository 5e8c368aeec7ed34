#include "capture/gpu/gpu_sampler.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "capture/spawn.h"

namespace frx::capture {
namespace {

Result<> write_all(const Fd& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(file.get(), text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return fail(ErrorKind::unreadable, "GPU samples cannot be written any more: {}", std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

}  // namespace

Result<GpuSampler> GpuSampler::start(const GpuSamplerOptions& options, const Host& host) {
  const auto file = std::make_shared<Fd>(::open(options.csv_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const std::string header = gpu_metrics_header();
  if (!*file || ::write(file->get(), header.data(), header.size()) != static_cast<ssize_t>(header.size())) {
    return fail(ErrorKind::unreadable, "cannot write: {}", std::strerror(errno)).at(options.csv_path);
  }
  return GpuSampler(SamplingThread::start(std::max(options.interval, shortest_interval), host,
                                          [file, show = options.show](const std::vector<GpuSample>& samples) {
                                            if (show) show(samples);
                                            const std::string now = utc_now();
                                            const std::int64_t monotonic = monotonic_now_ns();
                                            std::string lines;
                                            for (const GpuSample& one : samples) lines += gpu_metrics_line(one, now, monotonic);
                                            return write_all(*file, lines);
                                          }));
}

}  // namespace frx::capture
