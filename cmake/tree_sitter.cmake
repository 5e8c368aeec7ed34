# tree-sitter and its grammar of CUDA C++, as one C library: frx_tree_sitter. The sources come from the npm
# registry, pinned by the checksums below (docs/adr/0007). All build trees share what was fetched. A newer grammar: change
# version and checksum here and run the tests.
set(TREE_SITTER_CORE ${NPM_SOURCES}/tree-sitter/vendor/tree-sitter/lib)
set(TREE_SITTER_CUDA ${NPM_SOURCES}/tree-sitter-cuda/src)

frx_fetch_npm(tree-sitter 0.25.1
  9ab70476462d1dfacad40e9fb373ba171901a344228395d45ea1e1c54390bb46e63e8d34405e17692c7879da5acdd1f0c674828e518a1a022a59d68de1dbd32c)
frx_fetch_npm(tree-sitter-cuda 0.21.1
  57ccc8db671f890cadd10defeca3e433829530f5ea2201eb71b60262f7c50722dc33b3ccebe9a9ce14561af50fe10826c179161dd709a097090be79fe95f59e8)

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
