# frx_unity(TARGET source ... [ALONE pattern ...]): compiles the C++ sources of a folder in groups, so that a header which twenty files include is
# read, and what they instantiate compiled, a few times and not twenty.
#
# A group holds about FRX_UNITY_SIZE files of one folder of src/ or tests/ and the folders in it. Which one a file is in depends on its
# name and on how many groups its folder has, a power of two: a new file does not push others into other groups. Files of one group
# share their unnamed namespaces: two helpers of one name are an error of the compiler, to be solved by a better name or by a pattern of ALONE, which
# regular expressions compare with names of files.
option(FRX_UNITY "Compile sources in groups: much faster as a whole, slower for one file" ON)
# A release optimises a group as a whole, which takes more memory and time the larger it is. Without much optimisation the larger group is
# compiled in about a quarter less time than its halves, with up to 2.5 GB; where one file is edited again and again, -DFRX_UNITY_SIZE=14.
if(CMAKE_BUILD_TYPE STREQUAL "Dev")
  set(unity_size 54)
else()
  set(unity_size 14)
endif()
set(FRX_UNITY_SIZE ${unity_size} CACHE STRING "A folder of more files than this is split into groups of at most about as many")

# The sources of one folder, among the groups FOLDER_0, FOLDER_1, ...
function(frx_unity_folder folder)
  list(LENGTH ARGN count)
  set(groups 1)
  while(count GREATER FRX_UNITY_SIZE)
    math(EXPR groups "${groups} * 2")
    math(EXPR count "(${count} + 1) / 2")
  endwhile()
  string(MAKE_C_IDENTIFIER ${folder} name)
  foreach(source IN LISTS ARGN)
    get_filename_component(file ${source} NAME)
    string(MD5 hash ${file})
    string(SUBSTRING ${hash} 0 4 hash)
    math(EXPR group "0x${hash} % ${groups}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${group})
  endforeach()
endfunction()

function(frx_unity target)
  if(NOT FRX_UNITY)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
  foreach(pattern IN LISTS ARG_ALONE)
    list(FILTER ARG_UNPARSED_ARGUMENTS EXCLUDE REGEX "/${pattern}$")
  endforeach()
  set(folders)
  foreach(source IN LISTS ARG_UNPARSED_ARGUMENTS)
    get_filename_component(source ${source} ABSOLUTE)
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    string(REGEX MATCH "^[^/]*/[^/]*" folder ${folder})
    list(APPEND folders ${folder})
    list(APPEND sources_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    frx_unity_folder(${folder} ${sources_${folder}})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
