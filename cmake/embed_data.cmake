# frx_embed_data(TARGET): compiles data/**.yaml into TARGET as constant tables, and writes the headers with
# one constant per metric and per fact of static analysis and runs (frx_generated/metric_ids.h, code_facts.h,
# run_facts.def). The host tool reads the YAML with the same code that reads --data at run time.
function(frx_embed_data target)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/*.yaml ${PROJECT_SOURCE_DIR}/data/*.json)
  list(SORT files)
  set(out ${CMAKE_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${out}/frx_generated)
  set(headers ${out}/frx_generated/metric_ids.h ${out}/frx_generated/code_facts.h ${out}/frx_generated/run_facts.def)
  add_custom_command(
    OUTPUT ${out}/embedded_data.cc ${headers}
    COMMAND frx_embed_tool ${PROJECT_SOURCE_DIR}/data ${out}/embedded_data.cc ${out}/frx_generated
    DEPENDS frx_embed_tool ${files}
    COMMENT "Embedding data/")
  target_sources(${target} PRIVATE ${out}/embedded_data.cc)
  add_custom_target(frx_generated_headers DEPENDS ${headers})
  add_dependencies(${target} frx_generated_headers)
  target_include_directories(${target} PUBLIC ${out})
endfunction()

# frx_compile_data(TARGET): links every program that links TARGET, the catalogues of data/, with what a host tool reads of their expressions
# (knowledge/compiled.h). The tool is made of the same catalogues, so an error in data/ that their reading finds ends the build.
function(frx_compile_data target)
  set(out ${CMAKE_BINARY_DIR}/generated)
  add_executable(frx_compile_tool ${PROJECT_SOURCE_DIR}/tools/compile_data.cc)
  # The archive and not the target, with which also the result of the tool would be linked.
  add_dependencies(frx_compile_tool ${target})
  target_include_directories(frx_compile_tool PRIVATE ${out})
  target_link_libraries(frx_compile_tool PRIVATE $<TARGET_FILE:${target}> frx_model frx_base)
  add_custom_command(
    OUTPUT ${out}/compiled_data.cc
    COMMAND frx_compile_tool ${out}/compiled_data.cc
    DEPENDS frx_compile_tool
    COMMENT "Compiling the expressions of data/")
  add_library(frx_compiled_data STATIC ${out}/compiled_data.cc)
  target_include_directories(frx_compiled_data PRIVATE ${out} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(frx_compiled_data PRIVATE frx_fmt tl::expected)
  target_link_libraries(${target} INTERFACE frx_compiled_data)
endfunction()
