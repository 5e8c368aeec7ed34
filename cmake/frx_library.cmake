# frx_library(NAME [DEPENDS folder ...] [LINKS target ...] [NO_TESTS file ...] [ALONE pattern ...]
#             [PRECOMPILE header ...] [PRECOMPILED_BY folder] [SPARING]): one folder of src/ as one library.
#
# Sources are every .cc beside the CMakeLists.txt; *_test.cc go to the test program, but for those named by NO_TESTS.
# They are compiled in groups (cmake/unity.cmake), but for those whose names match a pattern of ALONE.
# Its files start from the precompiled header of base; PRECOMPILE adds headers to a copy of its own, which another folder
# takes over with PRECOMPILED_BY, and SPARING with it. SPARING: a release optimises the folder little, since it runs once per command and would take most of the time of
# a build. A folder may only include folders it DEPENDS on; tests/meta/layers checks the includes.
function(frx_library name)
  cmake_parse_arguments(ARG "SPARING" "PRECOMPILED_BY" "DEPENDS;LINKS;EXCLUDE;NO_TESTS;ALONE;PRECOMPILE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  foreach(excluded IN LISTS ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "/${excluded}$")
  endforeach()
  list(APPEND sources ${ARG_NO_TESTS})
  add_library(frx_${name} STATIC ${sources})
  frx_unity(frx_${name} ${sources} ALONE ${ARG_ALONE})
  target_include_directories(frx_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(frx_${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                               -Wno-missing-field-initializers)
  if(ARG_PRECOMPILED_BY)
    # GCC 12 crashes (IPA pass cp) where code of -O3 starts from a header that was precompiled with -O1.
    get_target_property(ARG_SPARING frx_${ARG_PRECOMPILED_BY} FRX_SPARING)
  endif()
  set_target_properties(frx_${name} PROPERTIES FRX_SPARING "${ARG_SPARING}")
  if(ARG_SPARING)
    target_compile_options(frx_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  list(TRANSFORM ARG_DEPENDS PREPEND frx_)
  target_link_libraries(frx_${name} PUBLIC ${ARG_DEPENDS} frx_fmt tl::expected ${ARG_LINKS})
  if(ARG_PRECOMPILE)
    get_property(common GLOBAL PROPERTY FRX_PRECOMPILED)
    target_precompile_headers(frx_${name} PRIVATE ${common} ${ARG_PRECOMPILE})
  elseif(ARG_PRECOMPILED_BY)
    target_precompile_headers(frx_${name} REUSE_FROM frx_${ARG_PRECOMPILED_BY})
  elseif(NOT name STREQUAL base)
    target_precompile_headers(frx_${name} REUSE_FROM frx_base)
  endif()
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  foreach(source IN LISTS ARG_NO_TESTS)
    list(REMOVE_ITEM tests ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY FRX_TEST_SOURCES ${tests})
  set_property(GLOBAL APPEND PROPERTY FRX_LIBRARIES frx_${name})
endfunction()
