# yaml-cpp, preferring the static archive: it is used by --data and --arch-profile only, so a
# shared object would cost start-up time in every run.
find_path(YAML_CPP_INCLUDE yaml-cpp/yaml.h REQUIRED)
find_library(YAML_CPP_LIBRARY NAMES libyaml-cpp.a yaml-cpp REQUIRED)
add_library(frx_yaml_cpp INTERFACE)
target_include_directories(frx_yaml_cpp SYSTEM INTERFACE ${YAML_CPP_INCLUDE})
target_link_libraries(frx_yaml_cpp INTERFACE ${YAML_CPP_LIBRARY})
