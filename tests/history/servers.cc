#include "history/servers.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

extern char** environ;

namespace frx::testing {

Servers::Servers(const std::vector<std::string>& arguments) {
  std::array<int, 2> in{}, out{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) {
    error_ = "no pipe";
    return;
  }
  std::vector<std::string> words = {"python3", std::string(FRX_REPOSITORY) + "/tests/history/clickhouse_server.py"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  const int code = ::posix_spawnp(&process_, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  to_ = in[1];
  from_ = out[0];
  if (code != 0) {
    process_ = -1;
    error_ = "no python3";
    return;
  }
  const nlohmann::json said = nlohmann::json::parse(read_line(), nullptr, false);
  if (!said.is_object()) error_ = "the servers did not start";
  skip_ = said.is_object() ? said.value("skip", "") : "";
  address_ = said.is_object() ? said.value("store", "") : "";
}

// At the end of its input the script stops the servers and removes their folder.
Servers::~Servers() {
  ::close(to_);
  ::close(from_);
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
}

std::string Servers::address(const std::string& database) const {
  std::string address = address_;
  constexpr std::string_view own = "frx_test";
  address.replace(address.find(own), own.size(), database);
  return address;
}

std::string Servers::read_line() const {
  std::string line;
  for (char c = 0; ::read(from_, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

}  // namespace frx::testing
