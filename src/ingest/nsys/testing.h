// Databases as Nsight Systems exports them, made in a test.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "ingest/nsys/read_export.h"

namespace frx::ingest::nsys::testing {

// What identifies a thread, and its process, in an export.
constexpr std::int64_t thread_id(std::int64_t pid, std::int64_t tid) { return (std::int64_t{1} << 48) | (pid << 24) | tid; }
constexpr std::int64_t process_id(std::int64_t pid) { return thread_id(pid, 0); }

class ExportBuilder {
 public:
  ExportBuilder() {
    sqlite3_open(":memory:", &database_);
    run("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
  }
  ExportBuilder(const ExportBuilder&) = delete;
  ~ExportBuilder() { sqlite3_close(database_); }

  ExportBuilder& run(const std::string& sql) {
    char* message = nullptr;
    if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK) ADD_FAILURE() << message << " in " << sql;
    sqlite3_free(message);
    return *this;
  }
  std::int64_t text(std::string_view words) {
    run(fmt::format("INSERT INTO StringIds VALUES ({}, '{}')", texts_, words));
    return texts_++;
  }
  ExportBuilder& kernel(std::int64_t start, std::int64_t end, std::int64_t correlation, std::string_view name, std::int64_t pid = 1,
                        std::int64_t device = 0, std::int64_t stream = 7) {
    run("CREATE TABLE IF NOT EXISTS CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT, "
        "correlationId "
        "INT, globalPid INT, demangledName INT, shortName INT)");
    return run(
        fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, "
                    "demangledName) VALUES ({}, {}, {}, 1, {}, {}, {}, {})",
                    start, end, device, stream, correlation, process_id(pid), text(name)));
  }
  // A kernel that the launch of a graph made.
  ExportBuilder& graph_kernel(std::int64_t start, std::int64_t end, std::int64_t correlation, std::string_view name, std::int64_t node) {
    kernel(start, end, correlation, name);
    add_node_column();
    return run(fmt::format("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET graphNodeId = {} WHERE rowid = last_insert_rowid()", node));
  }
  // `original`: the node that this one is a copy of; 0: of none.
  ExportBuilder& graph_node(std::int64_t time, std::int64_t node, std::int64_t original, std::int64_t tid = 10, std::int64_t pid = 1) {
    run("CREATE TABLE IF NOT EXISTS CUDA_GRAPH_NODE_EVENTS (start INT, end INT, eventClass INT, globalTid INT, nameId INT, graphNodeId "
        "INT, "
        "originalGraphNodeId INT)");
    return run(fmt::format("INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES ({0}, {0}, 95, {1}, NULL, {2}, {3})", time, thread_id(pid, tid), node,
                           original == 0 ? "NULL" : std::to_string(original)));
  }
  ExportBuilder& call(std::int64_t start, std::int64_t end, std::int64_t correlation, std::string_view name, std::int64_t pid = 1,
                      std::int64_t tid = 10) {
    run("CREATE TABLE IF NOT EXISTS CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, "
        "nameId "
        "INT)");
    return run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, 0, {}, {}, {})", start, end, thread_id(pid, tid),
                           correlation, text(name)));
  }
  // `end`: "NULL" where the range had not ended. `type`: 59 is a nested range, 60 one that begins and ends with a number.
  ExportBuilder& range(std::int64_t start, std::string_view end, std::string_view words, std::int64_t tid = 10, int type = 59,
                       std::int64_t domain = 0, std::int64_t pid = 1) {
    make_ranges();
    return run(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, {}, '{}', NULL, {}, {})", start, end, type, words, thread_id(pid, tid),
                           domain));
  }
  ExportBuilder& registered_range(std::int64_t start, std::int64_t end, std::string_view words) {
    make_ranges();
    return run(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, 59, NULL, {}, {}, 0)", start, end, text(words), thread_id(1, 10)));
  }

  std::string bytes() const {
    sqlite3_int64 size = 0;
    unsigned char* const image = sqlite3_serialize(database_, "main", &size, 0);
    std::string all(reinterpret_cast<const char*>(image), static_cast<std::size_t>(size));
    sqlite3_free(image);
    return all;
  }
  Result<model::Timeline> read() const {
    const std::string all = bytes();
    return read_export("run.sqlite", random_access_to(all));
  }

 private:
  void add_node_column() {
    if (has_node_column_) return;
    run("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN graphNodeId INT");
    has_node_column_ = true;
  }
  void make_ranges() {
    run("CREATE TABLE IF NOT EXISTS NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, textId INT, globalTid INT, domainId INT)");
  }

  sqlite3* database_ = nullptr;
  std::int64_t texts_ = 0;
  bool has_node_column_ = false;
};

}  // namespace frx::ingest::nsys::testing
