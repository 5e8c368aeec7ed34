# Run by CPack after it made the packages: what its generator gets wrong or cannot say is put right, by packaging/debian/finish_package.
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/finish_package ${package} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
