# zlib.
find_path(ZLIB_INCLUDE zlib.h REQUIRED)
frx_find_library(zlib z)
add_library(frx_zlib INTERFACE)
target_include_directories(frx_zlib SYSTEM INTERFACE ${ZLIB_INCLUDE})
target_link_libraries(frx_zlib INTERFACE ${zlib})
