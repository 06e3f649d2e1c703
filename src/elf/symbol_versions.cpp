#include "elf/symbol_versions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace profile {
namespace {

constexpr std::string_view section_name = ".gnu.version_d";
// The C library has some forty. Versions beyond these limits are not known, so their names stay whole.
constexpr std::size_t most_versions = 4096;
constexpr std::uint64_t most_version_bytes = 256;

bool is_part_of_version(char letter) {
  const auto is_between = [letter](char first, char last) { return letter >= first && letter <= last; };
  return is_between('0', '9') || is_between('a', 'z') || is_between('A', 'Z') ||
         std::string_view("_.+-").find(letter) != std::string_view::npos;
}

// struct Verdef of <elf.h>, as words: its halves are vd_version, vd_flags, vd_ndx and vd_cnt.
struct Definition {
  static constexpr std::size_t words = 5;
  static constexpr std::size_t name_at = 3;  // bytes from here to its struct Verdaux, whose first word is the name
  static constexpr std::size_t next = 4;     // bytes from here to the next definition; 0: none
};

}  // namespace

std::string_view SymbolVersions::without_version(std::string_view name) {
  const auto at = name.rfind('@');
  if (at == std::string_view::npos || at == 0) return name;
  const std::string_view version = name.substr(at + 1);
  if (version.empty() || version.size() > most_version_bytes || !std::ranges::all_of(version, is_part_of_version)) {
    return name;
  }
  const bool is_default = name[at - 1] == '@';
  const std::string_view bare = name.substr(0, is_default ? at - 1 : at);
  return !bare.empty() && (is_default || defines(version)) ? bare : name;
}

bool SymbolVersions::defines(std::string_view version) {
  if (!std::exchange(is_read_, true)) read();
  return are_elsewhere_ || versions_.contains(version);
}

void SymbolVersions::read() {
  const ElfSection* const section = file_->section(section_name);
  if (section == nullptr) return;
  if (section->type == SHT_NOBITS) {
    are_elsewhere_ = true;
    return;
  }
  if (section->link >= file_->sections().size() || !file_->holds(*section)) return;
  const ElfSection& strings = file_->sections()[section->link];
  if (!file_->holds(strings)) return;
  for (std::uint64_t at = 0; versions_.size() < most_versions;) {
    std::array<std::uint32_t, Definition::words> words{};
    if (at > section->size || !file_->read_records(section->offset + at, std::span<std::uint32_t>(words))) return;
    std::array<std::uint32_t, 1> name{};
    const std::uint64_t name_at = at + words[Definition::name_at];
    if (name_at > section->size || !file_->read_records(section->offset + name_at, std::span<std::uint32_t>(name)))
      return;
    if (name[0] >= strings.size) return;
    std::string text(std::min(most_version_bytes + 1, strings.size - name[0]), '\0');
    if (!file_->read_at(strings.offset + name[0], std::as_writable_bytes(std::span(text)))) return;
    text.resize(std::min(text.find('\0'), text.size()));
    versions_.insert(std::move(text));
    if (words[Definition::next] == 0) return;
    at += words[Definition::next];
  }
}

}  // namespace profile
