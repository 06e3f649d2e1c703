#include "sampling/kernel_types.h"

#include <algorithm>
#include <cstring>

namespace profile {
namespace {

// How many bytes follow a btf_type; nullopt: the kind is not known.
std::optional<std::size_t> bytes_behind(const btf_type& type) {
  const std::size_t count = BTF_INFO_VLEN(type.info);
  switch (BTF_INFO_KIND(type.info)) {
    case BTF_KIND_INT:
    case BTF_KIND_VAR:
    case BTF_KIND_DECL_TAG:
      return sizeof(std::uint32_t);
    case BTF_KIND_ARRAY:
      return sizeof(btf_array);
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
      return count * sizeof(btf_member);
    case BTF_KIND_DATASEC:
      return count * sizeof(btf_var_secinfo);
    case BTF_KIND_ENUM:
      return count * sizeof(btf_enum);
    case BTF_KIND_ENUM64:
      return count * sizeof(btf_enum64);
    case BTF_KIND_FUNC_PROTO:
      return count * sizeof(btf_param);
    case BTF_KIND_PTR:
    case BTF_KIND_FWD:
    case BTF_KIND_TYPEDEF:
    case BTF_KIND_VOLATILE:
    case BTF_KIND_CONST:
    case BTF_KIND_RESTRICT:
    case BTF_KIND_FUNC:
    case BTF_KIND_FLOAT:
    case BTF_KIND_TYPE_TAG:
      return 0;
    default:
      return std::nullopt;
  }
}

bool has_members(const btf_type& type) {
  const std::uint32_t kind = BTF_INFO_KIND(type.info);
  return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION;
}

// `size` bytes of `whole` from `at` on; nullopt when they do not lie in it.
std::optional<std::span<const std::byte>> part(std::span<const std::byte> whole, std::size_t at, std::size_t size) {
  if (at > whole.size() || size > whole.size() - at) return std::nullopt;
  return whole.subspan(at, size);
}

}  // namespace

bool KernelTypes::is_qualifier(std::uint32_t kind) {
  return kind == BTF_KIND_TYPEDEF || kind == BTF_KIND_CONST || kind == BTF_KIND_VOLATILE || kind == BTF_KIND_RESTRICT ||
         kind == BTF_KIND_TYPE_TAG;
}

std::optional<KernelTypes> KernelTypes::read(std::span<const std::byte> bytes,
                                             std::span<const std::string_view> wanted) {
  btf_header header{};
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != BTF_MAGIC || header.hdr_len > bytes.size()) return std::nullopt;
  const auto body = bytes.subspan(header.hdr_len);
  const auto types = part(body, header.type_off, header.type_len);
  const auto texts = part(body, header.str_off, header.str_len);
  if (!types || !texts || header.type_off % alignof(btf_type) != 0 || header.hdr_len % alignof(btf_type) != 0 ||
      texts->empty() || texts->back() != std::byte{0}) {
    return std::nullopt;
  }
  KernelTypes read;
  read.types_ = *types;
  read.texts_ = *texts;
  if (!read.read_types(wanted)) return std::nullopt;
  return read;
}

bool KernelTypes::read_types(std::span<const std::string_view> wanted) {
  for (std::size_t at = 0; at < types_.size();) {
    if (types_.size() - at < sizeof(btf_type)) return false;
    const auto& type = *reinterpret_cast<const btf_type*>(types_.data() + at);
    const auto behind = bytes_behind(type);
    if (!behind || *behind > types_.size() - at - sizeof type) return false;
    const auto id = static_cast<std::uint32_t>(places_.size());
    places_.push_back(static_cast<std::uint32_t>(at));
    const std::uint32_t kind = BTF_INFO_KIND(type.info);
    if (type.name_off != 0 && *behind != 0 && (kind == BTF_KIND_STRUCT || kind == BTF_KIND_ENUM)) {
      const std::string_view name = text(type.name_off);
      if (std::ranges::find(wanted, name) != wanted.end()) ids_.try_emplace(name, id);
    }
    at += sizeof type + *behind;
  }
  return true;
}

