// Makes BTF of a few kernel types. libbpf needs it to adapt a BPF program to the kernel's structures; reading the
// complete BTF takes libbpf 60 ms and 5 MB.
#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <unordered_map>

#include "sampling/kernel_types.h"

namespace profile {
namespace {

constexpr std::uint32_t word_bytes = sizeof(std::uint32_t);

// The value of btf_type::info.
constexpr std::uint32_t info_of(std::uint32_t kind, std::uint32_t count, bool flag) {
  return (flag ? 1U << 31 : 0U) | kind << 24 | count;
}

}  // namespace

class KernelTypes::Excerpt {
 public:
  explicit Excerpt(const KernelTypes& types) : types_(types) {}

  std::vector<std::byte> of_wanted() {
    for (const auto& [name, id] : types_.ids_) {
      wanted_.push_back(id);
      static_cast<void>(number_of(id));
    }
    // add() appends the types that a type refers to, so taken_ grows in this loop.
    for (std::size_t i = 0; i < taken_.size(); ++i) add(taken_[i]);
    return bytes();
  }

 private:
  // The type's id in the excerpt, which includes the type from now on. 0 (void): there is no such type.
  std::uint32_t number_of(std::uint32_t id) {
    for (int i = 0; types_.at(id) != nullptr && is_qualifier(BTF_INFO_KIND(types_.at(id)->info)); ++i) {
      if (i == most_nested) return 0;
      id = types_.at(id)->type;
    }
    if (types_.at(id) == nullptr) return 0;
    const auto [known, is_new] = numbers_.try_emplace(id, static_cast<std::uint32_t>(taken_.size() + 1));
    if (is_new) taken_.push_back(id);
    return known->second;
  }

  std::uint32_t text(std::uint32_t at) {
    const std::string_view name = types_.text(at);
    if (name.empty()) return 0;
    const auto [known, is_new] = places_.try_emplace(at, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.append(name).push_back('\0');
    return known->second;
  }

  void put(std::initializer_list<std::uint32_t> words) { words_.insert(words_.end(), words); }

  void add(std::uint32_t id) {
    const btf_type& type = *types_.at(id);
    const std::uint32_t kind = BTF_INFO_KIND(type.info);
    const std::uint32_t count = BTF_INFO_VLEN(type.info);
    const bool flag = BTF_INFO_KFLAG(type.info);
    switch (kind) {
      case BTF_KIND_STRUCT:
      case BTF_KIND_UNION:
        put({text(type.name_off), info_of(kind, count, flag), type.size});
        for (const btf_member& one : std::span(reinterpret_cast<const btf_member*>(&type + 1), count)) {
          put({text(one.name_off), number_of(one.type), one.offset});
        }
        break;
      case BTF_KIND_ARRAY: {
        const auto& array = *reinterpret_cast<const btf_array*>(&type + 1);
        put({0, info_of(kind, 0, false), 0, number_of(array.type), number_of(array.index_type), array.nelems});
        break;
      }
      case BTF_KIND_INT:
        put({text(type.name_off), info_of(kind, 0, false), type.size,
             *reinterpret_cast<const std::uint32_t*>(&type + 1)});
        break;
      case BTF_KIND_ENUM:
        put({text(type.name_off), info_of(kind, is_wanted(id) ? count : 0, flag), type.size});
        if (!is_wanted(id)) break;
        for (const btf_enum& one : std::span(reinterpret_cast<const btf_enum*>(&type + 1), count)) {
          put({text(one.name_off), static_cast<std::uint32_t>(one.val)});
        }
        break;
      case BTF_KIND_ENUM64:
        put({text(type.name_off), info_of(kind, 0, flag), type.size});
        break;
      case BTF_KIND_FLOAT:
        put({text(type.name_off), info_of(kind, 0, false), type.size});
        break;
      default:  // mostly a pointer: its target does not matter
        put({0, info_of(BTF_KIND_PTR, 0, false), 0});
        break;
    }
  }

  [[nodiscard]] bool is_wanted(std::uint32_t id) const {
    return std::find(wanted_.begin(), wanted_.end(), id) != wanted_.end();
  }

  [[nodiscard]] std::vector<std::byte> bytes() const {
    btf_header header{};
    header.magic = BTF_MAGIC;
    header.version = BTF_VERSION;
    header.hdr_len = sizeof header;
    header.type_len = static_cast<std::uint32_t>(words_.size()) * word_bytes;
    header.str_off = header.type_len;
    header.str_len = static_cast<std::uint32_t>(texts_.size());
    std::vector<std::byte> all(sizeof header + header.type_len + header.str_len);
    std::memcpy(all.data(), &header, sizeof header);
    std::memcpy(all.data() + sizeof header, words_.data(), header.type_len);
    std::memcpy(all.data() + sizeof header + header.type_len, texts_.data(), header.str_len);
    return all;
  }

  const KernelTypes& types_;
  std::vector<std::uint32_t> wanted_;
  std::vector<std::uint32_t> taken_;                          // the kernel's ids, in the order of the new ids
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // new ids, by the kernel's id
  std::unordered_map<std::uint32_t, std::uint32_t> places_;   // offsets in texts_, by offset in the kernel's texts
  std::vector<std::uint32_t> words_;
  std::string texts_{'\0'};
};

std::vector<std::byte> KernelTypes::excerpt() const { return Excerpt(*this).of_wanted(); }

}  // namespace profile
