# {fmt}, compiled once into a static library of ours from Debian's headers: see fmt_library.cc.
find_package(fmt 9 REQUIRED)
add_library(frx_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt_library.cc)
target_compile_options(frx_fmt PRIVATE -w)
