#include "history/connection.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>

#include "base/text.h"
#include "history/migrations.h"

namespace frx::history {
namespace {

constexpr int longest_wait_ms = 60'000, longest_nap_ms = 100;
constexpr int largest_value = 1 << 28;  // bytes of a text or blob

// Waits before a lock is tried again, twice as long each time, and not all processes equally long; 0: given up.
int wait_for_others(void* waited, int times) {
  auto& total = *static_cast<int*>(waited);
  if (times == 0) total = 0;
  if (total >= longest_wait_ms) return 0;
  thread_local std::minstd_rand random(static_cast<unsigned>(::getpid()));
  const int most = std::min(longest_nap_ms, 1 << std::min(times, 7));
  const int nap = 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  sqlite3_sleep(nap);
  total += nap;
  return 1;
}

thread_local int waited_ms = 0;

bool is_writable(const std::string& path) { return ::access(path.c_str(), W_OK) == 0; }

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

Result<> make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(folder_of(path), error);
  if (!error) return {};
  return fail(ErrorKind::unreadable, "the folder of the history cannot be made: {}", error.message())
      .at(folder_of(path))
      .hint("name another file with --store or FRX_HISTORY");
}

Failure no_history_yet(const std::string& path, std::string_view why) {
  return fail(ErrorKind::unreadable, "there is no history yet: {}", why)
      .at(path)
      .hint("frx history record ANSWER.json makes it, and --record of the commands that analyse");
}

Result<> expect_file(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return no_history_yet(path, std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) {
    return fail(ErrorKind::unreadable, "expected the file of a history, found a folder or a device")
        .at(path)
        .hint("name a file with --store or FRX_HISTORY");
  }
  return {};
}

// A file in a folder that cannot be written can be read only where no log and no journal lies beside it.
std::string address_of(const std::string& path, Open how) {
  std::string address = "file:";
  for (const char c : path) address += c == '?' ? "%3f" : c == '#' ? "%23" : c == '%' ? "%25" : std::string(1, c);
  const bool changes = is_writable(folder_of(path)) || std::filesystem::exists(path + "-wal") || std::filesystem::exists(path + "-journal");
  return how == Open::to_read && !changes ? address + "?immutable=1" : address;
}

bool is_full(int code, int system_error) {
  return (code & 0xFF) == SQLITE_FULL ||
         ((code & 0xFF) == SQLITE_IOERR && (system_error == ENOSPC || system_error == EFBIG || system_error == EDQUOT));
}

// A program that was killed while it changed the database under a rollback journal left the old pages in that journal. The next connection
// that may write puts them back when it first reads; one that only reads may not. What fails here fails again where the file is read.
void roll_back_what_was_cut(const std::string& address) {
  sqlite3* handle = nullptr;
  sqlite3_open_v2(address.c_str(), &handle, SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE, nullptr);
  sqlite3_busy_handler(handle, wait_for_others, &waited_ms);
  sqlite3_exec(handle, "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr);
  sqlite3_close_v2(handle);
}

}  // namespace

Failure Connection::failed(int code) const {
  const int system_error = handle_ ? sqlite3_system_errno(handle_) : errno;
  if (is_full(code, system_error)) {
    return fail(ErrorKind::unreadable, "the disk is full, or the file may not grow further")
        .at(path_)
        .hint("nothing of this command was kept, and what was recorded before is safe; make space, or frx history prune");
  }
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(ErrorKind::unreadable, "other programs have held the history for {} s", longest_wait_ms / 1000)
          .at(path_)
          .hint("try again when they have ended; nothing of this command was kept");
    case SQLITE_NOTADB:
      return fail(ErrorKind::malformed, "expected a history of frx, found a file that is no database of SQLite")
          .at(path_)
          .hint("name another file with --store or FRX_HISTORY; this one is left as it is");
    case SQLITE_CORRUPT:
      return fail(ErrorKind::malformed, "the history is damaged: {}", printable(sqlite3_errmsg(handle_)))
          .at(path_)
          .hint("frx history check says where; move the file away, and import what was exported, or restore a copy");
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return fail(ErrorKind::unreadable, "the history cannot be opened for this: {}",
                  system_error != 0 ? std::strerror(system_error) : printable(sqlite3_errmsg(handle_)))
          .at(path_)
          .hint("the file and its folder have to be writable; name another file with --store or FRX_HISTORY");
    case SQLITE_TOOBIG:
    case SQLITE_NOMEM:
      return fail(ErrorKind::unreadable, "an answer is too large for the history").at(path_).hint("answers of up to 64 MiB are kept");
    default: break;
  }
  return fail(ErrorKind::unreadable, "the history cannot be read or written: {}", printable(sqlite3_errmsg(handle_)))
      .at(path_)
      .hint("frx history check says whether it is whole");
}

Result<Connection> Connection::open(std::string path, Open how) {
  Connection opened;
  opened.path_ = std::move(path);
  if (how == Open::to_write) TRY(make_folder(opened.path_));
  std::error_code ignored;
  if (how == Open::to_read || std::filesystem::exists(opened.path_, ignored)) TRY(expect_file(opened.path_));
  const int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (how == Open::to_read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  const std::string address = address_of(opened.path_, how);
  const int code = sqlite3_open_v2(address.c_str(), &opened.handle_, flags, nullptr);
  if (code != SQLITE_OK) return opened.failed(code);
  Result<> configured = opened.configure(how);
  if (!configured && sqlite3_extended_errcode(opened.handle_) == SQLITE_READONLY_ROLLBACK) {
    roll_back_what_was_cut(address);
    configured = opened.configure(how);
  }
  TRY(std::move(configured));
  return opened;
}

Result<> Connection::configure(Open how) {
  sqlite3_busy_handler(handle_, wait_for_others, &waited_ms);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, largest_value);
  TRY(run("PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY"));
  TRY(expect_ours(how));
  return {};
}

