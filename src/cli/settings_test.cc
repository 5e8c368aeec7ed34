#include "cli/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/memory_budget.h"
#include "base/temporary_directory.h"
#include "cli/command.h"
#include "cli/run.h"

namespace frx::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

// A folder with files, and an environment.
class SettingsTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { ASSERT_TRUE(write_file(path(name), text)); }
  std::string path(const std::string& name) const { return folder_.file(name); }
  Result<Settings> load(const std::string& folder = "work", const std::string& named = "") {
    fs::create_directories(path(folder));
    const auto environment = [this](std::string_view name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    const fs::path before = fs::current_path();
    fs::current_path(path(folder));
    Result<Settings> settings = Settings::load({environment, path(folder), named, true});
    fs::current_path(before);
    return settings;
  }
  std::string error_of(const Result<Settings>& settings) { return settings ? "" : to_string(settings.error()); }

  std::map<std::string, std::string, std::less<>> variables;

 private:
  TemporaryDirectory folder_ = *TemporaryDirectory::make("/tmp");

 protected:
  void SetUp() override { variables = {{"HOME", path("home")}, {"XDG_CONFIG_DIRS", path("etc")}}; }
};

TEST_F(SettingsTest, TheNearestThatSaysSomethingHolds) {
  write("etc/frx/config.yaml", "gpu: l4\nthreads: 2\nformat: html\n");
  write("home/.config/frx/config.yaml", "gpu: a100\nformat: markdown\n");
  write("work/.frx.yaml", "gpu: h100\n");
  variables["FRX_FAIL_ON"] = "high";
  Result<Settings> settings = load();
  ASSERT_TRUE(settings) << error_of(settings);
  settings->take_option("memory", "4G");
  EXPECT_EQ(settings->value("gpu"), "h100");
  EXPECT_EQ(settings->value("format"), "markdown");
  EXPECT_EQ(settings->value("threads"), "2");
  EXPECT_EQ(settings->value("fail_on"), "high");
  EXPECT_EQ(settings->value("memory"), "4G");
  EXPECT_EQ(settings->value("pedantic"), std::nullopt);
  std::vector<std::string> origins;
  for (const Setting* one : settings->of("gpu")) origins.emplace_back(name_of(one->origin));
  EXPECT_THAT(origins, ElementsAre("project", "user", "machine"));
}

TEST_F(SettingsTest, AnAbsoluteXdgFolderGoesBeforeHome) {
  write("home/.config/frx/config.yaml", "gpu: a100\n");
  write("xdg/frx/config.yaml", "gpu: l4\n");
  variables["XDG_CONFIG_HOME"] = path("xdg");
  EXPECT_EQ(load()->value("gpu"), "l4");
  variables["XDG_CONFIG_HOME"] = "xdg";
  EXPECT_EQ(load()->value("gpu"), "a100");
}

TEST_F(SettingsTest, AProjectIsFoundUpwardsAndEndsAtItsRepository) {
  write(".frx.yaml", "gpu: a100\n");
  write("work/.frx.yaml", "gpu: h100\n");
  EXPECT_EQ(load("work/a/b")->value("gpu"), "h100");
  fs::create_directories(path("work/a/.git"));
  EXPECT_EQ(load("work/a/b")->value("gpu"), std::nullopt);
  EXPECT_EQ(load("other")->value("gpu"), "a100");
}

TEST_F(SettingsTest, AFileInAFolderThatOthersWriteIntoHasToBeTheUsersOwn) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  write("work/.frx.yaml", "gpu: h100\n");
  fs::permissions(path("work"), fs::perms::all);
  EXPECT_EQ(load()->value("gpu"), "h100");
  ASSERT_EQ(::chown(path("work/.frx.yaml").c_str(), 65534, 65534), 0);
  EXPECT_EQ(load()->value("gpu"), std::nullopt);
  fs::permissions(path("work"), fs::perms::owner_all);
  EXPECT_EQ(load()->value("gpu"), "h100");  // as a checkout that another user made
}

TEST_F(SettingsTest, AProjectMayDoNoHarm) {
  for (const SettingKind& kind : setting_kinds()) {
    write("work/.frx.yaml", std::string(kind.key) + ": x\n");
    if (kind.scope == SettingScope::anywhere) continue;
    EXPECT_THAT(error_of(load()), HasSubstr(".frx.yaml:1: " + std::string(kind.key) + ": a project may not set it"));
  }
  write("work/.frx.yaml", "gpu: h100\nwith_ptx: yes\n");
  EXPECT_THAT(error_of(load()), HasSubstr(".frx.yaml:2: with_ptx: a project may say auto or no"));
  write("work/.frx.yaml", "memory: 900000G\n");
  EXPECT_EQ(load()->value("memory"), std::to_string(MemoryBudget::of_a_child()));
}

TEST_F(SettingsTest, PathsOfAProjectLieBelowIt) {
  write("outside/include/x.h", "");
  fs::create_directories(path("work/include"));
  fs::create_directory_symlink(path("outside"), path("work/link"));
  write("work/.frx.yaml", "include: [include, not/there/yet]\nbaseline: ci/../base.json\n");
  const Result<Settings> settings = load();
  ASSERT_TRUE(settings) << error_of(settings);
  EXPECT_THAT(settings->of("include").front()->values, ElementsAre(EndsWith("include"), EndsWith("not/there/yet")));
  EXPECT_THAT(*settings->value("baseline"), EndsWith("base.json"));
  for (const char* bad : {"../outside", "include/../../outside", "/etc", "link/include", "link"}) {
    write("work/.frx.yaml", fmt::format("include: [include, '{}']\n", bad));
    EXPECT_THAT(error_of(load()), HasSubstr("leads out of the folder of the project")) << bad;
  }
}

