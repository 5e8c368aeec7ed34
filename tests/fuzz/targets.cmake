# Every fuzz target: fuzz/NAME.cc, seeds in fuzz/corpus/NAME/, one FRX_FUZZ_TARGET(NAME) line in fuzz/targets.def.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/targets.def lines REGEX "^FRX_FUZZ_TARGET\\(")
set(FRX_FUZZ_TARGETS)
foreach(line IN LISTS lines)
  string(REGEX REPLACE "FRX_FUZZ_TARGET\\(([a-z0-9_]+).*" "\\1" name "${line}")
  list(APPEND FRX_FUZZ_TARGETS ${name})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/targets.def)
