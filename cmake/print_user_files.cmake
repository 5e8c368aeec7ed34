# Run by cmake/install.cmake: what FRX prints, as files in OUT, each under a temporary name until it is whole.
function(print name)
  execute_process(COMMAND ${FRX} ${ARGN} OUTPUT_FILE ${OUT}/${name}.part RESULT_VARIABLE failed ERROR_VARIABLE words)
  if(failed)
    message(FATAL_ERROR "${FRX} could not print ${name}: ${words}")
  endif()
  file(RENAME ${OUT}/${name}.part ${OUT}/${name})
endfunction()

file(MAKE_DIRECTORY ${OUT})
print(frx.1 man)
foreach(shell bash zsh fish)
  print(${shell} completion ${shell})
endforeach()
