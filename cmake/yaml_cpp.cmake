# yaml-cpp, an archive where there is one: it is used by --data and --arch-profile only, so a shared object would cost start-up time in every
# run. Its shared object needs a shared libstdc++, of which the program has its own (cmake/build_types.cmake).
find_path(YAML_CPP_INCLUDE yaml-cpp/yaml.h REQUIRED)
frx_find_library(yaml_cpp yaml-cpp ARCHIVE)
add_library(frx_yaml_cpp INTERFACE)
target_include_directories(frx_yaml_cpp SYSTEM INTERFACE ${YAML_CPP_INCLUDE})
target_link_libraries(frx_yaml_cpp INTERFACE ${yaml_cpp})
