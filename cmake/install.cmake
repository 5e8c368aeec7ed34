# What `cmake --install` puts where, in components: program, library, development, python. docs/install.md lists the files.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(FRX_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "folder of zsh's completions below the prefix")
set(FRX_PYTHON_PACKAGES "" CACHE STRING "folder below the prefix for the Python package, such as lib/python3/dist-packages; empty: it is left to pip")

# The manual page and the completions, as the program prints them.
set(printed ${PROJECT_BINARY_DIR}/printed)
set(printed_files ${printed}/frx.1 ${printed}/bash ${printed}/zsh ${printed}/fish)
add_custom_command(OUTPUT ${printed_files}
  COMMAND ${CMAKE_COMMAND} -D FRX=$<TARGET_FILE:frx> -D OUT=${printed} -P ${CMAKE_CURRENT_LIST_DIR}/print_user_files.cmake
  DEPENDS frx ${CMAKE_CURRENT_LIST_DIR}/print_user_files.cmake
  COMMENT "Printing the manual page and the completions" VERBATIM)
add_custom_target(frx_user_files ALL DEPENDS ${printed_files})

install(TARGETS frx RUNTIME COMPONENT program)
install(FILES ${printed}/frx.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
# The other names of the program: links beside it in the build tree, and a page that brings frx's.
file(CONFIGURE OUTPUT ${printed}/other_name.1 CONTENT ".so man1/frx.1\n")
foreach(name fournex operator-profiler cgp)
  install(PROGRAMS ${PROJECT_BINARY_DIR}/${name} TYPE BIN COMPONENT program)
  install(FILES ${printed}/other_name.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME ${name}.1 COMPONENT program)
endforeach()
# bash looks for a file by the name that is completed.
foreach(name frx fournex)
  install(FILES ${printed}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${name} COMPONENT program)
endforeach()
install(FILES ${printed}/zsh DESTINATION ${FRX_ZSH_COMPLETIONS} RENAME _frx COMPONENT program)
install(FILES ${printed}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME frx.fish COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/frx COMPONENT program)

install(TARGETS libfrx EXPORT frx_targets
  LIBRARY COMPONENT library NAMELINK_COMPONENT development INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(FRX_PORTABLE AND NOT FRX_SYSTEM_LIBRARIES)
  # libfrx needs the shared object of libelf (cmake/libelf.cmake); a system may have none, or another one.
  set_target_properties(libfrx PROPERTIES INSTALL_RPATH "$ORIGIN/frx")
  file(REAL_PATH ${LIBELF_SHARED} libelf_file)
  install(FILES ${libelf_file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/frx RENAME libelf.so.1 COMPONENT library)
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/frx TYPE INCLUDE COMPONENT development)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/frx)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/frxConfig.cmake.in ${printed}/frxConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${printed}/frxConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${printed}/frxConfig.cmake ${printed}/frxConfigVersion.cmake DESTINATION ${package_folder} COMPONENT development)
install(EXPORT frx_targets FILE frxTargets.cmake NAMESPACE frx:: DESTINATION ${package_folder} COMPONENT development)
# The prefix as seen from the folder of frx.pc, so that an installation can be moved.
file(RELATIVE_PATH FRX_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" FRX_PC_PREFIX ${FRX_PC_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/frx.pc.in ${printed}/frx.pc @ONLY)
install(FILES ${printed}/frx.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(FRX_PYTHON_PACKAGES)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/fournex DESTINATION ${FRX_PYTHON_PACKAGES} COMPONENT python
    PATTERN __pycache__ EXCLUDE PATTERN "*.so" EXCLUDE)
  file(CONFIGURE OUTPUT ${printed}/METADATA CONTENT
    "Metadata-Version: 2.1\nName: fournex\nVersion: ${PROJECT_VERSION}\nSummary: Records what a training run waits for\nLicense: Apache-2.0\nRequires-Python: >=3.9\n")
  install(FILES ${printed}/METADATA DESTINATION ${FRX_PYTHON_PACKAGES}/fournex-${PROJECT_VERSION}.dist-info COMPONENT python)
endif()
