// Tests the reader of pprof profiles. Our own come back with all that the format holds; those of other tools are
// understood; broken ones are an error.
#include <doctest/doctest.h>
#include <zlib.h>

#include <functional>
#include <map>
#include <protozero/pbf_builder.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "input/profile_reader.h"
#include "model/pprof_format.h"
#include "model/stack_end.h"
#include "model/stack_roots.h"
#include "output/flame/table.h"
#include "output/output.h"
#include "support/error.h"

using namespace profile;

namespace {

std::string report(const Profile& profile, std::string_view format, const OutputOptions& options = {}) {
  std::ostringstream out;
  find_output_format(format)->make(options).report(out, profile);
  return out.str();
}

// How often `part` occurs in `text`.
std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string error_of(const std::string& bytes) {
  try {
    (void)read_pprof(bytes, "in.pb");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

std::string gzipped(const std::string& bytes) {
  std::string out(compressBound(bytes.size()) + 64, '\0');
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// A pprof message made by hand.
class Made {
 public:
  using Profile = pprof::ProfileField;
  std::int64_t text(const std::string& words) {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (texts_[i] == words) return static_cast<std::int64_t>(i);
    }
    texts_.push_back(words);
    return static_cast<std::int64_t>(texts_.size()) - 1;
  }
  Made& type(const std::string& name, const std::string& unit, pprof::ProfileField field = Profile::sample_type) {
    protozero::pbf_builder<pprof::ProfileField> whole(bytes_);
    protozero::pbf_builder<pprof::ValueTypeField> one(whole, field);
    one.add_int64(pprof::ValueTypeField::type, text(name));
    one.add_int64(pprof::ValueTypeField::unit, text(unit));
    return *this;
  }
  Made& number(pprof::ProfileField field, std::int64_t value) {
    protozero::pbf_builder<pprof::ProfileField>(bytes_).add_int64(field, value);
    return *this;
  }
  Made& function(std::uint64_t id, const std::string& name, const std::string& file = "") {
    protozero::pbf_builder<pprof::ProfileField> whole(bytes_);
    protozero::pbf_builder<pprof::FunctionField> one(whole, Profile::function);
    one.add_uint64(pprof::FunctionField::id, id);
    one.add_int64(pprof::FunctionField::name, text(name));
    one.add_int64(pprof::FunctionField::filename, text(file));
    return *this;
  }
  Made& mapping(std::uint64_t id, const std::string& file, std::uint64_t start = 0, std::uint64_t offset = 0,
                std::uint64_t limit = 0) {
    protozero::pbf_builder<pprof::ProfileField> whole(bytes_);
    protozero::pbf_builder<pprof::MappingField> one(whole, Profile::mapping);
    one.add_uint64(pprof::MappingField::id, id);
    one.add_uint64(pprof::MappingField::memory_start, start);
    one.add_uint64(pprof::MappingField::memory_limit, limit);
    one.add_uint64(pprof::MappingField::file_offset, offset);
    one.add_int64(pprof::MappingField::filename, text(file));
    return *this;
  }
  // `functions` are innermost first. The line of each is ten times its number.
  Made& location(std::uint64_t id, const std::vector<std::uint64_t>& functions, std::uint64_t mapping = 0,
                 std::uint64_t address = 0) {
    protozero::pbf_builder<pprof::ProfileField> whole(bytes_);
    protozero::pbf_builder<pprof::LocationField> one(whole, Profile::location);
    one.add_uint64(pprof::LocationField::id, id);
    if (mapping != 0) one.add_uint64(pprof::LocationField::mapping_id, mapping);
    one.add_uint64(pprof::LocationField::address, address);
    for (const std::uint64_t function : functions) {
      protozero::pbf_builder<pprof::LineField> line(one, pprof::LocationField::line);
      line.add_uint64(pprof::LineField::function_id, function);
      line.add_int64(pprof::LineField::line, static_cast<std::int64_t>(10 * function));
    }
    return *this;
  }
  // Not `packed`: one field for each number, as some tools write them.
  Made& sample(const std::vector<std::uint64_t>& locations, const std::vector<std::int64_t>& values,
               bool packed = true) {
    protozero::pbf_builder<pprof::ProfileField> whole(bytes_);
    protozero::pbf_builder<pprof::SampleField> one(whole, Profile::sample);
    if (packed) {
      one.add_packed_uint64(pprof::SampleField::location_id, locations.begin(), locations.end());
      one.add_packed_int64(pprof::SampleField::value, values.begin(), values.end());
    } else {
      for (const std::uint64_t id : locations) one.add_uint64(pprof::SampleField::location_id, id);
      for (const std::int64_t value : values) one.add_int64(pprof::SampleField::value, value);
    }
    return *this;
  }
  // An empty `end`: no label.
  Made& sample_with_end(const std::vector<std::uint64_t>& locations, const std::vector<std::int64_t>& values,
                        const std::string& end) {
    protozero::pbf_builder<pprof::ProfileField> whole(bytes_);
    protozero::pbf_builder<pprof::SampleField> one(whole, Profile::sample);
    one.add_packed_uint64(pprof::SampleField::location_id, locations.begin(), locations.end());
    one.add_packed_int64(pprof::SampleField::value, values.begin(), values.end());
    if (end.empty()) return *this;
    protozero::pbf_builder<pprof::LabelField> label(one, pprof::SampleField::label);
    label.add_int64(pprof::LabelField::key, text("stack_end"));
    label.add_int64(pprof::LabelField::str, text(end));
    return *this;
  }
  Made& labelled_sample(const std::vector<std::int64_t>& values, std::size_t empty_labels) {
    protozero::pbf_builder<pprof::ProfileField> whole(bytes_);
    protozero::pbf_builder<pprof::SampleField> one(whole, Profile::sample);
    one.add_packed_int64(pprof::SampleField::value, values.begin(), values.end());
    for (std::size_t i = 0; i < empty_labels; ++i) one.add_message(pprof::SampleField::label, std::string());
    return *this;
  }
  [[nodiscard]] std::string bytes() const {
    std::string all = bytes_;
    protozero::pbf_builder<pprof::ProfileField> whole(all);
    for (const std::string& words : texts_) whole.add_string(Profile::string_table, words);
    return all;
  }

 private:
  std::string bytes_;
  std::vector<std::string> texts_{""};
};

Made heap() {
  Made made;
  made.type("alloc_objects", "count").type("alloc_space", "bytes");
  made.type("inuse_objects", "count").type("inuse_space", "bytes");
  made.function(1, "main.make", "/src/main.go").function(2, "main.main", "/src/main.go");
  made.mapping(7, "/bin/app").location(1, {1}, 7, 0x10).location(2, {2}, 7, 0x20);
  made.sample({1, 2}, {10, 1000, 3, 300});
  return made;
}

// Marks each frame that is never a leaf as a return address, as in recorded profiles.
void mark_returns(Profile& profile) {
  std::vector<bool> is_leaf(profile.frames().size());
  const auto each = [&](const auto& visit) {
    for (const Row& row : profile.rows()) {
      for (const StackId stack : {row.user, row.kernel}) {
        for (std::size_t i = 0; i < profile.stack(stack).size(); ++i)
          visit(static_cast<std::size_t>(profile.stack(stack)[i]), i);
      }
    }
  };
  each([&](std::size_t frame, std::size_t depth) { is_leaf[frame] = is_leaf[frame] || depth == 0; });
  each([&](std::size_t frame, std::size_t) { profile.frames()[frame].is_return = !is_leaf[frame]; });
}

}  // namespace

TEST_CASE("a pprof profile of this program is read back unchanged") {
  for (const bool lines : {false, true}) {
    Profile original = lines ? test::profile_with_lines() : test::fixed_profile();
    mark_returns(original);
    original.account.idle = 5;
    original.account.lost_ring_full = 2;
    original.account.taken += 7;
    original.began_unix_ns = 1'700'000'000'000'000'000;
    original.duration_ns = 5'000'000'000;
    const std::string bytes = report(original, "pprof");
    const Profile read = read_profile(bytes, "x");
    // Folded lines clean all that pprof cleans, so the reports are the same.
    for (const bool annotate : {false, true}) {
      const OutputOptions options{.annotate = annotate};
      CHECK(report(read, "folded", options) == report(original, "folded", options));
    }
    CHECK(report(read, "residency") == report(original, "residency"));
    CHECK(read.account == original.account);
    CHECK(read.began_unix_ns == original.began_unix_ns);
    CHECK(read.duration_ns == original.duration_ns);
    CHECK(read.run.unit.word() == "samples");
    CHECK(read.run.frequency_hz == 49);
    CHECK(report(read_profile(report(read, "pprof"), "x"), "pprof") == report(read, "pprof"));
  }
}

TEST_CASE("a pprof file keeps which addresses are return addresses, also for leaves and signals") {
  Profile original;
  original.account.taken = original.account.recorded = 2;
  const ProcessId process = original.process(1, 0, "x");
  test::Namer name(original);
  const auto frame = [&](std::uint64_t address, bool is_return) {
    return name.unnamed(original.frame(process, FrameKind::user, {address}, is_return), Unnamed::no_symbol, "x",
                        address);
  };
  // The signal handler, the trampoline to which it returns, the interrupted function, and its caller.
  const std::vector interrupted{frame(0x100, false), frame(0x200, true), frame(0x300, false), frame(0x400, true)};
  // The frames of tracing are removed from the kernel's stacks, so the first frame that is left may be a return
  // address.
  const std::vector called{frame(0x500, true), frame(0x400, true)};
  for (const std::vector<FrameId>& stack : {interrupted, called}) {
    original.add({.process = process, .user = original.stack(stack), .value = 1, .samples = 1});
  }
  const std::string bytes = report(original, "pprof");
  const Profile read = read_profile(bytes, "x");
  CHECK(report(read, "folded", {.annotate = true}) == report(original, "folded", {.annotate = true}));
  REQUIRE(read.frames().size() == original.frames().size());
  for (std::size_t i = 0; i < read.frames().size(); ++i) {
    CHECK(read.frames()[i].is_return == original.frames()[i].is_return);
    CHECK(read.frames()[i].offset == original.frames()[i].offset);
    CHECK(read.frames()[i].binary_address == original.frames()[i].binary_address);
  }
  CHECK(report(read_profile(report(read, "pprof"), "x"), "pprof") == report(read, "pprof"));
}

TEST_CASE("the reasons for the ends of user stacks are read back, with the unknown ones") {
  const Profile original = test::profile_with_ends();
  const std::string bytes = report(original, "pprof");
  const Profile read = read_profile(bytes, "x");
  StackEndCounts ends;
  ends.add(read);
  const std::map<StackEnd, std::uint64_t> expected = {
      {StackEnd::root, 10}, {StackEnd::unknown, 2}, {StackEnd::no_cfi, 4}, {StackEnd::too_deep, 3}};
  ends.each(
      [&](StackEnd end, std::uint64_t samples) { CHECK(samples == (expected.contains(end) ? expected.at(end) : 0)); });
  for (const char* const format : {"folded", "table", "speedscope"}) {
    CHECK_MESSAGE(report(read, format, {.annotate = true}) == report(original, format, {.annotate = true}), format);
  }
  CHECK(report(read_profile(report(read, "pprof"), "x"), "pprof") == report(read, "pprof"));
}

TEST_CASE("the label of a stack's end is accepted from any writer, and unknown words give no reason") {
  const auto end_of = [](const std::string& end, const std::string& comment) {
    Made made;
    made.type("samples", "count").function(1, "f").location(1, {1}).sample_with_end({1}, {1}, end);
    if (!comment.empty()) made.number(pprof::ProfileField::comment, made.text(comment));
    const Profile profile = read_pprof(made.bytes(), "x");
    return profile.end_of(profile.rows().front().user);
  };
  CHECK(end_of("no_cfi", "") == StackEnd::no_cfi);
  CHECK(end_of("no_cfi", "0 user stacks whole") == StackEnd::no_cfi);
  CHECK(end_of("root", "") == StackEnd::root);
  CHECK(end_of("", "") == StackEnd::unknown);
  CHECK(end_of("", "1 user stacks whole") == StackEnd::root);
  CHECK(end_of("", "all user stacks whole") == StackEnd::unknown);
  CHECK(end_of("", "1 user stacks whole, it seems") == StackEnd::unknown);
  CHECK(end_of("no CFI", "") == StackEnd::unknown);
  CHECK(end_of("made up", "1 user stacks whole") == StackEnd::unknown);
}

TEST_CASE("a profile for a store names only the processes, and its threads have these names when it is read back") {
  const Profile original = test::fixed_profile();
  const Profile profile = read_pprof(report(original, "pprof", {.for_store = true}), "x");
  CHECK(profile.total() == original.total());
  for (const Row& row : profile.rows()) {
    const Process& process = profile.process(row.process);
    CHECK(process.tgid == 0);
    CHECK(row.tid == 0);
    CHECK(row.cpu == any_cpu);
    CHECK(row.thread_name == process.name);
  }
}

TEST_CASE("a thread inside execve() keeps its stack when it is read back") {
  Profile original;
  test::Namer name(original);
  const ProcessId app = original.process(9, 0, "app");
  Row row;
  row.process = app;
  row.thread_name = original.strings.intern("app");
  Frame frame;
  frame.space = app;
  frame.unnamed = Unnamed::named;
  frame.symbol = original.strings.intern(exec_frame);
  row.user = original.stack(std::vector{original.frame(frame)}, StackEnd::root);
  row.value = row.samples = 4;
  original.add(row);
  const Profile read = read_profile(report(original, "pprof"), "x");
  REQUIRE(read.rows().size() == 1);
  CHECK(read.rows()[0].tag == StringId::empty);
  CHECK(read.end_of(read.rows()[0].user) == StackEnd::root);
  CHECK(report(read, "folded") == "app;[exec] 4\n");
}

TEST_CASE("waiting time is read back as time") {
  const Profile original = test::wall_profile();
  const Profile read = read_profile(report(original, "pprof"), "x");
  CHECK(read.run.unit == original.run.unit);
  CHECK(read.run.counted == original.run.counted);
  CHECK(read.total() == original.total());
  const OutputOptions options{.annotate = true, .show_modules = true};
  CHECK(report(read, "folded", options) == report(original, "folded", options));
}

TEST_CASE("event and unit have the same names when they are read back, with and without an account") {
  const struct {
    const char* title;
    const char* event;
    const char* unit;
  } runs[] = {
      {"", "cpu-clock", "samples"},
      {"Sampling page-faults:u every 3 events", "page-faults:u", "page-faults"},
      {"Counting syscalls:sys_enter_read", "syscalls:sys_enter_read", "syscalls:sys_enter_read"},
      {"Counting uprobe:./w:hit", "uprobe:./w:hit", "hits"},
      {"Tracing off-CPU time in microseconds", "off-cpu", "microseconds"},
  };
  for (const auto& [title, event, unit] : runs) {
    for (const bool has_account : {true, false}) {
      Profile original = test::fixed_profile();
      original.account.is_known = has_account;
      original.run.title = title;
      original.run.event = event;
      original.run.unit = unit;
      const Profile read = read_profile(report(original, "pprof"), "x");
      CHECK(read.run.event == event);
      CHECK(read.run.unit.word() == unit);
    }
  }
  Profile sum = test::fixed_profile();
  sum.run.headline = "Page-faults of a.json, b.json by user + kernel stack";
  sum.run.unit = sum.run.event = "page-faults";
  CHECK(read_profile(report(sum, "pprof"), "x").run.unit.word() == "page-faults");
  CHECK(read_profile(report(sum, "pprof"), "x").run.event == "page-faults");
  sum.run.unit = "page_faults";  // no comment of ours renames what another program wrote
  sum.run.headline = "Sampling cycles every event of all threads.";
  CHECK(read_profile(report(sum, "pprof"), "x").run.unit.word() == "page_faults");
}

TEST_CASE("threads, CPUs, build-ids and paths are read back") {
  Profile original;
  test::Namer name(original);
  const ProcessId app = original.process(9, 0, "app");
  const FrameId leaf = name.user(app, 0x1010, "work", "libx.so", 4);
  const FrameId caller = original.frame(app, FrameKind::user, {0x2020}, true);
  Frame& unnamed = original.frames()[static_cast<std::size_t>(caller)];
  unnamed.unnamed = Unnamed::no_symbol;
  unnamed.module = original.strings.intern("app");
  unnamed.offset = 0x2020;
  unnamed.binary =
      original.binary({.path = original.strings.intern("/bin/app"), .build_id = original.strings.intern("ab12")});
  unnamed.binary_address = ElfAddress{0x2020};
  Row row;
  row.process = app;
  row.tid = 10;
  row.thread_name = original.strings.intern("worker");
  row.user = original.stack(std::vector{leaf, caller});
  row.value = row.samples = 4;
  original.add(row);
  const Profile read = read_profile(report(original, "pprof"), "x");
  REQUIRE(read.rows().size() == 1);
  CHECK(read.rows()[0].tid == 10);
  CHECK(read.strings.view(read.rows()[0].thread_name) == "worker");
  CHECK(read.process(read.rows()[0].process).tgid == 9);
  CHECK(report(read, "folded") == "worker;[app+0x2020];work 4\n");
  const Frame& back = read.frame(read.stack(read.rows()[0].user)[1]);
  CHECK(back.is_return);
  CHECK(read.strings.view(read.binary(back.binary).path) == "/bin/app");
  CHECK(read.strings.view(read.binary(back.binary).build_id) == "ab12");
}

TEST_CASE("the last of several values is read, unless the file names another one") {
  Made made = heap();
  const Profile last = read_pprof(made.bytes(), "x");
  CHECK(last.run.unit.word() == "bytes");
  CHECK(last.run.event == "inuse_space");
  CHECK(last.run.counted == "inuse_objects");
  CHECK(last.total() == 300);
  CHECK(last.rows()[0].samples == 3);
  CHECK(last.strings.view(last.processes()[0].name) == "app");
  made.number(pprof::ProfileField::default_sample_type, made.text("alloc_space"));
  const Profile chosen = read_pprof(made.bytes(), "x");
  CHECK(chosen.total() == 1000);
  CHECK(chosen.rows()[0].samples == 10);
}

TEST_CASE("nanoseconds that are whole periods are read as samples") {
  const auto cpu = [](std::int64_t ns) {
    Made made;
    made.type("samples", "count")
        .type("cpu", "nanoseconds")
        .type("cpu", "nanoseconds", pprof::ProfileField::period_type);
    made.number(pprof::ProfileField::period, 10'000'000).function(1, "main.main").location(1, {1});
    return made.sample({1}, {3, ns}).bytes();
  };
  const Profile samples = read_pprof(cpu(30'000'000), "x");
  CHECK(samples.run.unit.word() == "samples");
  CHECK(samples.run.frequency_hz == 100);
  CHECK(samples.total() == 3);
  const Profile time = read_pprof(cpu(30'000'001), "x");
  CHECK(time.run.unit.word() == "nanoseconds");
  CHECK(time.total() == 30'000'001);
  CHECK(time.rows()[0].samples == 3);
}

TEST_CASE("several lines of a location are functions inlined into the last one") {
  Made made;
  made.type("samples", "count").function(1, "inner", "/a.c").function(2, "middle", "/b.c").function(3, "outer", "/c.c");
  made.location(5, {1, 2, 3}).sample({5}, {2}, false);
  const Profile profile = read_pprof(made.bytes(), "x");
  REQUIRE(profile.frames().size() == 1);
  CHECK(profile.strings.view(profile.frames()[0].symbol) == "outer");
  const SourceLocation place = profile.source(profile.frames()[0].source);
  REQUIRE(place.inlined.size() == 2);
  CHECK(profile.strings.view(place.inlined[0].symbol) == "inner");
  CHECK(profile.strings.view(place.inlined[1].symbol) == "middle");
  CHECK(profile.strings.view(place.at.file) == "/c.c");
}

TEST_CASE("different lines of a function are one frame, unless lines are requested") {
  Made made;
  made.type("samples", "count").function(1, "work", "/src/a.c").function(2, "work", "/src/a.c");
  made.function(3, "main", "/src/a.c").location(1, {1}).location(2, {2}).location(3, {3});
  made.sample({1, 3}, {2}).sample({2, 3}, {3});
  Profile profile = read_pprof(made.bytes(), "x");
  CHECK(report(profile, "folded") == "[unknown];main;work 5\n");
  FlameTable flame;
  flame.add(profile);
  CHECK(flame.nodes().size() == 2);
  CHECK(times(report(profile, "speedscope"), R"("name":"work")") == 1);
  CHECK(read_profile(report(profile, "pprof"), "again").frames().size() == 3);

  profile.run.frames_by_line = true;
  CHECK(report(profile, "folded") == "[unknown];main a.c:30;work a.c:10 2\n[unknown];main a.c:30;work a.c:20 3\n");
  FlameTable by_line;
  by_line.add(profile);
  CHECK(by_line.nodes().size() == 3);
  CHECK(times(report(profile, "speedscope"), R"("name":"work")") == 2);
}

TEST_CASE("kernel frames are recognised by the names of their mappings and by their addresses") {
  Made made;
  made.type("samples", "count").mapping(1, "/bin/app").mapping(2, "[kernel.kallsyms]").mapping(3, "[nf_tables]");
  made.function(1, "main").function(2, "vfs_read").function(3, "nft_do_chain");
  made.location(1, {1}, 1, 0x1000).location(2, {2}, 2, 0x10).location(3, {3}, 3, 0xffffffffc0000010);
  made.sample({3, 2, 1}, {2});
  CHECK(report(read_pprof(made.bytes(), "x"), "folded", {.annotate = true, .show_modules = true}) ==
        "app;main [app];vfs_read [kernel]_[k];nft_do_chain [nf_tables]_[k] 2\n");
}

TEST_CASE("a location without a function is an offset in its file") {
  Made made;
  made.type("samples", "count").mapping(1, "/bin/app", 0x400000, 0x1000).location(1, {}, 1, 0x400010).location(2, {});
  made.sample({1}, {2}).sample({2}, {1});
  CHECK(report(read_pprof(made.bytes(), "x"), "folded") == "app;[unknown] 1\napp;[app+0x1010] 2\n");
}

TEST_CASE("the mapped address of a file stays as another program wrote it") {
  Made made;
  made.type("samples", "count").mapping(1, "/bin/app", 0x7f0000400000, 0x1000, 0x7f0000402000);
  made.mapping(2, "/bin/wrong", 0x500000, 0, 0x400000);
  made.location(1, {}, 1, 0x7f0000400010).location(2, {}, 1, 0x7f0000402000).location(3, {}, 2, 0x500010);
  made.sample({1}, {1}).sample({2}, {1}).sample({3}, {1});
  const Profile profile = read_pprof(made.bytes(), "x");
  REQUIRE(profile.frames().size() == 3);
  const auto code_of = [&](std::size_t i) { return profile.binary(profile.frames()[i].binary).code; };
  CHECK(code_of(0) == CodeSegment{.start = {0x7f0000400000}, .limit = {0x7f0000402000}, .offset = {0x1000}});
  CHECK(profile.frames()[0].binary_address == ElfAddress{0x7f0000400010});
  // An address outside of its mapping is a place in a file, and so is an address of an invalid mapping.
  CHECK_FALSE(code_of(1).is_known());
  CHECK(profile.frames()[1].binary_address == ElfAddress{0x3000});
  CHECK_FALSE(code_of(2).is_known());
  CHECK(report(profile, "folded") == "app;[app+0x1010] 1\napp;[app+0x3000] 1\napp;[wrong+0x10] 1\n");
}

TEST_CASE("addresses of other programs pass unchanged through this program's files, at any height") {
  constexpr std::uint64_t high = 0xaaaac0000000;  // arm64 maps programs here
  Made made;
  made.type("samples", "count").mapping(1, "/bin/a", 0x400000, 0, 0x402000).mapping(2, "/bin/b", 0x400000, 0, 0x402000);
  made.mapping(3, "/bin/high", high, 0, high + 0x2000).location(1, {}, 1, 0x400010).location(2, {}, 2, 0x400020);
  made.location(3, {}, 3, high + 0x10).sample({1}, {3}).sample({2}, {2}).sample({3}, {1});
  Profile first = read_pprof(made.bytes(), "x");
  first.account.taken = first.account.recorded = 6;
  for (const bool is_known : {false, true}) {
    first.account.is_known = is_known;
    const Profile again = read_profile(report(first, "pprof"), "again");
    REQUIRE(again.frames().size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      const Frame& frame = again.frames()[i];
      const Frame& before = first.frames()[i];
      CHECK(frame.binary_address == before.binary_address);
      CHECK(again.binary(frame.binary).code == first.binary(before.binary).code);
    }
    if (!is_known) CHECK(report(again, "folded") == report(first, "folded"));
  }
}

TEST_CASE("only addresses that the comment names are moved back") {
  constexpr std::uint64_t place = 3ULL << 47;
  const auto start_of = [](const std::string& comment) {
    Made made;
    made.type("samples", "count").mapping(1, "/bin/a", place + 0x1000, 0, place + 0x3000);
    made.location(1, {}, 1, place + 0x1010).sample({1}, {1});
    made.number(Made::Profile::comment, made.text(comment));
    const Profile profile = read_pprof(made.bytes(), "x");
    return profile.binary(profile.frames().front().binary).code.start.value;
  };
  const std::string words(pprof::moved_comment);
  CHECK(start_of(words + " 0x800000002000 0x1800000001000") == 0x1000);
  CHECK(start_of(words + " 0x800000001000") == place + 0x1000);
  CHECK(start_of(words + " 1800000001000") == place + 0x1000);
  CHECK(start_of(words + " 0x1000000000001800000001000") == place + 0x1000);
  CHECK(start_of("another's") == place + 0x1000);
}

TEST_CASE("the older name for a sample without a stack is still accepted") {
  for (const char* const name : {"[No Stack]", "[no stack]"}) {
    Made made;
    made.type("samples", "count").function(1, name).location(1, {1}).sample({1}, {2});
    const Profile profile = read_pprof(made.bytes(), "x");
    REQUIRE(profile.rows().size() == 1);
    CHECK(profile.rows()[0].user == StackId::none);
    CHECK(profile.rows()[0].tag == StringId::empty);
  }
}

TEST_CASE("a file that is no pprof profile is refused with the reason") {
  const auto says = [](const std::string& bytes, const std::string& what) {
    const std::string error = error_of(bytes);
    CHECK_MESSAGE(error.find(what) != std::string::npos, error);
    CHECK_MESSAGE(error.substr(0, 7) == "in.pb: ", error);
  };
  const std::string good = heap().bytes();
  says(good.substr(0, good.size() - 1), "cut off");
  says("", "no type of values");
  says(heap().sample({1}, {1, 2, 3}).bytes(), "3 values where 4");
  says(heap().sample({1}, std::vector<std::int64_t>(1'000'000)).bytes(), "5 values where 4");
  says(heap().labelled_sample({1, 2, 3, 4}, 1001).bytes(), "more than a thousand labels");
  CHECK(error_of(heap().labelled_sample({1, 2, 3, 4}, 1000).bytes()) == "none");
  says(heap().sample({9}, {1, 2, 3, 4}).bytes(), "location 9");
  says(heap().sample({0}, {1, 2, 3, 4}).bytes(), "location 0");
  says(heap().sample({1}, {1, 2, 3, -4}).bytes(), "negative");
  says(heap().location(3, {77}).bytes(), "function 77");
  says(heap().location(3, {1}, 8).bytes(), "mapping 8");
  says(heap().location(1, {1}).bytes(), "two of location 1");
  says(heap().location(0, {1}).bytes(), "without a number");
  says(heap().number(pprof::ProfileField::default_sample_type, 1000).bytes(), "text 1000");
  says(heap().number(pprof::ProfileField::sample, 5).bytes(), "another kind");
  says(heap()
           .sample({1}, {1, 1, 1, INT64_MAX})
           .sample({1}, {1, 1, 1, INT64_MAX})
           .sample({1}, {1, 1, 1, INT64_MAX})
           .bytes(),
       "2^64");
}

TEST_CASE("a small file with many inlined functions is refused") {
  Made made;
  made.type("samples", "count").function(1, "f");
  made.location(1, std::vector<std::uint64_t>(3000, 1));
  for (int i = 0; i < 50; ++i) made.sample(std::vector<std::uint64_t>(100, 1), {1});
  CHECK(error_of(made.bytes()).find("more inlined functions") != std::string::npos);
}

TEST_CASE("the header of a profile that was not sampled at a rate names its values") {
  const Profile read = read_pprof(heap().bytes(), "heap.pb.gz");
  CHECK_FALSE(read.run.is_request_known);
  CHECK(read.run.headline == "inuse_space in bytes of heap.pb.gz by user + kernel stack");
  CHECK(read_profile(read.run.headline + "\n\n" + report(read, "counted"), "again").run.event == "inuse_space");
}

TEST_CASE("frames that a file asks to drop are left out, with all that they call") {
  // main calls work, which calls operator new (with a function inlined in it), which calls malloc.
  const auto folded = [](const std::string& dropped, const std::string& kept) {
    Made made;
    made.type("samples", "count")
        .function(1, "main")
        .function(2, "work(int)")
        .function(3, "operator new(unsigned long)");
    made.function(4, "malloc").function(5, "tiny").function(6, "calloc");
    made.location(1, {1}).location(2, {2}).location(3, {5, 3}).location(4, {4}).location(5, {6, 2});
    made.sample({4, 3, 2, 1}, {1}).sample({5, 1}, {2}).sample({4}, {4}).sample({1}, {8});
    made.number(pprof::ProfileField::drop_frames, made.text(dropped));
    if (!kept.empty()) made.number(pprof::ProfileField::keep_frames, made.text(kept));
    return report(read_pprof(made.bytes(), "x"), "folded");
  };
  const std::string thread = "[unknown];";
  const auto has = [&](const std::string& text, const std::string& line) {
    return text.find(thread + line + "\n") != std::string::npos;
  };
  const std::string all = folded("nothing", "");
  CHECK(has(all, "main;work(int);operator new(unsigned long);tiny;malloc 1"));
  CHECK(has(all, "main;work(int);calloc 2"));
  const std::string dropped = folded("malloc|calloc|operator new", "");
  CHECK(has(dropped, "main;work(int) 3"));  // of both samples
  CHECK(has(dropped, "malloc 4"));          // nothing else would be left
  CHECK(has(dropped, "main 8"));
  const std::string kept = folded(".*alloc|operator new", "operator.*|calloc");
  CHECK(has(kept, "main;work(int);operator new(unsigned long);tiny 1"));
  CHECK(has(kept, "main;work(int);calloc 2"));
  CHECK_THROWS_WITH_AS((void)folded("(", ""), doctest::Contains("cannot be read"), Error);
}

TEST_CASE("a mapping of a deleted file has the name of the file") {
  Made made;
  made.type("samples", "count").mapping(1, "/srv/app (deleted)").function(1, "f").location(1, {1}, 1, 0x1000);
  made.sample({1}, {1});
  const Profile read = read_pprof(made.bytes(), "x");
  CHECK(read.strings.view(read.frames().front().module) == "app");
  CHECK(read.strings.view(read.binary(read.frames().front().binary).path) == "/srv/app");
  CHECK(read.strings.view(read.processes().front().name) == "app");
}

TEST_CASE("compressed files are unpacked up to a limit") {
  const std::string good = heap().bytes();
  const std::string packed = gzipped(good);
  CHECK(read_profile(packed, "x").total() == 300);
  CHECK(read_profile(gzipped("a;b 3\n"), "x").total() == 3);
  CHECK(read_profile(gzipped("a;b 3\n") + gzipped("a;c 4\n"), "x").total() == 7);
  const auto fails = [](const std::string& bytes, const std::string& what) {
    CHECK_THROWS_WITH_AS((void)read_profile(bytes, "in.gz"), doctest::Contains(what.c_str()), Error);
  };
  fails(packed.substr(0, packed.size() / 2), "cut off");
  fails(packed.substr(0, packed.size() - 1), "cut off");
  std::string damaged = packed;
  damaged[packed.size() - 6] ^= 1;
  fails(damaged, "damaged");
  fails(packed + "rest", "damaged");
  fails(gzipped(packed), "compressed twice");
  fails(gzipped(std::string(std::size_t{80} << 20, '\n')), "unpacks to more than");
}

TEST_CASE("the format of a file is recognised by its bytes") {
  CHECK(read_profile(heap().bytes(), "x").run.unit.word() == "bytes");
  CHECK(read_profile("app;main 4\n", "x").run.unit.word() == "samples");
  CHECK_THROWS_WITH_AS((void)read_profile(heap().bytes().substr(0, 40), "x"), doctest::Contains("pprof"), Error);
  CHECK_THROWS_AS((void)read_profile_file("/nowhere/at/all"), Error);
}
