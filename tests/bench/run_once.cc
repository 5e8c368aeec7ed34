// Runs one command and says what it cost: "wall_ns cpu_us peak_kb status". A child's peak memory counts
// that of the program it was forked from, so run.py does not start the measured programs itself.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>

extern char** environ;

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (posix_spawn(&child, argv[1], &quiet, nullptr, argv + 1, environ) != 0) return 127;
  int status = 0;
  struct rusage use {};
  ::wait4(child, &status, 0, &use);
  const auto wall = std::chrono::steady_clock::now() - begin;
  const long cpu = (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000L + use.ru_utime.tv_usec + use.ru_stime.tv_usec;
  std::printf("%lld %ld %ld %d\n", static_cast<long long>(std::chrono::nanoseconds(wall).count()), cpu, use.ru_maxrss,
              WIFEXITED(status) ? WEXITSTATUS(status) : 128);
  return 0;
}
