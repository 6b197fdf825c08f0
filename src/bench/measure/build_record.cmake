# Writes build_record.hpp; run at every build, so that it names the commit that is built.
if(NOT SKDE_COMMIT)
  execute_process(COMMAND git -C "${SKDE_SOURCE}" describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE SKDE_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed OR NOT SKDE_COMMIT)
    set(SKDE_COMMIT unknown)
  endif()
endif()
configure_file("${SKDE_SOURCE}/src/bench/measure/build_record.hpp.in" "${SKDE_OUTPUT}" @ONLY)
