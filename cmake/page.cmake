# frx_page: frx_generated/page.h, the texts of web/ as constants. The scripts are bundled from TypeScript, for which npm is needed; without
# it they are empty, and `page_problem` says why.
frx_install_npm(${PROJECT_SOURCE_DIR}/web ${NPM_SOURCES}/web FRX_PAGE_PROBLEM)
set(out ${PROJECT_BINARY_DIR}/page)
set(web ${PROJECT_SOURCE_DIR}/web)
file(GLOB_RECURSE scripts CONFIGURE_DEPENDS ${web}/src/*.ts ${web}/src/*.tsx)
file(GLOB styles CONFIGURE_DEPENDS ${web}/*.css)
file(MAKE_DIRECTORY ${out}/frx_generated)
if(FRX_PAGE_PROBLEM)
  message(STATUS "No page: ${FRX_PAGE_PROBLEM}")
  file(WRITE ${out}/report.js "")
  file(WRITE ${out}/analyzer.js "")
else()
  add_custom_command(OUTPUT ${out}/report.js ${out}/analyzer.js
    COMMAND ${NODE} ${web}/build.mjs ${NPM_SOURCES}/web ${out}
    DEPENDS ${scripts} ${web}/build.mjs ${web}/package-lock.json
    COMMENT "Bundling the scripts of the page")
endif()
add_custom_command(OUTPUT ${out}/frx_generated/page.h
  COMMAND ${CMAKE_COMMAND} -D WEB=${web} -D OUT=${out} "-DPROBLEM=${FRX_PAGE_PROBLEM}" -P ${CMAKE_CURRENT_LIST_DIR}/embed_page.cmake
  DEPENDS ${out}/report.js ${out}/analyzer.js ${styles} ${web}/index.html ${CMAKE_CURRENT_LIST_DIR}/embed_page.cmake
  COMMENT "Embedding the page" VERBATIM)
add_custom_target(frx_page DEPENDS ${out}/frx_generated/page.h)

function(frx_uses_page target)
  add_dependencies(${target} frx_page)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/page)
endfunction()
