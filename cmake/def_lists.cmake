# Turns the `KIND(name)` lines of a .def file into sources PREFIXname.cc of TARGET, so that a new
# member of a registry is one new file and one line in its list.
function(target_sources_from_def target kind def prefix)
  file(STRINGS ${def} lines REGEX "^${kind}\\(")
  set(sources)
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "${kind}\\(([a-z0-9_]+).*" "${prefix}\\1.cc" source "${line}")
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      message(FATAL_ERROR "${def} lists ${line}, but there is no ${source} beside it")
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${def})
endfunction()
