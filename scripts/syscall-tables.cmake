# Writes the names and numbers of system calls as C++ tables, one per ABI. It reads the kernel's headers through the C
# compiler, so that nothing is copied by hand. Called by CMakeLists.txt:
#   cmake -D COMPILER=cc -D PROCESSOR=x86_64 -D OUTPUT=FILE -P scripts/syscall-tables.cmake
# The table of an ABI is empty when this architecture does not have the ABI, or when its header is not installed.

if(PROCESSOR MATCHES "x86_64|amd64|AMD64")
  set(header_native asm/unistd_64.h)
  set(header_compat asm/unistd_32.h)
  set(header_x32 asm/unistd_x32.h)
else()
  set(header_native asm/unistd.h)
  # The header for 32-bit ARM. Debian's linux-libc-dev:armhf and linux-libc-dev-armhf-cross install it in these places.
  if(PROCESSOR MATCHES "aarch64|arm64")
    find_path(arm_headers asm/unistd-eabi.h NO_DEFAULT_PATH NO_CACHE
              PATHS ${SYSROOT}/usr/include/arm-linux-gnueabihf ${SYSROOT}/usr/arm-linux-gnueabihf/include)
    if(arm_headers)
      set(header_compat asm/unistd.h)
      set(options_compat -D__ARM_EABI__ -I${arm_headers})
    endif()
  endif()
endif()

# Preprocesses `text` with the further `options` and stores the output in `result`. It is empty when the compiler fails.
function(preprocess text result)
  file(WRITE ${OUTPUT}.c "${text}")
  execute_process(
    # Removes the bit that marks the numbers of x32, because the tables do not have it.
    COMMAND ${COMPILER} -E -D__X32_SYSCALL_BIT=0 ${ARGN} ${OUTPUT}.c
    OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
  file(REMOVE ${OUTPUT}.c)
  if(NOT status EQUAL 0)
    message(STATUS "no table of system calls from: ${text}${errors}")
    set(output "")
  endif()
  set(${result} "${output}" PARENT_SCOPE)
endfunction()

# Sets `rows` to "{number, "name"}," sorted by number, and `count` to how many. Further arguments go to the compiler.
function(rows_of header rows count)
  preprocess("#include <${header}>\n" macros -dM ${ARGN})
  string(REGEX MATCHALL "#define __NR_[a-z0-9_]+" names "${macros}")
  list(TRANSFORM names REPLACE "#define __NR_" "")
  # These two macros are not system calls: the count, and the first number that an architecture may use for its own
  # calls.
  list(REMOVE_ITEM names syscalls arch_specific_syscall)
  set(text "#include <${header}>\n")
  foreach(name IN LISTS names)
    # In quotes, because the compiler may define a macro of the same name.
    string(APPEND text "@\"${name}\" __NR_${name}\n")
  endforeach()
  preprocess("${text}" values -P ${ARGN})
  string(REGEX MATCHALL "@\"[a-z0-9_]+\" [^\n]+" values "${values}")
  set(sorted)
  foreach(value IN LISTS values)
    string(REGEX MATCH "@\"([a-z0-9_]+)\" (.+)" ignored "${value}")
    set(name ${CMAKE_MATCH_1})
    math(EXPR number "${CMAKE_MATCH_2}")
    list(APPEND sorted "${number} ${name}")
  endforeach()
  list(SORT sorted COMPARE NATURAL)
  list(TRANSFORM sorted REPLACE "^([0-9]+) (.+)$" "    {\\1, \"\\2\"},\n")
  list(LENGTH sorted length)
  list(JOIN sorted "" text)
  set(${rows} "${text}" PARENT_SCOPE)
  set(${count} ${length} PARENT_SCOPE)
endfunction()

set(tables "// Made by scripts/syscall-tables.cmake from the kernel's headers. Included by one file alone.\n")
foreach(abi native compat x32)
  set(rows "")
  set(count 0)
  if(header_${abi})
    rows_of(${header_${abi}} rows count ${options_${abi}})
  endif()
  if(abi STREQUAL native AND count LESS 100)
    message(FATAL_ERROR "${COMPILER} finds ${count} system calls in <${header_native}>: "
                        "are the kernel's headers installed?")
  endif()
  string(APPEND tables "constexpr std::array<SyscallName, ${count}> ${abi}_syscalls{{\n${rows}}};\n")
endforeach()
file(WRITE ${OUTPUT} "${tables}")
