# SQLite.
find_path(SQLITE_INCLUDE sqlite3.h REQUIRED)
frx_find_library(sqlite sqlite3)
find_package(Threads REQUIRED)
add_library(frx_sqlite INTERFACE)
target_include_directories(frx_sqlite SYSTEM INTERFACE ${SQLITE_INCLUDE})
target_link_libraries(frx_sqlite INTERFACE ${sqlite} Threads::Threads ${CMAKE_DL_LIBS})
