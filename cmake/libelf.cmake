# libelf (elfutils), preferring the static archive as for yaml-cpp: one fewer shared object to load in every
# run. The archive needs zlib, and zstd as well since elfutils 0.189.
find_path(LIBELF_INCLUDE gelf.h REQUIRED)
find_library(LIBELF_LIBRARY NAMES libelf.a elf REQUIRED)
add_library(frx_libelf INTERFACE)
target_include_directories(frx_libelf SYSTEM INTERFACE ${LIBELF_INCLUDE})
# The archive keeps its errors per thread in a way that only programs can link: libraries (FRX_SHARED) take the shared object.
find_library(LIBELF_SHARED NAMES elf REQUIRED)
target_link_libraries(frx_libelf INTERFACE $<IF:$<BOOL:$<TARGET_PROPERTY:FRX_SHARED>>,${LIBELF_SHARED},${LIBELF_LIBRARY}>)
if(LIBELF_LIBRARY MATCHES "\\.a$")
  find_library(LIBELF_ZLIB NAMES libz.a z REQUIRED)
  find_library(LIBELF_ZSTD NAMES libzstd.a)
  target_link_libraries(frx_libelf INTERFACE ${LIBELF_ZLIB})
  if(LIBELF_ZSTD)
    target_link_libraries(frx_libelf INTERFACE ${LIBELF_ZSTD})
  endif()
endif()
