# LZ4.
find_path(LZ4_INCLUDE lz4.h REQUIRED)
frx_find_library(lz4 lz4)
add_library(frx_lz4 INTERFACE)
target_include_directories(frx_lz4 SYSTEM INTERFACE ${LZ4_INCLUDE})
target_link_libraries(frx_lz4 INTERFACE ${lz4})