// Whose the file is; one that is written is brought up to date.
Result<> Connection::expect_ours(Open how) {
  const auto known = static_cast<std::int64_t>(migrations().size());
  TRY_ASSIGN(const std::int64_t objects, number("SELECT count(*) FROM sqlite_schema"));
  TRY_ASSIGN(const std::int64_t application, number("PRAGMA application_id"));
  TRY_ASSIGN(const std::int64_t version, number("PRAGMA user_version"));
  const bool is_new = objects == 0 && application == 0 && version == 0;
  if (!is_new && application != application_id) {
    return fail(ErrorKind::malformed, "expected a history of frx, found a database of another program")
        .at(path_)
        .hint("name another file with --store or FRX_HISTORY; this one is left as it is");
  }
  if (version > known) {
    return fail(ErrorKind::malformed, "the history was written by a newer frx: its schema has version {}, and this one reads up to {}",
                version, known)
        .at(path_)
        .hint("update frx, or name another file with --store or FRX_HISTORY; this one is left as it is");
  }
  if (how == Open::to_read) {
    if (version == known) return {};
    // The first program that writes makes the file before its tables: it may be at work, or was killed.
    if (is_new) return no_history_yet(path_, "the file has no tables");
    return fail(ErrorKind::unreadable, "the history has schema version {} and has to be brought to {}", version, known)
        .at(path_)
        .hint("any command that writes does so: frx history record ANSWER.json");
  }
  TRY(turn_on_wal());
  if (version == known) return {};
  TRY_ASSIGN(Transaction transaction, Transaction::begin(*this));
  TRY_ASSIGN(const std::int64_t now, number("PRAGMA user_version"));  // another process may have been first
  for (std::int64_t i = now; i < known; ++i) TRY(run(std::string(migrations()[static_cast<std::size_t>(i)])));
  TRY(run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, known)));
  return transaction.commit();
}

// Where the file system cannot do that, the database keeps its rollback journal, which is as safe and lets fewer processes work at once.
// SQLite does not wait for the lock that this takes.
Result<> Connection::turn_on_wal() {
  for (int times = 0, waited = 0;; ++times) {
    const Result<> done = run("PRAGMA journal_mode = WAL");
    const int code = sqlite3_errcode(handle_) & 0xFF;
    if (done) return {};
    if (code != SQLITE_BUSY || wait_for_others(&waited, std::max(times, 1)) == 0) return done;
  }
}

Result<> Connection::run(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failed(code);
  return {};
}

Result<Statement> Connection::prepare(std::string_view sql) {
  Statement statement;
  statement.connection_ = this;
  const int code = sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &statement.handle_, nullptr);
  if (code != SQLITE_OK) return failed(code);
  return statement;
}

Result<std::int64_t> Connection::number(std::string_view sql) {
  TRY_ASSIGN(Statement statement, prepare(sql));
  TRY_ASSIGN(const bool has_row, statement.step());
  return has_row ? statement.integer(0) : 0;
}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(connection_, other.connection_);
  std::swap(handle_, other.handle_);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  sqlite3_bind_text64(handle_, parameter, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(handle_, parameter, value);
  return *this;
}

Statement& Statement::bind(int parameter, const std::optional<double>& value) {
  value ? sqlite3_bind_double(handle_, parameter, *value) : sqlite3_bind_null(handle_, parameter);
  return *this;
}

Statement& Statement::bind(int parameter, const std::optional<std::int64_t>& value) {
  value ? sqlite3_bind_int64(handle_, parameter, *value) : sqlite3_bind_null(handle_, parameter);
  return *this;
}

Statement& Statement::bind_or_null(int parameter, std::string_view text) {
  if (!text.empty()) return bind(parameter, text);
  sqlite3_bind_null(handle_, parameter);
  return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view bytes) {
  sqlite3_bind_blob64(handle_, parameter, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return connection_->failed(code);
}

Result<> Statement::run() {
  Result<bool> more = step();
  while (more && *more) more = step();
  reset();
  if (!more) return Failure{std::move(more).error()};
  return {};
}

void Statement::reset() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
}

std::optional<std::int64_t> Statement::maybe_integer(int column) const {
  return is_null(column) ? std::nullopt : std::optional<std::int64_t>(integer(column));
}

std::optional<double> Statement::maybe_real(int column) const { return is_null(column) ? std::nullopt : std::optional(real(column)); }

std::string Statement::text(int column) const {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  return text ? std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))) : std::string();
}

std::string Statement::blob(int column) const {
  const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))) : std::string();
}

Result<Transaction> Transaction::begin(Connection& connection) {
  TRY(connection.run("BEGIN IMMEDIATE"));
  return Transaction(connection);
}

Result<> Transaction::commit() {
  TRY(connection_->run("COMMIT"));
  connection_ = nullptr;
  return {};
}

Transaction::~Transaction() {
  if (connection_) static_cast<void>(connection_->run("ROLLBACK"));
}

}  // namespace frx::history
