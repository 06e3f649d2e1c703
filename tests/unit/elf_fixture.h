// Compiles ELF files from a few lines of source when a test runs, and gets their symbols from nm.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "elf/file.h"
#include "elf/symbols.h"
#include "support/fd.h"

namespace profile::test {

class Directory {
 public:
  Directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "profile-elf-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline const Directory& directory() {
  static const Directory made;
  return made;
}

inline bool run(const std::string& command) {
  return std::system((command + " 2>" + directory().file("errors")).c_str()) == 0;
}

// Compiles `source` and returns the path of the result; "": the compiler of this machine cannot do it. `name` ends with
// the language (".c", ".s").
inline std::string compile(const std::string& name, const std::string& source, const std::string& flags) {
  static int number = 0;
  const std::string text = directory().file(std::to_string(++number) + name);
  const std::string out = text + ".out";
  std::ofstream(text) << source;
  const char* const compiler = std::getenv("CC");
  const bool done = run(std::string(compiler != nullptr ? compiler : "cc") + " " + flags + " -o " + out + " " + text);
  return done ? out : "";
}

inline Fd open_file(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(fd);
  return fd;
}

inline std::vector<Symbol> resolve(const std::string& path, const std::vector<std::uint64_t>& values) {
  const Fd fd = open_file(path);
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  REQUIRE_MESSAGE(file, why);
  std::vector<ElfAddress> addresses;
  for (const std::uint64_t value : values) addresses.push_back({value});
  std::vector<Symbol> symbols(addresses.size());
  resolve_symbols(*file, addresses, symbols);
  return symbols;
}

inline std::string one(const std::string& path, std::uint64_t address) {
  const Symbol symbol = resolve(path, {address})[0];
  return symbol.unnamed == Unnamed::named ? symbol.name + "+" + std::to_string(address - symbol.start) : "?";
}

// Name to (address, size), as nm prints them.
inline std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> known(const std::string& path) {
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> symbols;
  const std::string list = path + ".nm";
  REQUIRE(run("nm -f posix -t d " + path + " >" + list));
  std::ifstream in(list);
  std::string line;
  while (std::getline(in, line)) {
    char name[512] = {};
    char type = 0;
    unsigned long address = 0;
    unsigned long size = 0;
    if (std::sscanf(line.c_str(), "%511s %c %lu %lu", name, &type, &address, &size) >= 3)
      symbols[name] = {address, size};
  }
  return symbols;
}

// Assembly with directives only, so it is the same on every machine.
constexpr const char* labels_source =
    ".text\n"
    ".globl outer\n.type outer, %function\nouter: .skip 16\n"
    ".type inner, %function\ninner: .skip 8\n.size inner, .-inner\n"
    ".skip 8\n.size outer, .-outer\n"               // outer: 32 bytes, inner at 16..24
    ".skip 8\n"                                     // 32..40: no function
    ".type unsized, %function\nunsized: .skip 8\n"  // 40..48
    ".globl __write\n.type __write, %function\n.weak write\n.type write, %function\n"
    ".globl __GI_write\n.type __GI_write, %function\n.globl longer_write\n.type longer_write, %function\n"
    ".type local_write, %function\n"
    "__write: write: __GI_write: longer_write: local_write: .skip 8\n"  // 48..56
    ".size __write, 8\n.size write, 8\n.size __GI_write, 8\n.size longer_write, 8\n.size local_write, 8\n"
    "plain_label: .skip 4\n"  // 56..64
    ".skip 4\n"
    ".globl last\n.type last, %function\nlast: .skip 4\n.size last, .-last\n"  // 64..68
    ".skip 12\n"                                                               // 68..80
    ".type sized_twin, %function\n.type unsized_twin, %function\n"
    ".globl unsized_twin\nunsized_twin: sized_twin: .skip 8\n.size sized_twin, 8\n"  // 80..88, then no function
    ".skip 8\n"
    ".type tail, %function\ntail: .skip 8\n"  // 96 to the end of the section, 104
    ".data\n.globl data\ndata: .skip 64\n";

inline std::string labels() {
  static const std::string path = compile("labels.s", labels_source, "-shared -nostdlib");
  REQUIRE(!path.empty());
  return path;
}

}  // namespace profile::test
