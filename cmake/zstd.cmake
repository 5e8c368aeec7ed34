# zstd, preferring the static archive as for yaml-cpp.
find_path(ZSTD_INCLUDE zstd.h REQUIRED)
find_library(ZSTD_LIBRARY NAMES libzstd.a zstd REQUIRED)
add_library(frx_zstd INTERFACE)
target_include_directories(frx_zstd SYSTEM INTERFACE ${ZSTD_INCLUDE})
target_link_libraries(frx_zstd INTERFACE ${ZSTD_LIBRARY})
