# tree-sitter and its grammar of CUDA C++, as one C library: frx_tree_sitter. The sources are fetched by npm from
# third_party/tree-sitter, where the lock file pins their checksums; see the README there.
set(TREE_SITTER_DIR ${PROJECT_SOURCE_DIR}/third_party/tree-sitter)
set(TREE_SITTER_CORE ${TREE_SITTER_DIR}/node_modules/tree-sitter/vendor/tree-sitter/lib)
set(TREE_SITTER_CUDA ${TREE_SITTER_DIR}/node_modules/tree-sitter-cuda/src)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${TREE_SITTER_DIR}/package-lock.json)

# What npm leaves when it is done; older than the lock file means that a version has changed.
set(fetched ${TREE_SITTER_DIR}/node_modules/.package-lock.json)
if(NOT EXISTS ${TREE_SITTER_CUDA}/parser.c OR NOT EXISTS ${TREE_SITTER_CORE}/src/lib.c OR NOT EXISTS ${fetched}
   OR ${TREE_SITTER_DIR}/package-lock.json IS_NEWER_THAN ${fetched})
  find_program(NPM npm)
  if(NOT NPM)
    message(FATAL_ERROR "npm is needed to fetch the grammar of CUDA: tools/install_dependencies.sh, or apt-get install npm")
  endif()
  message(STATUS "Fetching the grammar of CUDA with npm")
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
    WORKING_DIRECTORY ${TREE_SITTER_DIR} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE words)
  if(failed OR NOT EXISTS ${TREE_SITTER_CUDA}/parser.c)
    message(FATAL_ERROR "npm could not fetch the grammar of CUDA (tree-sitter-cuda). It needs the npm registry once; behind a "
      "mirror, set npm's `registry`. To fetch by hand: cd third_party/tree-sitter && npm ci --ignore-scripts\n${words}")
  endif()
  file(TOUCH ${fetched})
endif()

add_library(frx_tree_sitter STATIC ${TREE_SITTER_CORE}/src/lib.c ${TREE_SITTER_CUDA}/parser.c ${TREE_SITTER_CUDA}/scanner.c)
target_include_directories(frx_tree_sitter SYSTEM PUBLIC ${TREE_SITTER_CORE}/include)
target_include_directories(frx_tree_sitter PRIVATE ${TREE_SITTER_CORE}/src)
# The grammar's own tree_sitter/parser.h, not the core's: they must not be mixed.
set_source_files_properties(${TREE_SITTER_CUDA}/parser.c ${TREE_SITTER_CUDA}/scanner.c PROPERTIES INCLUDE_DIRECTORIES ${TREE_SITTER_CUDA})
target_compile_options(frx_tree_sitter PRIVATE -w -O2)
# Its own undefined behaviour (pointers that are null plus nothing, and the like) is not ours to mend; its memory is
# watched all the same.
if(FRX_SANITIZE MATCHES undefined)
  target_compile_options(frx_tree_sitter PRIVATE -fno-sanitize=undefined)
endif()
