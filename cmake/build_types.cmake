# Compiler settings shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Dev keeps asserts and compiles quickly. -Og takes no longer than -O0, because what it inlines it need not write down once per file: objects are a
# third as large and the tests run in half the time.
set(CMAKE_CXX_FLAGS_DEV -Og)
set(CMAKE_C_FLAGS_DEV -Og)

find_program(CCACHE ccache)
if(CCACHE)
  # A precompiled header can be cached, and found again, only when ccache sees which headers went into it
  # (-fpch-preprocess) and does not mind when they were written.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

# The C++ run-time library inside the binary saves a third of the start-up time and one dependency; and only the
# static one has the demangler that writes piece by piece (base/demangle.cc).
add_link_options(-static-libstdc++ -static-libgcc)
find_program(LLD ld.lld)
if(LLD)
  # Code that runs before main() lies together, and code that hardly ever runs lies apart: a start touches fewer pages, at some microseconds each.
  add_link_options(-fuse-ld=lld -Wl,-z,keep-text-section-prefix)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # The compiler spends a tenth of its time looking for memory that it could use again; a group of files needs less than a gigabyte.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1000000>)
  # Code for shared libraries (libfrx) keeps every call replaceable from outside by default, and so calls what could be inlined. Nobody replaces ours.
  add_compile_options($<$<CONFIG:Release>:-fno-semantic-interposition>)
  # Those that only an optimising GCC 12 gives, of std::optional, std::string and std::sort of its own library that are right; clang-tidy and the
  # sanitizers look for the same mistakes.
  add_compile_options($<$<CONFIG:Release,Dev>:-Wno-maybe-uninitialized$<SEMICOLON>-Wno-array-bounds$<SEMICOLON>-Wno-stringop-overflow$<SEMICOLON>-Wno-restrict>)
endif()

# What is handed out reads files of strangers, and is the same wherever it was built. The last map that fits is the one that counts.
if(FRX_PORTABLE OR FRX_SYSTEM_LIBRARIES)
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=build -fstack-protector-strong)
  add_compile_definitions(_FORTIFY_SOURCE=2)
  add_link_options(-Wl,-z,relro -Wl,-z,now)
endif()

if(FRX_SANITIZE)
  add_compile_options(-fsanitize=${FRX_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1)
  add_link_options(-fsanitize=${FRX_SANITIZE})
endif()
if(FRX_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # stable_sort of libstdc++ 12 calls what libstdc++ 12 has deprecated, and clang warns of it in our name.
  add_compile_options(-Wno-deprecated-declarations)
endif()
if(FRX_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
