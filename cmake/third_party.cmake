# frx_find_library(VARIABLE NAME [ARCHIVE]): a library of C or C++ that is linked in, preferring the static archive: one fewer shared object to
# load in every run. FRX_PORTABLE accepts nothing else. FRX_SYSTEM_LIBRARIES takes the shared object, so that the system's updates of what
# reads untrusted files reach frx; ARCHIVE is for what cannot be shared.
function(frx_find_library variable name)
  cmake_parse_arguments(ARG "ARCHIVE" "" "" ${ARGN})
  if(FRX_SYSTEM_LIBRARIES AND NOT ARG_ARCHIVE)
    set(names lib${name}.so)
  elseif(FRX_PORTABLE)
    set(names lib${name}.a)
  else()
    set(names lib${name}.a ${name})
  endif()
  # Not cached: the options above may change in a tree.
  find_library(found NAMES ${names} NO_CACHE REQUIRED)
  set(${variable} ${found} PARENT_SCOPE)
endfunction()
