// Tests that run on SQLite, on two shards of ClickHouse, and on the engine of a newer ClickHouse as a library (npm's chdb, whose folder
// FRX_CHDB names); each is skipped where it is not there.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/temporary_directory.h"
#include "history/servers.h"
#include "history/store.h"

namespace frx::history {

// The parameter: SQLite, ClickHouse, Chdb.
class OnEachStore : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string backend = GetParam();
    if (backend == "SQLite") return;
    std::vector<std::string> arguments = {"--shards", "2"};
    if (backend == "Chdb") {
      const char* const modules = std::getenv("FRX_CHDB");
      if (modules == nullptr) GTEST_SKIP() << "FRX_CHDB names no folder with npm's chdb";
      arguments = {"--chdb", modules};
    }
    servers = std::make_unique<testing::Servers>(arguments);
    ASSERT_EQ(servers->error(), "");
    if (!servers->skip().empty()) GTEST_SKIP() << servers->skip();
  }

  std::unique_ptr<Store> open(const std::string& name = "kept", Open how = Open::to_write) {
    Result<std::unique_ptr<Store>> store = open_store(servers ? servers->address(name) : folder.file(name + ".db"), how);
    if (!store) throw std::runtime_error(to_string(store.error()));
    return std::move(*store);
  }

  TemporaryDirectory folder = *TemporaryDirectory::make("/tmp");
  std::unique_ptr<testing::Servers> servers;  // none for SQLite
};

}  // namespace frx::history
