// Finds HotSpot, the engine of Java, in its library. The engine describes its structures for debuggers: tables of the
// members and sizes that those need, by name (src/hotspot/share/runtime/vmStructs.cpp). So all that is needed is in the
// file, for any version. Most compilers leave the numbers of the first table to a function that runs when the library
// is loaded, one instruction a number. Then these are read from the instructions.
#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "elf/symbol_table.h"
#include "interpret/languages.h"

namespace profile {
namespace {

// Those that were seen to be right: tests/workloads/scripts/Mix.java.
constexpr std::array java_versions{8U, 11U, 17U, 21U, 25U, 26U, 27U, 28U};

// Since then a compressed number has no byte 0: src/hotspot/share/utilities/unsigned5.hpp.
constexpr unsigned version_without_null_bytes = 20;

// An entry of the table of members, and one of the table of sizes. The first three words, and the first two, are the
// addresses of texts.
struct StructEntry {
  std::uint64_t type;
  std::uint64_t member;
  std::uint64_t member_type;
  std::uint32_t is_static;
  std::uint32_t unused;
  std::uint64_t offset;
  std::uint64_t address;  // of a static member
};
struct TypeEntry {
  std::uint64_t type;
  std::uint64_t base;
  std::uint32_t kinds[4];
  std::uint64_t bytes;
};
static_assert(sizeof(StructEntry) == 48 && sizeof(TypeEntry) == 40);
constexpr std::size_t most_entries = 4096;
constexpr std::size_t most_name_bytes = 64;
constexpr std::uint64_t most_relocations = 1 << 19;
// The instructions that fill the table lie among the functions that the linker lists to be run at the beginning.
constexpr std::uint64_t most_code_bytes = 8 << 20;
constexpr std::uint64_t most_function_bytes = 64 << 10;

// The words that the dynamic linker will make addresses of this file.
class Addresses {
 public:
  explicit Addresses(const ElfFile& file) {
    const ElfSection* const relocations = file.section(".rela.dyn");
    if (relocations == nullptr || relocations->type != SHT_RELA) return;
    const std::uint64_t count = relocations->size / sizeof(Elf64_Rela);
    if (count > most_relocations) return;
    const bool is_whole =
        file.for_each_record<Elf64_Rela>(relocations->offset, count, [this](const Elf64_Rela& relocation) {
          if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_RELATIVE) return;
          words_.emplace_back(relocation.r_offset, static_cast<std::uint64_t>(relocation.r_addend));
        });
    if (!is_whole) words_.clear();
    std::ranges::sort(words_);
  }

  // 0: there is no such word.
  [[nodiscard]] std::uint64_t at(std::uint64_t word) const {
    const auto found = std::ranges::lower_bound(words_, word, {}, &Word::first);
    return found == words_.end() || found->first != word ? 0 : found->second;
  }

 private:
  using Word = std::pair<std::uint64_t, std::uint64_t>;  // where it is, and what it will be
  std::vector<Word> words_;                              // ascending
};

class Texts {
 public:
  explicit Texts(const ElfFile& file) : file_(file) {}
  // Empty: it cannot be read, or is longer than any that is wanted. Valid as long as this is.
  [[nodiscard]] const std::string& at(std::uint64_t address) {
    const auto [known, is_new] = texts_.try_emplace(address);
    if (is_new) known->second = read(address);
    return known->second;
  }

