// The types of the running kernel, as its BTF describes them: where members lie, and which values enumerators have. Of
// all its types only those that are asked for are remembered, which takes a millisecond or two; libbpf's own reader
// takes
// 70. Pure: reads bytes and trusts none of them. Format: Documentation/bpf/btf.rst of the kernel.
#pragma once

#include <linux/btf.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profile {

class KernelTypes {
 public:
  // nullopt: no BTF, or a damaged one. `wanted`: the names of structures and enumerations that will be asked for.
  // `bytes` must outlive it.
  static std::optional<KernelTypes> read(std::span<const std::byte> bytes, std::span<const std::string_view> wanted);

  struct Member {
    std::uint32_t bits_at = 0;  // from the beginning of the structure
    std::uint32_t bits = 0;     // of a bit field; 0: it is none
    std::uint32_t type = 0;
  };
  // "context.vdso" of "mm_struct": the member of a member; those of nameless members are found, too.
  [[nodiscard]] std::optional<Member> member(std::string_view structure, std::string_view path) const;
  [[nodiscard]] std::optional<std::uint32_t> size_of(std::string_view structure) const;
  [[nodiscard]] std::optional<std::int32_t> enumerator(std::string_view enumeration, std::string_view name) const;
  // BTF in its turn, of the types asked for and of what lies in them; all pointers lead to void.
  [[nodiscard]] std::vector<std::byte> excerpt() const;
  // Of a member's type.
  [[nodiscard]] bool is_structure(const Member& member) const;
  [[nodiscard]] std::uint32_t elements(const Member& member) const;  // of an array; 0: it is none
  [[nodiscard]] std::uint32_t bytes(const Member& member) const;     // of a number; 0: it is none

 private:
  class Excerpt;
  static constexpr int most_nested = 16;  // nameless members in nameless members, and names of names

  // Whether it only renames or qualifies another.
  static bool is_qualifier(std::uint32_t kind);
  // A type's place in the section of types: 0 is `void`.
  [[nodiscard]] const btf_type* at(std::uint32_t id) const;
  [[nodiscard]] const btf_type* named(std::string_view name) const;
  // Without what only qualifies or renames it.
  [[nodiscard]] const btf_type* plain(std::uint32_t id) const;
  [[nodiscard]] std::string_view text(std::uint32_t at) const;
  [[nodiscard]] std::optional<Member> member_of(const btf_type& type, std::string_view name, int depth) const;
  bool read_types(std::span<const std::string_view> wanted);

  std::span<const std::byte> types_;
  std::span<const std::byte> texts_;
  std::vector<std::uint32_t> places_{0};  // by id, in types_
  std::map<std::string_view, std::uint32_t> ids_;
};

}  // namespace profile
