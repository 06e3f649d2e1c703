// Tests the reader of the kernel's types, with BTF made by hand and with damaged BTF.
#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "sampling/kernel_layout.h"
#include "sampling/kernel_types.h"

using namespace profile;

namespace {

// Builds BTF type by type. The first type has the number 1.
class Types {
 public:
  std::uint32_t number(std::uint32_t bytes) { return type("int", BTF_KIND_INT, 0, bytes, {bytes * 8}); }
  std::uint32_t renamed(std::uint32_t of) { return type("alias", BTF_KIND_TYPEDEF, 0, of, {}); }
  std::uint32_t array(std::uint32_t of, std::uint32_t elements) {
    return type("", BTF_KIND_ARRAY, 0, 0, {of, of, elements});
  }
  struct Part {
    std::string name;
    std::uint32_t type;
    std::uint32_t offset;  // in the encoding of BTF
  };
  std::uint32_t structure(const std::string& name, std::uint32_t bytes, const std::vector<Part>& parts,
                          bool with_sizes = false) {
    std::vector<std::uint32_t> words;
    for (const Part& part : parts) words.insert(words.end(), {text(part.name), part.type, part.offset});
    return type(name, BTF_KIND_STRUCT, static_cast<std::uint32_t>(parts.size()), bytes, words, with_sizes);
  }
  std::uint32_t enumeration(const std::string& name, const std::vector<std::pair<std::string, std::uint32_t>>& all) {
    std::vector<std::uint32_t> words;
    for (const auto& [one, value] : all) words.insert(words.end(), {text(one), value});
    return type(name, BTF_KIND_ENUM, static_cast<std::uint32_t>(all.size()), 4, words);
  }

  [[nodiscard]] std::vector<std::byte> bytes() const {
    btf_header header{};
    header.magic = BTF_MAGIC;
    header.version = BTF_VERSION;
    header.hdr_len = sizeof header;
    header.type_len = static_cast<std::uint32_t>(words_.size() * sizeof(std::uint32_t));
    header.str_off = header.type_len;
    header.str_len = static_cast<std::uint32_t>(texts_.size());
    std::vector<std::byte> all(sizeof header + header.type_len + header.str_len);
    std::memcpy(all.data(), &header, sizeof header);
    std::memcpy(all.data() + sizeof header, words_.data(), header.type_len);
    std::memcpy(all.data() + sizeof header + header.type_len, texts_.data(), header.str_len);
    return all;
  }

 private:
  std::uint32_t text(const std::string& name) {
    if (name.empty()) return 0;
    const auto at = static_cast<std::uint32_t>(texts_.size());
    texts_ += name + '\0';
    return at;
  }
  std::uint32_t type(const std::string& name, std::uint32_t kind, std::uint32_t count, std::uint32_t size_or_type,
                     const std::vector<std::uint32_t>& behind, bool flag = false) {
    words_.insert(words_.end(),
                  {text(name), static_cast<std::uint32_t>(flag) << 31 | kind << 24 | count, size_or_type});
    words_.insert(words_.end(), behind.begin(), behind.end());
    return ++count_;
  }

  std::vector<std::uint32_t> words_;
  std::string texts_{'\0'};
  std::uint32_t count_ = 0;
};

constexpr std::array<std::string_view, 3> wanted{"task_struct", "mm_struct", "maple_type"};

Types some_types() {
  Types types;
  const std::uint32_t word = types.number(8);
  const std::uint32_t other = types.renamed(word);
  const std::uint32_t context = types.structure("", 16, {{"vdso", word, 64}});
  const std::uint32_t nameless = types.structure("", 24, {{"first", other, 0}, {"context", context, 64}});
  types.structure("mm_struct", 64, {{"count", types.array(word, 5), 0}, {"", nameless, 320}});
  types.structure("task_struct", 8, {{"flag", word, 1U << 24 | 3}, {"flags", word, 0}}, true);
  types.enumeration("maple_type", {{"maple_leaf_64", 1}, {"maple_arange_64", 3}});
  types.structure("unwanted", 8, {{"count", word, 0}});
  return types;
}

}  // namespace