 private:
  [[nodiscard]] std::string read(std::uint64_t address) const {
    const auto place = file_.place_of({address});
    if (address == 0 || !place) return {};
    std::array<char, most_name_bytes> text{};
    const std::size_t bytes = std::min<std::uint64_t>(text.size(), place->bytes);
    if (!file_.read_at(place->offset, std::as_writable_bytes(std::span(text).first(bytes)))) return {};
    const auto end = std::ranges::find(text, '\0');
    return end == text.end() ? std::string() : std::string(text.begin(), end);
  }
  const ElfFile& file_;
  std::unordered_map<std::uint64_t, std::string> texts_;
};

struct Member {
  std::uint64_t at = 0;  // the offset, or the address of a static member
  bool has_2_bytes = false;
};

// What the engine says of its structures, by "type.member" and by type.
struct EngineTables {
  std::map<std::string, Member, std::less<>> members;
  std::map<std::string, std::uint64_t, std::less<>> sizes;
};

template <class Entry>
std::vector<Entry> entries_at(const ElfFile& file, std::uint64_t address) {
  std::vector<Entry> entries;
  const auto place = file.place_of({address});
  if (address == 0 || !place) return entries;
  entries.resize(std::min<std::uint64_t>(most_entries, place->bytes / sizeof(Entry)));
  if (!file.read_at(place->offset, std::as_writable_bytes(std::span(entries)))) entries.clear();
  return entries;
}

// The numbers that code at the beginning puts between `begin` and `end`, by address: mov qword [rip + to], number.
// Empty: there are none. nullopt: one place gets several.
std::optional<std::unordered_map<std::uint64_t, std::uint64_t>> numbers_stored(const ElfFile& file,
                                                                               const Addresses& addresses,
                                                                               std::uint64_t begin, std::uint64_t end) {
  constexpr std::array opcode{std::byte{0x48}, std::byte{0xc7}, std::byte{0x05}};
  constexpr std::size_t instruction_bytes = 11;
  std::unordered_map<std::uint64_t, std::uint64_t> stored;
  const ElfSection* const functions = file.section(".init_array");
  if (functions == nullptr) return stored;
  std::uint64_t from = UINT64_MAX;
  std::uint64_t to = 0;
  const std::uint64_t functions_end = functions->address + std::min(functions->size, most_code_bytes);
  for (std::uint64_t word = functions->address; word < functions_end; word += 8) {
    const std::uint64_t function = addresses.at(word);
    if (function == 0) continue;
    from = std::min(from, function);
    to = std::max(to, function + most_function_bytes);
  }
  const auto place = from < to ? file.place_of({from}) : std::nullopt;
  if (!place) return stored;
  std::vector<std::byte> code(std::min({to - from, place->bytes, most_code_bytes}));
  if (!file.read_at(place->offset, code)) return stored;
  bool is_sure = true;
  auto at = code.begin();
  while ((at = std::search(at, code.end(), opcode.begin(), opcode.end())) != code.end()) {
    const auto index = static_cast<std::size_t>(at - code.begin());
    if (code.size() - index < instruction_bytes) break;
    std::int32_t by = 0;
    std::int32_t number = 0;
    std::memcpy(&by, &code[index + opcode.size()], sizeof by);
    std::memcpy(&number, &code[index + opcode.size() + sizeof by], sizeof number);
    const std::uint64_t target = from + index + instruction_bytes + static_cast<std::uint64_t>(std::int64_t{by});
    ++at;
    if (target < begin || target >= end) continue;
    is_sure &= stored.try_emplace(target, static_cast<std::uint32_t>(number)).second;
  }
  if (!is_sure) return std::nullopt;
  return stored;
}

EngineTables tables_of(const ElfFile& file, std::uint64_t structs_at, std::uint64_t types_at) {
  EngineTables tables;
  const Addresses addresses(file);
  Texts texts(file);
  const auto text_at = [&](std::uint64_t word) -> const std::string& { return texts.at(addresses.at(word)); };
  const std::uint64_t structs = addresses.at(structs_at);
  const auto struct_entries = entries_at<StructEntry>(file, structs);
  // The tables end with an entry without a name.
  std::size_t count = 0;
  while (count < struct_entries.size() && addresses.at(structs + count * sizeof(StructEntry)) != 0) ++count;
  const auto stored = numbers_stored(file, addresses, structs, structs + count * sizeof(StructEntry));
  if (!stored) return tables;
  for (std::size_t i = 0; i < count; ++i) {
    const StructEntry& entry = struct_entries[i];
    const std::uint64_t at = structs + i * sizeof(StructEntry);
    Member member{.at = entry.offset};
    if (entry.is_static != 0) {
      member.at = addresses.at(at + offsetof(StructEntry, address));
    } else if (const auto number = stored->find(at + offsetof(StructEntry, offset)); number != stored->end()) {
      member.at = number->second;
    } else if (!stored->empty() && entry.offset == 0) {
      continue;  // it is stored in a way that is not known
    }
    member.has_2_bytes = text_at(at + offsetof(StructEntry, member_type)) == "int16_t";
    tables.members.try_emplace(text_at(at) + '.' + text_at(at + offsetof(StructEntry, member)), member);
  }

  const std::uint64_t types = addresses.at(types_at);
  const auto type_entries = entries_at<TypeEntry>(file, types);
  for (std::size_t i = 0; i < type_entries.size(); ++i) {
    const std::uint64_t at = types + i * sizeof(TypeEntry);
    if (addresses.at(at) == 0) break;
    tables.sizes.try_emplace(text_at(at), type_entries[i].bytes);
  }
  return tables;
}

// Fills a layout from those tables. What is not in them is noted, and the layout is no good.
class LayoutMaker {
 public:
  LayoutMaker(const EngineTables& tables, script_layout& layout) : tables_(tables), layout_(layout) {}

