# Included by tests/: what only tests are made of is compiled by clang-19 where it is installed, without optimisation. GCC takes two and a half times as long,
# optimised or not, and tests are half of all code. What is tested is compiled as ever (docs/adr/0030-tests-are-compiled-by-clang.md).
# Sanitizers and counters of coverage bring a run-time library of their compiler, so that those builds take one compiler for everything.
option(FRX_TESTS_BY_CLANG "Compile tests by clang-19, where it is installed: less than half the time" ON)
if(NOT FRX_TESTS_BY_CLANG OR NOT CMAKE_BUILD_TYPE STREQUAL Dev OR FRX_SANITIZE OR FRX_COVERAGE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  return()
endif()
find_program(FRX_TEST_COMPILER clang++-19)
if(NOT FRX_TEST_COMPILER)
  return()
endif()

# The rule by which CMake calls the compiler, its flags and how it precompiles headers belong to a folder; the latter as in CMake's Compiler/Clang.cmake.
string(REPLACE "<CMAKE_CXX_COMPILER>" "${FRX_TEST_COMPILER}" CMAKE_CXX_COMPILE_OBJECT "${CMAKE_CXX_COMPILE_OBJECT}")
set(CMAKE_CXX_FLAGS_DEV -O0)
set(CMAKE_PCH_EXTENSION .pch)
set(CMAKE_PCH_PROLOGUE "#pragma clang system_header")
set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE> -Xclang -include -Xclang <PCH_HEADER>)
set(CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH -Xclang -emit-pch -Xclang -include -Xclang <PCH_HEADER> -x c++-header)
set(CMAKE_CXX_COMPILE_OPTIONS_INSTANTIATE_TEMPLATES_PCH -fpch-instantiate-templates)
# In place of the options for GCC: the library of the GCC that compiles the rest, where there are several. It calls what it has deprecated, and clang
# warns of that in our name.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-libgcc-file-name OUTPUT_VARIABLE gcc_folder OUTPUT_STRIP_TRAILING_WHITESPACE)
cmake_path(GET gcc_folder PARENT_PATH gcc_folder)
set_directory_properties(PROPERTIES
  COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:--gcc-install-dir=${gcc_folder};-Wno-deprecated-declarations>")

# Inline functions and templates that tests and libraries share are in the objects of both, and the linker takes the first that it sees. It is shown the
# libraries first: with a test's copy of std::sort, a library's function takes several times as long.
list(TRANSFORM FRX_LIBRARIES REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
list(JOIN archives " " archives)
target_link_options(frx_test_settings INTERFACE "SHELL:-Wl,--whole-archive ${archives} -Wl,--no-whole-archive")
