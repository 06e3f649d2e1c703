// The layout of HotSpot is found in libraries that a compiler makes, with the engine's own kind of tables.
#include <doctest/doctest.h>

#include <string>

#include "../elf_fixture.h"
#include "interpret/interpreter.h"
#include "unwind/build.h"

using namespace profile;
using namespace profile::test;

namespace {

// As in JDK 17.
constexpr std::string_view members = R"(
N(GrowableArray<int>, _data, 8) N(CodeHeap, _memory, 8) N(CodeHeap, _segmap, 120) N(CodeHeap, _log2_segment_size, 256)
N(VirtualSpace, _low, 16) N(VirtualSpace, _high_boundary, 8) N(StubQueue, _stub_buffer, 8)
N(StubQueue, _buffer_limit, 20) N(CodeBlob, _name, 96) N(CodeBlob, _code_begin, 32) N(CodeBlob, _code_end, 40)
N(CodeBlob, _frame_complete_offset, 20) N(CodeBlob, _frame_size, 28) N(CompiledMethod, _method, 112)
N(nmethod, _compile_id, 304) N(nmethod, _scopes_pcs_offset, 268) N(nmethod, _dependencies_offset, 272)
N(nmethod, _metadata_offset, 260) N(CompiledMethod, _scopes_data_begin, 120) N(Method, _constMethod, 8) N(ConstMethod, _constants, 8) N(ConstMethod, _name_index, 34)
N(ConstMethod, _code_size, 32) N(ConstantPool, _pool_holder, 24) N(ConstantPool, _source_file_name_index, 54)
N(Klass, _name, 24) N(Symbol, _length, 4) N(Symbol, _body, 6) N(Symbol, _hash_and_refcount, 0)
S(CodeCache, _heaps, heaps) S(AbstractInterpreter, _code, code) S(Abstract_VM_Version, _vm_major_version, version)
)";

struct Made {
  bool stores = true;         // the numbers are put there by a function that runs at the beginning
  bool stores_twice = false;  // and another one puts others there
  unsigned version = 17;
  std::string without{};  // a member of the table
};

std::string source_of(const Made& made) {
  std::string table(members);
  if (!made.without.empty()) {
    const auto at = table.find(made.without);
    REQUIRE(at != table.npos);
    table.replace(at, made.without.size(), made.without + "_of_another_name");
  }
  std::string text =
      "#include <stdint.h>\n"
      "typedef struct { const char *type, *member, *kind; int32_t is_static; uint64_t offset; void *address; } Entry;\n"
      "typedef struct { const char *type, *base; int32_t kinds[3]; uint64_t bytes; } Type;\n"
      "static void *heaps, *code;\nstatic int version = " +
      std::to_string(made.version) +
      ";\n"
      "#define S(type, member, at) {#type, #member, \"int\", 1, 0, &at},\n";
  text += made.stores ? "#define N(type, member, number) {#type, #member, \"int\", 0, 0, 0},\n"
                      : "#define N(type, member, number) {#type, #member, \"int\", 0, number, 0},\n";
  text += "static Entry entries[] = {" + table +
          "{0}};\n"
          "static Type sizes[] = {{\"HeapBlock\", 0, {0}, 16}, {\"ConstantPool\", 0, {0}, 72}, {\"ConstMethod\", 0, "
          "{0}, 48}, {0}};\n"
          "Entry *gHotSpotVMStructs = entries;\nType *gHotSpotVMTypes = sizes;\n"
          "volatile int sum;\n"
          "int JNI_CreateJavaVM(int n) { for (int i = 0; i < n; i++) sum += i * n; return sum; }\n"
          "#undef N\n#undef S\n#define S(type, member, at) i++;\n#define N(type, member, number) entries[i++].offset = "
          "number;\n";
  if (made.stores) text += "__attribute__((constructor)) static void fill(void) { int i = 0; " + table + " }\n";
  if (made.stores_twice) {
    text +=
        "__attribute__((constructor)) static void fill_again(void) { entries[1].offset = 9; sum++; entries[1].offset = "
        "8; }\n";
  }
  return text;
}

Interpreter found_in(const Made& made) {
  const std::string path =
      compile("libjvm.c", source_of(made), "-O2 -w -fPIC -shared -fno-tree-vectorize -fno-store-merging");
  REQUIRE(!path.empty());
  const Fd fd = open_file(path);
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  REQUIRE_MESSAGE(file, why);
  UnwindAnswer answer = unwind_table_of(*file);
  return find_interpreter(*file, path, answer.table);
}

}  // namespace

TEST_CASE("HotSpot says where its members are, in its table or in the code that fills it") {
  for (const bool stores : {true, false}) {
    CAPTURE(stores);
    const Interpreter java = found_in({.stores = stores});
    CHECK(java.language == SCRIPT_JAVA);
    CHECK(text_of(java.fault) == text_of(InterpreterFault::none));
    CHECK(java.version == "17");
    CHECK(is_sound(java.layout));
    CHECK(java.layout.head == SCRIPT_HEAD_IN_CODE);
    CHECK(java.layout.at[JAVA_HEAPS] != 0);
    CHECK(java.layout.at[JAVA_HEAPS_DATA] == 8);
    CHECK(java.layout.at[JAVA_HEAP_LOW] == 24);
    CHECK(java.layout.at[JAVA_HEAP_HIGH] == 16);
    CHECK(java.layout.at[JAVA_HEAP_SEGMENTS] == 136);
    CHECK(java.layout.at[JAVA_BLOCK_BYTES] == 16);
    CHECK(java.layout.at[JAVA_BLOB_HAS_OFFSETS] == 0);
    CHECK(java.layout.at[JAVA_BLOB_METHOD] == 112);
    CHECK(java.layout.at[JAVA_BLOB_NUMBER] == 304);
    CHECK(java.layout.at[JAVA_CONST_BYTES] == 48);
    CHECK(java.layout.at[JAVA_SYMBOL_COUNT] == 0);
    CHECK(java.layout.at[JAVA_FRAME_CODE] == 64);
  }
}

TEST_CASE("a HotSpot of another version or build has no layout") {
  CHECK(text_of(found_in({.version = 16}).fault) == text_of(InterpreterFault::unknown_version));
  CHECK(text_of(found_in({.version = 0}).fault) == text_of(InterpreterFault::unknown_version));
  for (const char* member : {"_memory", "_name_index", "_compile_id", "_code_end", "_frame_size", "_heaps"}) {
    CAPTURE(std::string(member));
    CHECK(text_of(found_in({.without = member}).fault) == text_of(InterpreterFault::unknown_build));
  }
  // It is not known which of two numbers counts.
  CHECK(found_in({.stores_twice = true}).fault != InterpreterFault::none);
}
