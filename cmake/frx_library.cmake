# frx_library(NAME [DEPENDS folder ...] [LINKS target ...]): one folder of src/ as one library.
#
# Sources are every .cc beside the CMakeLists.txt; *_test.cc go to the test program of the folder.
# A folder may only include folders it DEPENDS on; tests/meta/layers checks the includes.
function(frx_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINKS;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  foreach(excluded IN LISTS ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "/${excluded}$")
  endforeach()
  add_library(frx_${name} STATIC ${sources})
  target_include_directories(frx_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(frx_${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  list(TRANSFORM ARG_DEPENDS PREPEND frx_)
  target_link_libraries(frx_${name} PUBLIC ${ARG_DEPENDS} fmt::fmt-header-only tl::expected ${ARG_LINKS})
  if(NOT name STREQUAL base)
    target_precompile_headers(frx_${name} REUSE_FROM frx_base)
  endif()
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  set_property(GLOBAL APPEND PROPERTY FRX_TEST_SOURCES ${tests})
  set_property(GLOBAL APPEND PROPERTY FRX_LIBRARIES frx_${name})
endfunction()
