// The least work that any reader of an export of Nsight Systems does: SQLite steps through the columns that frx uses.
#include <sqlite3.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace {

std::uint64_t sum_of(sqlite3* database, const std::string& query) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, query.c_str(), -1, &statement, nullptr) != SQLITE_OK) return 0;
  std::uint64_t sum = 0;
  const int columns = sqlite3_column_count(statement);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int i = 0; i < columns; ++i) {
      if (sqlite3_column_type(statement, i) == SQLITE_TEXT)
        sum += *sqlite3_column_text(statement, i);
      else
        sum += static_cast<std::uint64_t>(sqlite3_column_int64(statement, i));
    }
  }
  sqlite3_finalize(statement);
  return sum;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  sqlite3* database = nullptr;
  const std::string name = "file:" + std::string(words[1]) + "?mode=ro&immutable=1";
  if (sqlite3_open_v2(name.c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK)
    return 1;
  std::uint64_t sum = sum_of(database, "SELECT id, value FROM StringIds");
  sum += sum_of(database,
                "SELECT start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName FROM "
                "CUPTI_ACTIVITY_KIND_KERNEL");
  sum += sum_of(database, "SELECT start, end, globalTid, correlationId, nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME");
  sum += sum_of(database, "SELECT start, end, eventType, globalTid, domainId, text, textId FROM NVTX_EVENTS");
  sqlite3_close(database);
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
  return 0;
}
