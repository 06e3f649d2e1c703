// The BTF of the running kernel, as it lies in /sys.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "support/fd.h"

namespace profile {

// Mapped, from Linux 6.16 on, so that its five megabytes are no memory of ours; elsewhere read.
class TypesFile {
 public:
  TypesFile();
  ~TypesFile();
  TypesFile(const TypesFile&) = delete;
  TypesFile& operator=(const TypesFile&) = delete;

  // Empty: there is none.
  [[nodiscard]] std::span<const std::byte> bytes() const { return mapped_.empty() ? std::span(read_) : mapped_; }

 private:
  void read(const Fd& file, std::size_t size);

  std::span<const std::byte> mapped_;
  std::vector<std::byte> read_;
};

// Those of the kernel's types that the programs of bpf/ read (kernel.bpf.h), as a file for libbpf, which takes 60 ms
// and 5 MB to read them all.
class ReadTypes {
 public:
  ReadTypes();
  // Good as long as this; empty: there is no such file, and libbpf is to read for itself.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Fd file_;
  std::string path_;
};

}  // namespace profile
