#include "parse/answers_wire.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

namespace profile {
namespace {

void put_strings(const StringTable& strings, WireWriter& out) {
  out.put(static_cast<std::uint32_t>(strings.size() - 1));  // without the empty string
  for (std::size_t i = 1; i < strings.size(); ++i) out.text(strings.view(static_cast<StringId>(i)));
}

// [id in the writer's table]: the id here.
std::vector<StringId> take_strings(WireReader& in, StringTable& strings) {
  const std::size_t count = in.count(sizeof(std::uint32_t));
  std::vector<StringId> ids{StringId::empty};
  ids.reserve(count + 1);
  for (std::size_t i = 0; i < count; ++i) ids.push_back(strings.intern(in.text()));
  return ids;
}

StringId take_string(WireReader& in, const std::vector<StringId>& ids) {
  const auto index = in.number<std::uint32_t>();
  if (index < ids.size()) return ids[index];
  in.fail();
  return StringId::empty;
}

// Copies the numbers as they lie in memory, because there may be millions.
template <class Number>
void put_all(const std::vector<Number>& numbers, WireWriter& out) {
  static_assert(std::has_unique_object_representations_v<Number>);
  out.text({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)});
}

template <class Number>
std::vector<Number> take_all(WireReader& in) {
  const std::string_view bytes = in.text();
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (bytes.size() % sizeof(Number) != 0) in.fail();
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

}  // namespace

void take_cost(WireReader& in, WorkBudget& budget) {
  const auto left = in.number<std::uint64_t>();
  budget.take(budget.left() - std::min(left, budget.left()));
}

void put_names(const NamesOfFile& names, WireWriter& out) {
  out.put(names.failed);
  out.text(names.build_id);
  out.put(static_cast<std::uint32_t>(names.code.size()));
  for (const CodeSegment& segment : names.code) {
    out.put(segment.start.value);
    out.put(segment.limit.value);
    out.put(segment.offset.value);
  }
  put_strings(names.strings, out);
  out.put(static_cast<std::uint32_t>(names.names.size()));
  for (std::size_t i = 0; i < names.names.size(); ++i) {
    const NameOfCode& name = names.names[i];
    out.put(name.unnamed);
    out.put(name.symbol);
    out.put(name.start);
    out.put(name.address.value);
    out.put(names.valid_ranges[i].before);
    out.put(names.valid_ranges[i].after);
  }
}

std::optional<NamesOfFile> take_names(WireReader& in, std::size_t asked) {
  constexpr std::size_t most_hex_digits = 256;
  NamesOfFile names;
  names.failed = in.one_of(Unnamed::count);
  names.build_id = in.text();
  if (names.build_id.size() > most_hex_digits ||
      names.build_id.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return std::nullopt;
  }
  const std::size_t segments = in.count(3 * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < segments; ++i) {
    CodeSegment& segment = names.code.emplace_back();
    segment.start.value = in.number<std::uint64_t>();
    segment.limit.value = in.number<std::uint64_t>();
    segment.offset.value = in.number<std::uint64_t>();
  }
  const std::vector<StringId> ids = take_strings(in, names.strings);
  const std::size_t count = in.count(2);
  if (names.failed == Unnamed::named ? count != asked : count != 0) return std::nullopt;
  names.names.resize(count);
  names.valid_ranges.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    NameOfCode& name = names.names[i];
    name.unnamed = in.one_of(Unnamed::count);
    name.symbol = take_string(in, ids);
    name.start = in.number<std::uint64_t>();
    name.address.value = in.number<std::uint64_t>();
    names.valid_ranges[i].before = in.number<std::uint64_t>();
    names.valid_ranges[i].after = in.number<std::uint64_t>();
    if (name.unnamed == Unnamed::pending) in.fail();
  }
  if (!in.ok()) return std::nullopt;
  return names;
}

void put_lines(const LinesOfFile& lines, WireWriter& out) {
  out.put(lines.failed);
  put_strings(lines.strings, out);
  out.put(static_cast<std::uint32_t>(lines.chains.size()));
  for (const auto& chain : lines.chains) {
    out.put(static_cast<std::uint32_t>(chain.size()));
    for (const SourcePosition& position : chain) {
      out.put(position.function);
      out.put(position.file);
      out.put(position.line);
    }
  }
  out.put(static_cast<std::uint32_t>(lines.unread_splits.size()));
  for (const auto& [path, why] : lines.unread_splits) {
    out.text(path);
    out.text(why);
  }
}

std::optional<LinesOfFile> take_lines(WireReader& in, std::size_t asked) {
  LinesOfFile lines;
  lines.failed = in.one_of(Unnamed::count);
  const std::vector<StringId> ids = take_strings(in, lines.strings);
  const std::size_t count = in.count(sizeof(std::uint32_t));
  if (lines.failed == Unnamed::named ? count != asked : count != 0) return std::nullopt;
  lines.chains.resize(count);
  for (auto& chain : lines.chains) {
    chain.resize(in.count(3 * sizeof(std::uint32_t)));
    for (SourcePosition& position : chain) {
      position.function = take_string(in, ids);
      position.file = take_string(in, ids);
      position.line = in.number<std::uint32_t>();
    }
  }
  const std::size_t unread = in.count(2 * sizeof(std::uint32_t));
  for (std::size_t i = 0; i < unread; ++i) {
    const std::string path(in.text());
    lines.unread_splits.try_emplace(path, in.text());
  }
  if (!in.ok()) return std::nullopt;
  return lines;
}