const btf_type* KernelTypes::at(std::uint32_t id) const {
  if (id == 0 || id >= places_.size()) return nullptr;
  return reinterpret_cast<const btf_type*>(types_.data() + places_[id]);
}

const btf_type* KernelTypes::named(std::string_view name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? nullptr : at(found->second);
}

const btf_type* KernelTypes::plain(std::uint32_t id) const {
  const btf_type* type = at(id);
  for (int i = 0; type != nullptr && is_qualifier(BTF_INFO_KIND(type->info)); ++i) {
    if (i == most_nested) return nullptr;
    type = at(type->type);
  }
  return type;
}

std::string_view KernelTypes::text(std::uint32_t at) const {
  if (at >= texts_.size()) return {};
  return reinterpret_cast<const char*>(texts_.data() + at);  // the last byte is zero
}

std::optional<KernelTypes::Member> KernelTypes::member_of(const btf_type& type, std::string_view name,
                                                          int depth) const {
  if (!has_members(type) || depth == most_nested) return std::nullopt;
  const std::span members(reinterpret_cast<const btf_member*>(&type + 1), BTF_INFO_VLEN(type.info));
  const bool with_sizes = BTF_INFO_KFLAG(type.info);
  for (const btf_member& one : members) {
    Member found{.bits_at = with_sizes ? BTF_MEMBER_BIT_OFFSET(one.offset) : one.offset,
                 .bits = with_sizes ? BTF_MEMBER_BITFIELD_SIZE(one.offset) : 0,
                 .type = one.type};
    if (one.name_off != 0) {
      if (text(one.name_off) == name) return found;
      continue;
    }
    const btf_type* nameless = plain(one.type);
    if (nameless == nullptr) continue;
    if (auto inner = member_of(*nameless, name, depth + 1)) {
      inner->bits_at += found.bits_at;
      return inner;
    }
  }
  return std::nullopt;
}

std::optional<KernelTypes::Member> KernelTypes::member(std::string_view structure, std::string_view path) const {
  const btf_type* type = named(structure);
  Member whole;
  while (type != nullptr) {
    const std::size_t dot = path.find('.');
    const auto found = member_of(*type, path.substr(0, dot), 0);
    if (!found) return std::nullopt;
    whole = {.bits_at = whole.bits_at + found->bits_at, .bits = found->bits, .type = found->type};
    if (dot == std::string_view::npos) return whole;
    path.remove_prefix(dot + 1);
    type = plain(found->type);
  }
  return std::nullopt;
}

std::optional<std::uint32_t> KernelTypes::size_of(std::string_view structure) const {
  const btf_type* type = named(structure);
  if (type == nullptr || !has_members(*type)) return std::nullopt;
  return type->size;
}

std::optional<std::int32_t> KernelTypes::enumerator(std::string_view enumeration, std::string_view name) const {
  const btf_type* type = named(enumeration);
  if (type == nullptr || BTF_INFO_KIND(type->info) != BTF_KIND_ENUM) return std::nullopt;
  const std::span all(reinterpret_cast<const btf_enum*>(type + 1), BTF_INFO_VLEN(type->info));
  const auto found = std::ranges::find_if(all, [&](const btf_enum& one) { return text(one.name_off) == name; });
  if (found == all.end()) return std::nullopt;
  return found->val;
}

bool KernelTypes::is_structure(const Member& member) const {
  const btf_type* type = plain(member.type);
  return type != nullptr && has_members(*type);
}

std::uint32_t KernelTypes::elements(const Member& member) const {
  const btf_type* type = plain(member.type);
  if (type == nullptr || BTF_INFO_KIND(type->info) != BTF_KIND_ARRAY) return 0;
  return reinterpret_cast<const btf_array*>(type + 1)->nelems;
}

std::uint32_t KernelTypes::bytes(const Member& member) const {
  const btf_type* type = plain(member.type);
  return type != nullptr && BTF_INFO_KIND(type->info) == BTF_KIND_INT ? type->size : 0;
}

}  // namespace profile
