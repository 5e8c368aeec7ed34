# zlib, preferring the static archive as for yaml-cpp.
find_path(ZLIB_INCLUDE zlib.h REQUIRED)
find_library(ZLIB_ARCHIVE NAMES libz.a z REQUIRED)
add_library(frx_zlib INTERFACE)
target_include_directories(frx_zlib SYSTEM INTERFACE ${ZLIB_INCLUDE})
target_link_libraries(frx_zlib INTERFACE ${ZLIB_ARCHIVE})