void put_jit(const NamesOfJit& names, WireWriter& out) {
  out.put(names.failed);
  put_strings(names.strings, out);
  out.put(static_cast<std::uint32_t>(names.names.size()));
  for (const NameOfJit& name : names.names) {
    out.put(name.unnamed);
    out.put(name.position.function);
    out.put(name.start);
    out.put(name.position.file);
    out.put(name.position.line);
  }
}

std::optional<NamesOfJit> take_jit(WireReader& in, std::size_t asked) {
  NamesOfJit names;
  names.failed = in.one_of(Unnamed::count);
  const std::vector<StringId> ids = take_strings(in, names.strings);
  const std::size_t count = in.count(2);
  if (names.failed == Unnamed::named ? count != asked : count != 0) return std::nullopt;
  names.names.resize(count);
  for (NameOfJit& name : names.names) {
    name.unnamed = in.one_of(Unnamed::count);
    name.position.function = take_string(in, ids);
    name.start = in.number<std::uint64_t>();
    name.position.file = take_string(in, ids);
    name.position.line = in.number<std::uint32_t>();
    if (name.unnamed == Unnamed::pending) in.fail();
  }
  if (!in.ok()) return std::nullopt;
  return names;
}

void put_unwind(UnwindFault fault, const UnwindTable& table, WireWriter& out) {
  out.put(fault);
  if (fault != UnwindFault::none) return;
  out.put(table.elf_machine);
  out.put(table.first_page);
  put_all(table.pages, out);
  put_all(table.rows, out);
  put_all(table.rules, out);
}

std::optional<UnwindOfFile> take_unwind(WireReader& in, std::size_t /*asked*/) {
  UnwindOfFile unwind;
  unwind.fault = in.one_of(UnwindFault::count);
  if (!in.ok()) return std::nullopt;
  if (unwind.fault != UnwindFault::none) return unwind;
  UnwindTable& table = unwind.table;
  table.elf_machine = in.number<std::uint16_t>();
  const bool is_arm64 = table.elf_machine == EM_AARCH64;
  if (!is_arm64 && table.elf_machine != EM_X86_64) return std::nullopt;
  table.unit_shift = is_arm64 ? UNWIND_ARM64_UNIT_SHIFT : UNWIND_X86_64_UNIT_SHIFT;
  table.first_page = in.number<std::uint32_t>();
  table.pages = take_all<unwind_page>(in);
  table.rows = take_all<std::uint32_t>(in);
  table.rules = take_all<unwind_rule>(in);
  if (!in.ok() || !is_sound(table)) return std::nullopt;
  return unwind;
}

void put_search(const NameSearch& search, WireWriter& out) {
  out.put(static_cast<std::uint32_t>(search.places.size()));
  for (const FoundSymbol& place : search.places) {
    out.text(place.name);
    out.put(place.address.value);
    out.put(place.size_bytes);
    out.put(place.kind);
    out.put(static_cast<std::uint8_t>(place.offset ? 1 : 0));
    out.put(place.offset ? place.offset->value : 0);
  }
  out.put(static_cast<std::uint32_t>(search.names.size()));
  for (const std::string& name : search.names) out.text(name);
}

std::optional<NameSearch> take_search(WireReader& in) {
  NameSearch search;
  search.places.resize(in.count(sizeof(std::uint64_t)));
  for (FoundSymbol& place : search.places) {
    place.name = in.text();
    place.address.value = in.number<std::uint64_t>();
    place.size_bytes = in.number<std::uint64_t>();
    place.kind = in.one_of(FoundSymbol::Kind::count);
    const bool has_offset = in.number<std::uint8_t>() != 0;
    const FileOffset offset{in.number<std::uint64_t>()};
    if (has_offset) place.offset = offset;
  }
  search.names.resize(in.count(sizeof(std::uint32_t)));
  for (std::string& name : search.names) name = in.text();
  if (!in.ok()) return std::nullopt;
  return search;
}

void put_allocators(const std::vector<AllocatorFunction>& functions, WireWriter& out) {
  out.put(static_cast<std::uint32_t>(functions.size()));
  for (const AllocatorFunction& function : functions) {
    out.put(function.call);
    out.put(function.offset.value);
    out.put(function.before_bytes);
    out.put(function.after_bytes);
  }
}

std::optional<std::vector<AllocatorFunction>> take_allocators(WireReader& in) {
  std::vector<AllocatorFunction> functions(in.count(sizeof(std::uint64_t)));
  for (AllocatorFunction& function : functions) {
    function.call = in.one_of(AllocatorCall::count);
    function.offset.value = in.number<std::uint64_t>();
    function.before_bytes = in.number<std::uint32_t>();
    function.after_bytes = in.number<std::uint32_t>();
  }
  if (!in.ok()) return std::nullopt;
  return functions;
}

}  // namespace profile