  [[nodiscard]] const Member* find(std::string_view name) const {
    const auto member = tables_.members.find(name);
    return member == tables_.members.end() ? nullptr : &member->second;
  }
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  // `base`: what it is counted from, or in what it lies.
  void put(script_java place, std::string_view name, std::uint64_t base = 0) {
    const Member* const member = find(name);
    put_number(place, member == nullptr ? UINT64_MAX : member->at + base);
  }
  void put_size(script_java place, std::string_view type) {
    const auto size = tables_.sizes.find(type);
    put_number(place, size == tables_.sizes.end() ? UINT64_MAX : size->second);
  }
  void put_number(script_java place, std::uint64_t number) {
    if (number > INT32_MAX) {
      is_whole_ = false;
    } else {
      layout_.at[place] = static_cast<std::uint32_t>(number);
    }
  }
  [[nodiscard]] std::uint64_t offset(std::string_view name) {
    const Member* const member = find(name);
    if (member == nullptr) is_whole_ = false;
    return member == nullptr ? 0 : member->at;
  }
  [[nodiscard]] bool is_whole() const { return is_whole_; }

 private:
  const EngineTables& tables_;
  script_layout& layout_;
  bool is_whole_ = true;
};

// `bias`: address - offset in the file, of code.
bool fill(const EngineTables& tables, unsigned version, std::uint64_t bias, std::uint64_t data_shift,
          script_layout& layout) {
  LayoutMaker make(tables, layout);
  layout.head = SCRIPT_HEAD_IN_CODE;
  const bool has_one_heap = make.has("CodeCache._heap");
  make.put(JAVA_HEAPS, has_one_heap ? "CodeCache._heap" : "CodeCache._heaps", -bias);
  if (!has_one_heap) make.put(JAVA_HEAPS_DATA, "GrowableArray<int>._data");
  const std::uint64_t memory = make.offset("CodeHeap._memory");
  make.put(JAVA_HEAP_LOW, "VirtualSpace._low", memory);
  make.put(JAVA_HEAP_HIGH, "VirtualSpace._high_boundary", memory);
  make.put(JAVA_HEAP_SEGMENTS, "VirtualSpace._low", make.offset("CodeHeap._segmap"));
  make.put(JAVA_HEAP_SHIFT, "CodeHeap._log2_segment_size");
  make.put_size(JAVA_BLOCK_BYTES, "HeapBlock");
  make.put(JAVA_INTERPRETER, "AbstractInterpreter._code", -bias);
  make.put(JAVA_QUEUE_BUFFER, "StubQueue._stub_buffer");
  make.put(JAVA_QUEUE_LIMIT, "StubQueue._buffer_limit");
  make.put(JAVA_BLOB_NAME, "CodeBlob._name");
  const bool has_offsets = make.has("CodeBlob._code_offset");
  layout.at[JAVA_BLOB_HAS_OFFSETS] = has_offsets ? 1 : 0;
  make.put(JAVA_BLOB_BEGIN, has_offsets ? "CodeBlob._code_offset" : "CodeBlob._code_begin");
  make.put(JAVA_BLOB_END, has_offsets ? "CodeBlob._data_offset" : "CodeBlob._code_end");
  make.put(JAVA_BLOB_COMPLETE, "CodeBlob._frame_complete_offset");
  const Member* const complete = make.find("CodeBlob._frame_complete_offset");
  layout.at[JAVA_BLOB_COMPLETE_BYTES] = complete != nullptr && complete->has_2_bytes ? 2 : 4;
  make.put(JAVA_BLOB_FRAME, "CodeBlob._frame_size");
  make.put(JAVA_BLOB_METHOD, make.has("nmethod._method") ? "nmethod._method" : "CompiledMethod._method");
  make.put(JAVA_BLOB_NUMBER, "nmethod._compile_id");
  // Since JDK 23 these tables lie in memory of their own.
  const bool is_apart = make.has("nmethod._immutable_data");
  if (is_apart) make.put(JAVA_TABLES, "nmethod._immutable_data");
  make.put(JAVA_PLACES_BEGIN, "nmethod._scopes_pcs_offset");
  make.put(JAVA_PLACES_END, is_apart ? "nmethod._scopes_data_offset" : "nmethod._dependencies_offset");
  const bool is_address = make.has("CompiledMethod._scopes_data_begin");
  layout.at[JAVA_SCOPES_IS_ADDRESS] = is_address ? 1 : 0;
  make.put(JAVA_SCOPES, is_address ? "CompiledMethod._scopes_data_begin" : "nmethod._scopes_data_offset");
  layout.at[JAVA_SCOPES_BIAS] = version >= version_without_null_bytes ? 1 : 0;
  if (is_apart) make.put(JAVA_OTHER_TABLES, "CodeBlob._mutable_data");
  make.put(JAVA_METHODS, is_apart ? "CodeBlob._relocation_size" : "nmethod._metadata_offset");
  make.put(JAVA_METHOD_CONST, "Method._constMethod");
  make.put(JAVA_CONST_POOL, "ConstMethod._constants");
  make.put(JAVA_CONST_NAME, "ConstMethod._name_index");
  make.put(JAVA_CONST_CODE, "ConstMethod._code_size");
  make.put_size(JAVA_CONST_BYTES, "ConstMethod");
  const bool has_flags = make.has("ConstMethod._flags");
  if (has_flags || make.has("ConstMethod._flags._flags")) {
    make.put(JAVA_CONST_SIZE, "ConstMethod._constMethod_size");
    make.put(JAVA_CONST_FLAGS, has_flags ? "ConstMethod._flags" : "ConstMethod._flags._flags");
    layout.lines = version >= version_without_null_bytes ? SCRIPT_LINES_OF_JAVA_20 : SCRIPT_LINES_OF_JAVA;
  }
  make.put(JAVA_POOL_HOLDER, "ConstantPool._pool_holder");
  make.put_size(JAVA_POOL_BYTES, "ConstantPool");
  make.put(JAVA_CLASS_NAME, "Klass._name");
  const bool is_source_of_class = make.has("InstanceKlass._source_file_name_index");
  layout.at[JAVA_SOURCE_OF_CLASS] = is_source_of_class ? 1 : 0;
  make.put(JAVA_SOURCE,
           is_source_of_class ? "InstanceKlass._source_file_name_index" : "ConstantPool._source_file_name_index");
  make.put(JAVA_SYMBOL_LENGTH, "Symbol._length");
  make.put(JAVA_SYMBOL_TEXT, "Symbol._body");
  // Since JDK 15 the lower half of one number counts.
  make.put(JAVA_SYMBOL_COUNT, make.has("Symbol._refcount") ? "Symbol._refcount" : "Symbol._hash_and_refcount");
  // src/hotspot/cpu/x86/frame_x86.hpp: JDK 9 has added a word.
  layout.at[JAVA_FRAME_CODE] = has_one_heap ? 56 : 64;
  layout.at[JAVA_DATA_SHIFT] = static_cast<std::uint32_t>(data_shift);
  return make.is_whole();
}

// The first number of the version. 0: it is not known.
unsigned java_version_of(const ElfFile& file, const EngineTables& tables) {
  // The engine of JDK 8 had a version of its own, 25, and was the last one with one heap.
  if (tables.members.contains("CodeCache._heap")) return 8;
  const auto version = tables.members.find("Abstract_VM_Version._vm_major_version");
  if (version == tables.members.end()) return 0;
  return static_cast<unsigned>(std::max(number_at<std::int32_t>(file, version->second.at).value_or(0), 0));
}

}  // namespace

