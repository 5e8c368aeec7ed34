# Every fuzz target: fuzz/NAME.cc, seeds in fuzz/corpus/NAME/, one FRX_FUZZ_TARGET(NAME, MUTATOR) line in fuzz/targets.def.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/targets.def lines REGEX "^FRX_FUZZ_TARGET\\(")
set(FRX_FUZZ_TARGETS)
foreach(line IN LISTS lines)
  string(REGEX REPLACE "FRX_FUZZ_TARGET\\(([a-z0-9_]+), ([a-z_]+).*" "\\1" name "${line}")
  string(REGEX REPLACE "FRX_FUZZ_TARGET\\(([a-z0-9_]+), ([a-z_]+).*" "\\2" FRX_MUTATOR_OF_${name} "${line}")
  list(APPEND FRX_FUZZ_TARGETS ${name})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/targets.def)

# Changes of inputs that keep their structure.
set(mutators changes elf fatbin report table tokens zip)
list(TRANSFORM mutators REPLACE "(.+)" "${CMAKE_CURRENT_LIST_DIR}/mutate/\\1.cc")
add_library(fuzz_mutators STATIC ${mutators})
target_include_directories(fuzz_mutators PUBLIC ${CMAKE_CURRENT_LIST_DIR}/..)
target_link_libraries(fuzz_mutators PRIVATE frx_lz4 frx_zlib frx_zstd)
