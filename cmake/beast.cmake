# Boost.Beast and Asio: headers alone, nothing to link but threads.
find_path(BEAST_INCLUDE boost/beast/http.hpp REQUIRED)
find_package(Threads REQUIRED)
add_library(frx_beast INTERFACE)
target_include_directories(frx_beast SYSTEM INTERFACE ${BEAST_INCLUDE})
target_compile_definitions(frx_beast INTERFACE BOOST_ERROR_CODE_HEADER_ONLY BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_CO_AWAIT)
target_link_libraries(frx_beast INTERFACE Threads::Threads)
