# Debian packages by CPack: `cpack -G DEB`, after tools/sbom has written third_party/ (tools/build_packages does both). Their programs and
# libraries are linked with FRX_SYSTEM_LIBRARIES.
set(FRX_MAINTAINER "frx maintainers <maintainers@frx.example>" CACHE STRING "who made the packages: NAME <ADDRESS>")
set(debian ${PROJECT_SOURCE_DIR}/packaging/debian)
set(third_party ${PROJECT_BINARY_DIR}/third_party)
set(soname_version 0)

# frx_package(COMPONENT NAME SUMMARY TEXT): the package of a component of cmake/install.cmake, with what every one has in share/doc.
function(frx_package component name copyright summary text)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(folder ${CMAKE_INSTALL_DATADIR}/doc/${name})
  install(FILES ${copyright} DESTINATION ${folder} RENAME copyright COMPONENT ${component})
  install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${folder} RENAME changelog COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/printed/changelog.Debian DESTINATION ${folder} COMPONENT ${component})
  if(EXISTS ${debian}/${component}/lintian-overrides)
    install(FILES ${debian}/${component}/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${name} COMPONENT ${component})
  endif()
endfunction()

string(TIMESTAMP FRX_CHANGELOG_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${debian}/changelog.in ${PROJECT_BINARY_DIR}/printed/changelog.Debian @ONLY)

frx_package(program frx ${third_party}/copyright "tells why GPU work is slow and what to change first"
"frx reads what GPU profilers write (Nsight Compute, Nsight Systems, traces of
PyTorch) and code (CUDA source, PTX, cubins), and answers which bottleneck
costs most time, what the evidence is, what to change, and whether a change
helped. It needs neither a GPU nor a driver for that.")
frx_package(library libfrx${soname_version} ${third_party}/copyright "library that tells why GPU work is slow"
"The analyses of frx, called from another program through a stable interface
in C.")
frx_package(development libfrx-dev ${debian}/copyright "library that tells why GPU work is slow (development files)"
"The header, the CMake package and the pkg-config file for programs that are
built with libfrx.")
frx_package(python python3-fournex ${debian}/copyright "records what a training run waits for (Python 3)"
"The Python package fournex records steps, loader waits, phases and copies of
a training run, and calls the analyses of libfrx in the same process.")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME frx)
set(CPACK_PACKAGE_CONTACT ${FRX_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_COMPONENTS_ALL program library development python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${debian}/finish_files.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${debian}/finish_packages.cmake)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)  # finish_packages.cmake packs again
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# Loaded when they are there: gzip several times as fast, endpoints of models.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libisal2")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libcurl4, python3-fournex")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "libisal2")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${debian}/library/shlibs;${debian}/library/symbols;${debian}/library/triggers)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libfrx${soname_version} (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3:any (>= 3.9), libfrx${soname_version} (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "frx, python3-torch")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${debian}/python/postinst;${debian}/python/prerm)
include(CPack)
