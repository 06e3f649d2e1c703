// The BTF of the running kernel, from /sys/kernel/btf/vmlinux.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "support/fd.h"

namespace profile {

// The bytes of the file. From Linux 6.16 on they are mapped, so that the five megabytes are not memory of this process;
// on older kernels they are read.
class TypesFile {
 public:
  TypesFile();
  ~TypesFile();
  TypesFile(const TypesFile&) = delete;
  TypesFile& operator=(const TypesFile&) = delete;

  // Empty: the kernel has no BTF.
  [[nodiscard]] std::span<const std::byte> bytes() const { return mapped_.empty() ? std::span(read_) : mapped_; }

 private:
  std::span<const std::byte> mapped_;
  std::vector<std::byte> read_;
};

// A file for libbpf with only those kernel types that BPF programs read (kernel.bpf.h). To read all types takes libbpf
// 60 ms and 5 MB.
class ReadTypes {
 public:
  ReadTypes();
  // Valid while this object lives. Empty: there is no such file, and libbpf must read the kernel's BTF itself.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Fd file_;
  std::string path_;
};

}  // namespace profile