TEST_F(SettingsTest, TheFileOfAProjectIsAShortFileAndNoLink) {
  write("secret", "root: x\n");
  fs::create_directories(path("work"));
  fs::create_symlink(path("secret"), path("work/.frx.yaml"));
  EXPECT_THAT(error_of(load()), HasSubstr("no link, folder or device"));
  fs::remove(path("work/.frx.yaml"));
  ASSERT_EQ(::mkfifo(path("work/.frx.yaml").c_str(), 0600), 0);
  EXPECT_THAT(error_of(load()), HasSubstr("no link, folder or device"));
  fs::remove(path("work/.frx.yaml"));
  write("work/.frx.yaml", "gpu: " + std::string(70000, 'a') + "\n");
  EXPECT_THAT(error_of(load()), HasSubstr("at most 64 KiB"));
  std::string many = "define: [";
  for (int i = 0; i < 300; ++i) many += "N=1, ";
  write("work/.frx.yaml", many + "N=1]\n");
  EXPECT_THAT(error_of(load()), HasSubstr("at most 256 values, found 301"));
}

TEST_F(SettingsTest, WhatIsWrongIsNamedWithItsPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"gpu: h100\nfail-on: low\n", ".frx.yaml:2: unknown key 'fail-on'\n  hint: did you mean 'fail_on'?"},
      {"fail_on: never\n", ".frx.yaml:1: fail_on: expected one of low, medium, high, found 'never'"},
      {"threads: 0\n", "expected a whole number from 1 to 4096, found '0'"},
      {"memory: 1M\n", "expected a size from 64M on"},
      {"strict: perhaps\n", "expected true or false, found 'perhaps'"},
      {"noise_floor: -1\n", "expected a number from 0 to 100"},
      {"gpu: [a, b]\n", "gpu: expected a text"},
      {"include: []\n", "include: expected a list of paths"},
      {"- gpu\n", "expected keys with values"},
      {"gpu: [h100\n", ".frx.yaml"},
  };
  for (const auto& [text, expected] : cases) {
    write("work/.frx.yaml", text);
    EXPECT_THAT(error_of(load()), HasSubstr(expected)) << text;
  }
  write("work/.frx.yaml", "");
  EXPECT_TRUE(load());
  variables["FRX_FORMAT"] = "pdf";
  const Result<Settings> wrong = load();
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::usage);
  EXPECT_THAT(error_of(wrong), HasSubstr("FRX_FORMAT: format: expected one of text, json, markdown, html, found 'pdf'"));
}

TEST_F(SettingsTest, VariablesAreThoseOfTheSettings) {
  write("home/.config/frx/config.yaml", "pages: https://docs.example/frx\nnvcc: /bin/true\n");
  variables["FRX_INCLUDE"] = "a:b/c";
  const Result<Settings> settings = load();
  ASSERT_TRUE(settings) << error_of(settings);
  EXPECT_EQ(settings->variable("FRX_PAGES"), "https://docs.example/frx");
  EXPECT_EQ(settings->variable("FRX_RUN_ID"), std::nullopt);
  EXPECT_THAT(settings->of("include").front()->values, ElementsAre("a", "b/c"));
  write("home/.config/frx/config.yaml", "nvcc: /no/such/nvcc\n");
  EXPECT_THAT(error_of(load()), HasSubstr("config.yaml:1: nvcc: '/no/such/nvcc' is no program"));
  write("home/.config/frx/config.yaml", "serve_token: abc\n");
  EXPECT_THAT(error_of(load()), HasSubstr("a secret does not belong into a file"));
}

TEST_F(SettingsTest, AFileThatIsNamedIsTheUsersOwn) {
  write("work/.frx.yaml", "gpu: h100\n");
  write("ci.yaml", "build_flags: -O3\ninclude: [include]\n");
  const Result<Settings> settings = load("work", path("ci.yaml"));
  ASSERT_TRUE(settings) << error_of(settings);
  EXPECT_EQ(settings->value("gpu"), std::nullopt);
  EXPECT_EQ(settings->value("build_flags"), "-O3");
  EXPECT_EQ(settings->value("include"), path("include"));
  EXPECT_THAT(error_of(load("work", path("gone.yaml"))), HasSubstr("there is no such file"));
}

bool has_option(const Syntax& syntax, std::string_view option) {
  return std::ranges::any_of(syntax.parameters(), [&](const Parameter& one) { return one.is_named(option); });
}

TEST_F(SettingsTest, EveryKeyIsDocumentedAndItsOptionIsThere) {
  const std::string page = *read_file(FRX_REPOSITORY "/docs/settings.md");
  Syntax global;
  GlobalOptions options;
  describe_global(global, options);
  for (const SettingKind& kind : setting_kinds()) {
    EXPECT_FALSE(kind.help.empty() || kind.otherwise.empty()) << kind.key;
    for (const std::string_view name : {kind.key, kind.variable}) EXPECT_THAT(page, HasSubstr(fmt::format("`{}`", name)));
    if (kind.option.empty() || has_option(global, kind.option)) continue;
    const bool is_known = std::ranges::any_of(commands(), [&](const Command* command) {
      Syntax syntax;
      command->describe(syntax);
      return (kind.command.empty() || kind.command == command->name) && has_option(syntax, kind.option);
    });
    EXPECT_TRUE(is_known) << kind.option;
  }
}

}  // namespace
}  // namespace frx::cli
