# LZ4, preferring the static archive as for yaml-cpp.
find_path(LZ4_INCLUDE lz4.h REQUIRED)
find_library(LZ4_LIBRARY NAMES liblz4.a lz4 REQUIRED)
add_library(frx_lz4 INTERFACE)
target_include_directories(frx_lz4 SYSTEM INTERFACE ${LZ4_INCLUDE})
target_link_libraries(frx_lz4 INTERFACE ${LZ4_LIBRARY})
