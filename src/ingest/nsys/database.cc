#include "ingest/nsys/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/text.h"

namespace frx::ingest::nsys {
namespace {

// Tables are read from front to back: many pages at a time.
constexpr std::size_t block_bytes = std::size_t{1} << 18;
// A name, or the arguments of a range; SQLite would allow a gigabyte.
constexpr int longest_value = 1 << 24;
constexpr sqlite3_int64 most_memory_of_sqlite = sqlite3_int64{128} << 20;
constexpr int steps_between_checks = 100'000;

// Quoted as a name of SQL.
std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

}  // namespace

// The file as SQLite sees it: a file system with one file, which does not change.
struct Database::File {
  struct Handle {
    sqlite3_file base;
    File* file;
  };

  std::shared_ptr<const RandomAccess> access;
  std::stop_token stop;
  std::string vfs_name;
  sqlite3_vfs vfs = {};
  std::vector<char> block;
  std::uint64_t block_at = 0, taken = 0;

  void add_to_sqlite();
  ~File() {
    if (!vfs_name.empty()) sqlite3_vfs_unregister(&vfs);
  }

  int read(char* to, std::size_t amount, std::uint64_t offset);
  bool holds(std::size_t amount, std::uint64_t offset) const {
    return offset >= block_at && offset - block_at <= block.size() && amount <= block.size() - (offset - block_at);
  }
};

int Database::File::read(char* to, std::size_t amount, std::uint64_t offset) {
  if (stop.stop_requested()) return SQLITE_IOERR_READ;
  const std::uint64_t size = access->size();
  const std::size_t there = offset >= size ? 0 : static_cast<std::size_t>(std::min<std::uint64_t>(amount, size - offset));
  if (there > 0 && !holds(there, offset)) {
    block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(std::max(block_bytes, there), size - offset)));
    block_at = offset;
    if (!access->read_at(offset, block)) {
      block.clear();
      return SQLITE_IOERR_READ;
    }
    taken += block.size();
  }
  if (there > 0) std::memcpy(to, block.data() + (offset - block_at), there);
  if (there == amount) return SQLITE_OK;
  std::memset(to + there, 0, amount - there);
  return SQLITE_IOERR_SHORT_READ;
}

namespace {

// Methods of a file that is only read; those that write are never called, because the file says that it does not change.
template <typename Handle>
sqlite3_io_methods methods_of() {
  sqlite3_io_methods methods = {};
  methods.iVersion = 1;
  methods.xClose = [](sqlite3_file*) { return SQLITE_OK; };
  methods.xRead = [](sqlite3_file* file, void* to, int amount, sqlite3_int64 offset) {
    return reinterpret_cast<Handle*>(file)->file->read(static_cast<char*>(to), static_cast<std::size_t>(amount),
                                                       static_cast<std::uint64_t>(offset));
  };
  methods.xWrite = [](sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; };
  methods.xTruncate = [](sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; };
  methods.xSync = [](sqlite3_file*, int) { return SQLITE_OK; };
  methods.xFileSize = [](sqlite3_file* file, sqlite3_int64* size) {
    *size = static_cast<sqlite3_int64>(reinterpret_cast<Handle*>(file)->file->access->size());
    return SQLITE_OK;
  };
  methods.xLock = methods.xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; };
  methods.xCheckReservedLock = [](sqlite3_file*, int* is_reserved) {
    *is_reserved = 0;
    return SQLITE_OK;
  };
  methods.xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; };
  methods.xSectorSize = [](sqlite3_file*) { return 4096; };
  methods.xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; };
  return methods;
}

}  // namespace

void Database::File::add_to_sqlite() {
  sqlite3_vfs* const usual = sqlite3_vfs_find(nullptr);
  vfs_name = fmt::format("frx-{}", static_cast<const void*>(this));
  vfs.iVersion = 1;
  vfs.szOsFile = sizeof(Handle);
  vfs.mxPathname = 64;
  vfs.zName = vfs_name.c_str();
  vfs.pAppData = this;
  vfs.xOpen = [](sqlite3_vfs* from, const char*, sqlite3_file* file, int flags, int* given) {
    file->pMethods = nullptr;
    if (!(flags & SQLITE_OPEN_MAIN_DB)) return SQLITE_CANTOPEN;
    auto* const handle = reinterpret_cast<Handle*>(file);
    handle->file = static_cast<File*>(from->pAppData);
    static const sqlite3_io_methods methods = methods_of<Handle>();
    handle->base.pMethods = &methods;
    if (given) *given = flags;
    return SQLITE_OK;
  };
  vfs.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_READONLY; };
  vfs.xAccess = [](sqlite3_vfs*, const char*, int, int* is_there) {
    *is_there = 0;
    return SQLITE_OK;
  };
  vfs.xFullPathname = [](sqlite3_vfs*, const char* name, int size, char* to) {
    sqlite3_snprintf(size, to, "%s", name);
    return SQLITE_OK;
  };
  vfs.xRandomness = usual->xRandomness;
  vfs.xSleep = usual->xSleep;
  vfs.xCurrentTime = usual->xCurrentTime;
  sqlite3_vfs_register(&vfs, 0);
}

