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