TEST_CASE("members are found inside other members, even inside unnamed ones") {
  const std::vector<std::byte> bytes = some_types().bytes();
  const auto types = KernelTypes::read(bytes, wanted);
  REQUIRE(types);
  CHECK(types->member("mm_struct", "count")->bits_at == 0);
  CHECK(types->elements(*types->member("mm_struct", "count")) == 5);
  CHECK(types->member("mm_struct", "first")->bits_at == 320);
  CHECK(types->bytes(*types->member("mm_struct", "first")) == 8);
  CHECK(types->member("mm_struct", "context.vdso")->bits_at == 320 + 64 + 64);
  CHECK(types->is_structure(*types->member("mm_struct", "context")));
  CHECK(types->size_of("mm_struct") == 64);
  CHECK_FALSE(types->member("mm_struct", "vdso"));
  CHECK_FALSE(types->member("mm_struct", "context.first"));
  CHECK_FALSE(types->member("mm_struct", "count.first"));
  CHECK_FALSE(types->member("unwanted", "count"));
}

TEST_CASE("a bit field has its bit offset, and an enumerator has its value") {
  const std::vector<std::byte> bytes = some_types().bytes();
  const auto types = KernelTypes::read(bytes, wanted);
  REQUIRE(types);
  CHECK(types->member("task_struct", "flag")->bits_at == 3);
  CHECK(types->member("task_struct", "flag")->bits == 1);
  CHECK(types->member("task_struct", "flags")->bits == 0);
  CHECK(types->enumerator("maple_type", "maple_arange_64") == 3);
  CHECK_FALSE(types->enumerator("maple_type", "maple_range_64"));
  CHECK_FALSE(types->enumerator("mm_struct", "count"));
}

TEST_CASE("truncated types are refused, and damaged types have no invented member") {
  const std::vector<std::byte> whole = some_types().bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK_FALSE(KernelTypes::read(std::span(whole).first(size), wanted));
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::vector<std::byte> bytes = whole;
    bytes[at] = std::byte{0xff};
    const auto types = KernelTypes::read(bytes, wanted);
    if (!types) continue;
    for (const char* path : {"count", "first", "context.vdso"}) {
      if (const auto member = types->member("mm_struct", path)) CHECK(types->elements(*member) <= UINT32_MAX);
    }
    CHECK(types->enumerator("maple_type", "maple_arange_64").value_or(3) != 77);
  }
  Types circle;
  circle.structure("mm_struct", 8, {{"next", 2, 0}, {"", 1, 0}});
  circle.renamed(2);
  const std::vector<std::byte> bytes = circle.bytes();
  const auto types = KernelTypes::read(bytes, wanted);
  REQUIRE(types);
  CHECK_FALSE(types->member("mm_struct", "next.more"));
  CHECK_FALSE(types->member("mm_struct", "absent"));
}

TEST_CASE("a member that the walk needs is named if it is missing") {
  const std::vector<std::byte> bytes = some_types().bytes();
  const auto types = KernelTypes::read(bytes, wanted);
  REQUIRE(types);
  kernel_layout layout{};
  const auto missing = layout_of(*types, layout);
  REQUIRE(missing);
  CHECK(missing->find("mm_struct.mm_rb.rb_node") != std::string::npos);
  CHECK(missing->find("vm_area_struct.vm_start") != std::string::npos);
  CHECK(missing->find("context.vdso") == std::string::npos);
}

TEST_CASE("an excerpt has exactly the requested types and the types inside them") {
  const std::vector<std::byte> bytes = some_types().bytes();
  const auto types = KernelTypes::read(bytes, wanted);
  REQUIRE(types);
  const std::vector<std::byte> less = types->excerpt();
  CHECK(less.size() < bytes.size());
  constexpr std::array<std::string_view, 4> all{"task_struct", "mm_struct", "maple_type", "unwanted"};
  const auto excerpt = KernelTypes::read(less, all);
  REQUIRE(excerpt);
  CHECK(excerpt->member("mm_struct", "context.vdso")->bits_at == 320 + 64 + 64);
  CHECK(excerpt->elements(*excerpt->member("mm_struct", "count")) == 5);
  CHECK(excerpt->bytes(*excerpt->member("mm_struct", "first")) == 8);
  CHECK(excerpt->member("task_struct", "flag")->bits == 1);
  CHECK(excerpt->size_of("mm_struct") == 64);
  CHECK(excerpt->enumerator("maple_type", "maple_arange_64") == 3);
  CHECK_FALSE(excerpt->size_of("unwanted"));
}

TEST_CASE("an excerpt of damaged types is valid") {
  const std::vector<std::byte> whole = some_types().bytes();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::vector<std::byte> bytes = whole;
    bytes[at] = std::byte{0xff};
    const auto types = KernelTypes::read(bytes, wanted);
    if (types) CHECK(KernelTypes::read(types->excerpt(), wanted).has_value());
  }
}