bool is_sound_java(const script_layout& layout) {
  constexpr std::uint32_t most = 1 << 16;
  const auto is_below = [&](script_java place, std::uint32_t bytes, std::uint32_t size) {
    return layout.at[place] % size == 0 && layout.at[place] <= bytes - size;
  };
  const std::uint32_t of_place = layout.at[JAVA_BLOB_HAS_OFFSETS] != 0 ? 4 : 8;
  const std::uint32_t of_complete = layout.at[JAVA_BLOB_COMPLETE_BYTES];
  if (layout.head != SCRIPT_HEAD_IN_CODE || (of_complete != 2 && of_complete != 4)) return false;
  for (int place = 0; place < JAVA_DATA_SHIFT; ++place) {
    if (layout.at[place] >= most && place != JAVA_HEAPS && place != JAVA_INTERPRETER) return false;
  }
  // A table whose numbers are all 0 has not been filled.
  const bool is_filled = layout.at[JAVA_BLOB_BEGIN] != layout.at[JAVA_BLOB_END] && layout.at[JAVA_BLOB_METHOD] != 0 &&
                         layout.at[JAVA_POOL_HOLDER] != 0 && layout.at[JAVA_SYMBOL_TEXT] != 0;
  return is_filled && is_below(JAVA_BLOB_NAME, JAVA_BLOB_BYTES, 8) &&
         is_below(JAVA_BLOB_BEGIN, JAVA_BLOB_BYTES, of_place) && is_below(JAVA_BLOB_END, JAVA_BLOB_BYTES, of_place) &&
         is_below(JAVA_BLOB_COMPLETE, JAVA_BLOB_BYTES, of_complete) && is_below(JAVA_BLOB_FRAME, JAVA_BLOB_BYTES, 4) &&
         is_below(JAVA_BLOB_METHOD, JAVA_BLOB_BYTES, 8) && is_below(JAVA_BLOB_NUMBER, JAVA_BLOB_BYTES, 4) &&
         is_below(JAVA_TABLES, JAVA_BLOB_BYTES, 8) && is_below(JAVA_OTHER_TABLES, JAVA_BLOB_BYTES, 8) &&
         is_below(JAVA_PLACES_BEGIN, JAVA_BLOB_BYTES, 4) && is_below(JAVA_PLACES_END, JAVA_BLOB_BYTES, 4) &&
         is_below(JAVA_METHODS, JAVA_BLOB_BYTES, 4) &&
         is_below(JAVA_SCOPES, JAVA_BLOB_BYTES, layout.at[JAVA_SCOPES_IS_ADDRESS] != 0 ? 8 : 4) &&
         layout.at[JAVA_SCOPES_BIAS] <= 1 && is_below(JAVA_CONST_POOL, JAVA_CONST_READ, 8) &&
         is_below(JAVA_CONST_NAME, JAVA_CONST_READ, 2) && is_below(JAVA_CONST_CODE, JAVA_CONST_READ, 2) &&
         is_below(JAVA_CONST_SIZE, JAVA_CONST_READ, 4) && is_below(JAVA_CONST_FLAGS, JAVA_CONST_READ, 2) &&
         is_below(JAVA_SYMBOL_COUNT, 8, 2) && is_below(JAVA_FRAME_CODE, 72, 8);
}

