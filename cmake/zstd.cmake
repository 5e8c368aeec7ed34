# zstd.
find_path(ZSTD_INCLUDE zstd.h REQUIRED)
frx_find_library(zstd zstd)
add_library(frx_zstd INTERFACE)
target_include_directories(frx_zstd SYSTEM INTERFACE ${ZSTD_INCLUDE})
target_link_libraries(frx_zstd INTERFACE ${zstd})
