# SQLite, preferring the static archive as for yaml-cpp.
find_path(SQLITE_INCLUDE sqlite3.h REQUIRED)
find_library(SQLITE_LIBRARY NAMES libsqlite3.a sqlite3 REQUIRED)
find_package(Threads REQUIRED)
add_library(frx_sqlite INTERFACE)
target_include_directories(frx_sqlite SYSTEM INTERFACE ${SQLITE_INCLUDE})
target_link_libraries(frx_sqlite INTERFACE ${SQLITE_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS})