FoundInterpreter find_java(const ElfFile& file, std::string_view /*path*/, const UnwindTable& table,
                           const FoundCode& function) {
  FoundInterpreter found;
  Interpreter& interpreter = found.interpreter;
  const auto without = [&](InterpreterFault fault) {
    interpreter.fault = fault;
    return found;
  };
  if (table.elf_machine != EM_X86_64) return without(InterpreterFault::other_machine);
  std::uint64_t structs_at = 0;
  std::uint64_t types_at = 0;
  visit_names(
      file, SHT_DYNSYM, [](const ElfTableSymbol& symbol) { return symbol.type == STT_OBJECT; },
      [&](std::string_view name, const ElfTableSymbol& symbol) {
        if (name == "gHotSpotVMStructs") structs_at = symbol.start;
        if (name == "gHotSpotVMTypes") types_at = symbol.start;
      });
  const auto code = code_of(file, function);
  const auto data = file.offset_of({structs_at});
  if (!code || structs_at == 0 || types_at == 0 || !data) return without(InterpreterFault::unknown_build);
  const EngineTables tables = tables_of(file, structs_at, types_at);
  const unsigned version = java_version_of(file, tables);
  if (version != 0) interpreter.version = std::to_string(version);
  if (std::ranges::find(java_versions, version) == java_versions.end()) {
    return without(InterpreterFault::unknown_version);
  }
  if (!fill(tables, version, code->bias, structs_at - data->value - code->bias, interpreter.layout)) {
    return without(InterpreterFault::unknown_build);
  }
  return found;
}

}  // namespace profile
