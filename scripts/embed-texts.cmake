# Writes files into a C++ header as string constants. Called by CMakeLists.txt:
#   cmake -D OUTPUT=FILE.h -P scripts/embed-texts.cmake FILE...
# "profile.bash" becomes profile::texts::profile_bash. The text stays a file, so that editors and shellcheck know its
# language.
cmake_minimum_required(VERSION 3.25)

set(header "// Made by scripts/embed-texts.cmake.\n#pragma once\n#include <string_view>\nnamespace profile::texts {\n")
math(EXPR last "${CMAKE_ARGC} - 1")
# The files come after -D OUTPUT=FILE -P SCRIPT.
foreach(number RANGE 5 ${last})
  set(path ${CMAKE_ARGV${number}})
  file(READ ${path} text)
  if("${text}" MATCHES "\\)text\"")
    message(FATAL_ERROR "${path} holds what ends a C++ literal")
  endif()
  get_filename_component(name ${path} NAME)
  string(MAKE_C_IDENTIFIER ${name} name)
  string(APPEND header "inline constexpr std::string_view ${name} = R\"text(${text})text\";\n")
endforeach()
string(APPEND header "}  // namespace profile::texts\n")
file(WRITE ${OUTPUT} "${header}")