std::optional<std::int64_t> Row::integer(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(statement_, column);
}

std::int64_t Row::integer_or(int column, std::int64_t otherwise) const { return integer(column).value_or(otherwise); }

std::optional<double> Row::real(int column) const {
  const int type = sqlite3_column_type(statement_, column);
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_double(statement_, column);
}

std::string_view Row::text(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) return {};
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text ? std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))) : std::string_view();
}

Database::Database(Database&& other) noexcept { *this = std::move(other); }

Database& Database::operator=(Database&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(file_, other.file_);
  std::swap(connection_, other.connection_);
  std::swap(tables_, other.tables_);
  return *this;
}

Database::~Database() { sqlite3_close_v2(connection_); }

Failure Database::failed(int code) const {
  if (file_->stop.stop_requested()) return fail(ErrorKind::stopped, "the analysis was stopped");
  if ((code & 0xFF) == SQLITE_NOMEM) {
    return fail(ErrorKind::malformed, "SQLite would need more than {} MiB to read this database, which no export of Nsight Systems takes",
                most_memory_of_sqlite >> 20)
        .at(name_)
        .hint("the file is damaged; export it again: nsys export --type sqlite REPORT.nsys-rep");
  }
  return fail(ErrorKind::malformed, "expected a database of SQLite, which says: {}", printable(sqlite3_errmsg(connection_)))
      .at(name_)
      .hint("export it again: nsys export --type sqlite REPORT.nsys-rep");
}

Result<Database> Database::open(std::string name, std::shared_ptr<const RandomAccess> access, std::stop_token stop) {
  static std::once_flag limited;
  std::call_once(limited, [] { sqlite3_hard_heap_limit64(most_memory_of_sqlite); });
  Database database;
  database.name_ = std::move(name);
  database.file_ = std::make_unique<File>();
  database.file_->access = std::move(access);
  database.file_->stop = std::move(stop);
  database.file_->add_to_sqlite();
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2("export", &database.connection_, flags, database.file_->vfs_name.c_str());
  if (code != SQLITE_OK) return database.failed(code);
  sqlite3* const connection = database.connection_;
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, longest_value);
  const auto stopped = [](void* file) { return static_cast<int>(static_cast<File*>(file)->stop.stop_requested()); };
  sqlite3_progress_handler(connection, steps_between_checks, stopped, database.file_.get());
  TRY(database.list_tables());
  return database;
}

Result<> Database::list_tables() {
  sqlite3_stmt* statement = nullptr;
  // hidden: 1 is a column of a virtual table, 2 and 3 are computed by an expression of the file.
  constexpr const char* query =
      "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c WHERE t.type = 'table' AND c.hidden = 0 AND t.rootpage "
      "> 0";
  int code = sqlite3_prepare_v2(connection_, query, -1, &statement, nullptr);
  const Row row(statement);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(statement);
    if (code != SQLITE_ROW) break;
    if (tables_.empty() || tables_.back().name != row.text(0)) tables_.push_back({std::string(row.text(0)), {}});
    tables_.back().columns.emplace_back(row.text(1));
  }
  const Failure failure = code == SQLITE_DONE ? Failure{} : failed(code);
  sqlite3_finalize(statement);
  if (code != SQLITE_DONE) return failure;
  return {};
}

const Database::Table* Database::table(std::string_view name) const {
  const auto at = std::ranges::find(tables_, name, &Table::name);
  return at == tables_.end() ? nullptr : &*at;
}

bool Database::has_table(std::string_view name) const { return table(name) != nullptr; }

bool Database::has_column(std::string_view name, std::string_view column) const {
  const Table* const at = table(name);
  return at && std::ranges::find(at->columns, column) != at->columns.end();
}

Result<TableEnd> Database::each_row(std::string_view name, std::initializer_list<std::string_view> columns,
                                    const std::function<void(const Row&)>& take) const {
  TableEnd end;
  if (!has_table(name)) return end;
  std::string query = "SELECT ";
  for (const std::string_view column : columns) query += (has_column(name, column) ? quoted(column) : "NULL") + ",";
  query.back() = ' ';
  query += "FROM " + quoted(name);
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(connection_, query.c_str(), -1, &statement, nullptr);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(statement, sqlite3_finalize);
  const Row row(statement);
  while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    ++end.rows;
    take(row);
    code = SQLITE_OK;
  }
  if (code == SQLITE_DONE) return end;
  const Failure failure = failed(code);
  if (failure.error.kind == ErrorKind::stopped) return failure;
  end.damage = sqlite3_errmsg(connection_);
  return end;
}

std::uint64_t Database::bytes_read() const { return file_->taken; }

}  // namespace frx::ingest::nsys
