// Compares each form of the stream with lines made by hand, with hostile names.
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <set>
#include <string>
#include <vector>

#include "fixed_profile.h"
#include "output/stream.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t time_ns = 1'700'000'000'000'000'042;

// One profile and one form, and the text of the form for samples of the profile.
class Stream {
 public:
  explicit Stream(std::string_view form, const OutputOptions& options = {})
      : form_(find_stream_form(form)->make(options)) {}

  std::string begun(std::string_view unit = "samples") {
    profile.run.unit = unit;
    std::string out;
    form_->begin(out, profile.run);
    return out;
  }
  std::string said(std::string_view thread_name, StackId user, StackId kernel, std::string_view tag = {}) {
    Sample sample;
    sample.row = {.process = process, .tid = 4243, .user = user, .kernel = kernel, .value = 7, .samples = 1};
    sample.row.thread_name = profile.strings.intern(thread_name);
    sample.row.tag = profile.strings.intern(tag);
    sample.unix_ns = time_ns;
    sample.cpu = 64;
    std::string out;
    form_->append(out, profile, sample);
    return out;
  }
  void forget() { form_->forget(); }

  StackId user() {
    return profile.stack(std::vector{name.user(process, 0x555500001010, "main", "dd", 0x10),
                                     name.user(process, 0x7f000002724a, "__libc_start_call_main", "libc.so.6", 0x7a)});
  }
  StackId kernel() {
    return profile.stack(std::vector{name.kernel(0xffffffff81200010, "vfs_read", "kernel", 0x10),
                                     name.kernel(0xffffffff81c0005b, "do_syscall_64", "kernel", 0x5b)});
  }
  StackId unnamed() {
    const auto at = [this](std::uint64_t address) { return profile.frame(process, FrameKind::user, {address}); };
    return profile.stack(std::vector{name.unnamed(at(0x1002), Unnamed::no_symbol, "we;ird\nlib.so", 0x1234),
                                     name.unnamed(at(0x1007), Unnamed::not_mapped)});
  }
  // A function with a known source position, with two functions inlined into it.
  StackId with_lines() {
    const auto text = [this](std::string_view words) { return profile.strings.intern(words); };
    const FrameId id = name.user(process, 0x401136, "outer(int)", "app", 0x16);
    const InlinedFunction get{text("Box<int>::get(int) const"), {text("/src/lib/box.h"), 30}};
    const InlinedFunction nameless{StringId::empty, {text("/src/a;b.h"), 0}};
    profile.frames()[static_cast<std::size_t>(id)].source =
        profile.source({.at = {text("/src/app/main.cpp"), 17}, .inlined = std::vector{nameless, get}});
    return profile.stack(std::vector{id});
  }
  StackId hostile() {
    return profile.stack(
        std::vector{name.user(process, 0x400001, "eval;a\nb \"x\\\"\x1b[2J\xff", "js \"on\".so", 0x1)});
  }

  Profile profile;
  Namer name{profile};
  ProcessId process = profile.process(4242, 0, "node");

 private:
  std::unique_ptr<StreamOutput> form_;
};

constexpr const char* hostile_comm = "a b;c\n\xc2\xa0\"\x1b\xff";

}  // namespace

TEST_CASE("every stream form has a unique name, a summary and a maker, and the first form is the table") {
  std::set<std::string_view> names;
  for (const StreamForm& form : stream_forms()) {
    CAPTURE(form.name);
    CHECK(names.insert(form.name).second);
    CHECK_FALSE(form.summary.empty());
    CHECK(form.make({}) != nullptr);
    CHECK(find_stream_form(form.name) == &form);
  }
  CHECK(names == std::set<std::string_view>{"table", "stacks", "folded", "json", "perf-script"});
  CHECK(stream_forms().front().name == "table");
  CHECK(find_stream_form("fold") == nullptr);
  CHECK(find_stream_form("") == nullptr);
}

TEST_CASE("the table stream has a header, aligned columns, and sizes of eight bytes for each frame") {
  Stream stream("table");
  CHECK(stream.begun() == "TIME                COMM                 PID CPUID KStackSz UStackSz\n");
  CHECK(stream.said("node", stream.user(), stream.kernel()) ==
        "1700000000000000042 node                4242    64       16       16\n");
  CHECK(stream.said("node", StackId::none, StackId::missed) ==
        "1700000000000000042 node                4242    64       -1        0\n");
}

TEST_CASE("a line of the table stream splits at its blanks for any name of the thread") {
  Stream stream("table");
  stream.begun();
  CHECK(stream.said(hostile_comm, StackId::none, StackId::none) ==
        "1700000000000000042 a_b:c?_\"??          4242    64        0        0\n");
  CHECK(stream.said("", StackId::none, StackId::none) ==
        "1700000000000000042 [unknown]           4242    64        0        0\n");
  CHECK(stream.said("na\xc3\xafve \xce\xbb", StackId::none, StackId::none) ==
        "1700000000000000042 na\xc3\xafve_\xce\xbb             4242    64        0        0\n");
}

TEST_CASE("the weight of a sample is a column of the table stream only if it can differ from 1") {
  Stream stream("table");
  CHECK(stream.begun("microseconds") ==
        "TIME                COMM                 PID CPUID KStackSz UStackSz microseconds\n");
  CHECK(stream.said("node", stream.user(), stream.kernel(), "[off-cpu]") ==
        "1700000000000000042 node                4242    64       16       16            7\n");
}

TEST_CASE("a folded line of a stream has the sample's ids and its stack, root first") {
  Stream stream("folded");
  CHECK(stream.begun().empty());
  const std::string head = "1700000000000000042 node 4242 4243 64 ";
  CHECK(stream.said("node", stream.user(), stream.kernel()) ==
        head + "__libc_start_call_main;main;do_syscall_64;vfs_read\n");
  CHECK(stream.said("node", stream.user(), StackId::none) == head + "__libc_start_call_main;main\n");
  CHECK(stream.said("node", StackId::none, stream.kernel()) == head + "do_syscall_64;vfs_read\n");
  CHECK(stream.said("node", StackId::missed, stream.kernel()) == head + "[Missed User Stack];do_syscall_64;vfs_read\n");
  CHECK(stream.said("node", StackId::missed, StackId::missed) == head + "[Missed User Stack];[Missed Kernel Stack]\n");
  CHECK(stream.said("node", StackId::none, StackId::none) == head + "[No Stack]\n");
  CHECK(stream.said("node", stream.user(), StackId::none, "[off-cpu]") ==
        head + "__libc_start_call_main;main;[off-cpu]\n");
  CHECK(stream.said("node", StackId::none, StackId::none, "[off;cpu]") == head + "[off:cpu]\n");
  CHECK(stream.said("node", stream.unnamed(), StackId::none) == head + "[unknown];[we:ird?lib.so+0x1234]\n");
  CHECK(stream.said("node", stream.with_lines(), StackId::none) ==
        head + "outer(int) main.cpp:17;Box<int>::get(int) const box.h:30;[unknown] a:b.h\n");
}

TEST_CASE("a folded line of a stream splits at five blanks and then at semicolons, for any names") {
  Stream stream("folded");
  stream.begun();
  CHECK(stream.said(hostile_comm, stream.hostile(), StackId::none) ==
        "1700000000000000042 a_b:c?_\"?? 4242 4243 64 eval:a?b \"x\\\"?[2J?\n");
  CHECK(stream.said("", stream.user(), StackId::none) ==
        "1700000000000000042 [unknown] 4242 4243 64 __libc_start_call_main;main\n");
}

TEST_CASE("the weight of a sample is the last word of a folded line if it can differ from 1") {
  Stream stream("folded");
  stream.begun("bytes");
  CHECK(stream.said("node", stream.user(), StackId::none) ==
        "1700000000000000042 node 4242 4243 64 __libc_start_call_main;main 7\n");
}

TEST_CASE("the stacks stream has blocks with addresses and the starts of functions") {
  Stream stream("stacks");
  CHECK(stream.begun().empty());
  const std::string head = "[1700000000.000000042] COMM: node (pid=4242) @ CPU 64\n";
  CHECK(stream.said("node", stream.user(), stream.kernel()) ==
        head +
            "Kernel:\n"
            "0xffffffff81200010: vfs_read @ 0xffffffff81200000+0x10\n"
            "0xffffffff81c0005b: do_syscall_64 @ 0xffffffff81c00000+0x5b\n"
            "Userspace:\n"
            "0x0000555500001010: main @ 0x555500001000+0x10\n"
            "0x00007f000002724a: __libc_start_call_main @ 0x7f00000271d0+0x7a\n"
            "\n");
  CHECK(stream.said("node", StackId::none, StackId::none) == head + "No Kernel Stack\nNo Userspace Stack\n\n");
  CHECK(stream.said("node", StackId::missed, StackId::missed) ==
        head + "Kernel:\n[Missed Kernel Stack]\nUserspace:\n[Missed User Stack]\n\n");
  CHECK(stream.said("node", stream.unnamed(), StackId::none) == head +
                                                                    "No Kernel Stack\nUserspace:\n"
                                                                    "0x0000000000001002: [we;ird?lib.so+0x1234]\n"
                                                                    "0x0000000000001007: [unknown]\n\n");
  CHECK(stream.said("node", stream.with_lines(), StackId::none) ==
        head +
            "No Kernel Stack\nUserspace:\n"
            "0x0000000000401136: [unknown] (inlined) [/src/a;b.h]\n"
            "0x0000000000401136: Box<int>::get(int) const (inlined) [/src/lib/box.h:30]\n"
            "0x0000000000401136: outer(int) @ 0x401120+0x16 [/src/app/main.cpp:17]\n\n");
  CHECK(stream.said(hostile_comm, stream.hostile(), StackId::none) ==
        "[1700000000.000000042] COMM: a b;c?\xc2\xa0\"?? (pid=4242) @ CPU 64\n"
        "No Kernel Stack\nUserspace:\n"
        "0x0000000000400001: eval;a?b \"x\\\"?[2J? @ 0x400000+0x1\n\n");
}

TEST_CASE("the tag of a sample is the first line of its first stack") {
  Stream stream("stacks");
  stream.begun("microseconds");
  const std::string head = "[1700000000.000000042] COMM: node (pid=4242) @ CPU 64, 7 microseconds\n";
  const std::string tag = "[off-cpu]";
  CHECK(stream.said("node", StackId::none, stream.kernel(), tag).find(head + "Kernel:\n[off-cpu]\n0xffff") == 0);
  CHECK(stream.said("node", stream.user(), StackId::none, tag)
            .find(head + "No Kernel Stack\nUserspace:\n[off-cpu]\n0x0000") == 0);
  CHECK(stream.said("node", StackId::none, StackId::none, tag) ==
        head + "[off-cpu]\nNo Kernel Stack\nNo Userspace Stack\n\n");
}

TEST_CASE("a JSON line of a stream is one object with all facts about the sample") {
  Stream stream("json");
  CHECK(stream.begun().empty());
  CHECK(stream.said("node", stream.user(), StackId::none) ==
        R"j({"time_unix_ns":1700000000000000042,"comm":"node","pid":4242,"tid":4243,"cpu":64,"event":"cpu-clock",)j"
        R"j("unit":"samples","value":7,"user":[)j"
        R"j({"symbol":"main","module":"dd","offset":16,"address":"0x555500001010"},)j"
        R"j({"symbol":"__libc_start_call_main","module":"libc.so.6","offset":122,"address":"0x7f000002724a"}],)j"
        R"j("kernel":[]})j"
        "\n");
  CHECK(stream.said("node", StackId::missed, StackId::missed, "[off-cpu]")
            .ends_with(R"j("value":7,"tag":"[off-cpu]","user":[{"symbol":"[Missed User Stack]"}],)j"
                       R"j("kernel":[{"symbol":"[Missed Kernel Stack]"}]})j"
                       "\n"));
  CHECK(stream.said("node", stream.unnamed(), StackId::none)
            .find(R"j("user":[{"unnamed":"no_symbol","module":"we;ird?lib.so","offset":4660,"address":"0x1002"},)j"
                  R"j({"unnamed":"not_mapped","address":"0x1007"}])j") != std::string::npos);
  CHECK(stream.said("node", stream.with_lines(), StackId::none)
            .find(R"j("user":[{"module":"app","address":"0x401136","file":"/src/a;b.h","inlined":true},)j"
                  R"j({"symbol":"Box<int>::get(int) const","module":"app","address":"0x401136",)j"
                  R"j("file":"/src/lib/box.h","line":30,"inlined":true},)j"
                  R"j({"symbol":"outer(int)","module":"app","offset":22,"address":"0x401136",)j"
                  R"j("file":"/src/app/main.cpp","line":17}])j") != std::string::npos);
}

TEST_CASE("a JSON line gives the end of the user stack if it is known") {
  Stream stream("json");
  stream.begun();
  const std::vector<FrameId> frames(stream.profile.stack(stream.user()).begin(),
                                    stream.profile.stack(stream.user()).end());
  for (const auto& [end, member] :
       std::vector<std::pair<StackEnd, std::string>>{{StackEnd::unknown, ""},
                                                     {StackEnd::root, R"("user_end":"root",)"},
                                                     {StackEnd::no_cfi, R"("user_end":"no_cfi",)"}}) {
    const std::string line = stream.said("node", stream.profile.stack(frames, end), StackId::none);
    CHECK(line.ends_with(R"("address":"0x7f000002724a"}],)" + member + "\"kernel\":[]}\n"));
  }
}

TEST_CASE("the reason of an incomplete stack ends a block, and begins a folded line with marks") {
  const std::string frame = "[incomplete: no CFI]";
  for (const StackEnd end : {StackEnd::unknown, StackEnd::root, StackEnd::no_cfi}) {
    const auto said = [end](std::string_view form, const OutputOptions& options) {
      Stream stream(form, options);
      stream.begun();
      const auto lines = stream.profile.stack(stream.with_lines());
      const std::vector<FrameId> frames(lines.begin(), lines.end());
      return stream.said("node", stream.profile.stack(frames, end), stream.kernel());
    };
    const bool lacks_some = end == StackEnd::no_cfi;
    CHECK(said("stacks", {}).ends_with("/main.cpp:17]\n" + (lacks_some ? frame + "\n\n" : "\n")));
    const std::string head = "1700000000000000042 node 4242 4243 64 ";
    const std::string plain = "outer(int) main.cpp:17;Box<int>::get(int) const box.h:30;[unknown] a:b.h;";
    CHECK(said("folded", {}) == head + plain + "do_syscall_64;vfs_read\n");
    CHECK(said("folded", {.annotate = true}) ==
          head + (lacks_some ? frame + ";" : "") +
              "outer(int) main.cpp:17;Box<int>::get(int) const box.h:30_[i];[unknown] a:b.h_[i];"
              "do_syscall_64_[k];vfs_read_[k]\n");
  }
}

TEST_CASE("a JSON line is valid for any names") {
  Stream stream("json");
  stream.profile.run.event = "tracepoint:\"a\\b\"\n";
  stream.begun();
  const std::string line = stream.said(hostile_comm, stream.hostile(), stream.kernel(), "\"tag\"");
  CHECK(line.find('\n') == line.size() - 1);
  rapidjson::Document document;
  document.Parse<rapidjson::kParseValidateEncodingFlag>(line.data(), line.size());
  REQUIRE_FALSE(document.HasParseError());
  CHECK(document["comm"] == "a b;c?\xc2\xa0\"??");
  CHECK(document["event"] == "tracepoint:\"a\\b\"?");
  CHECK(document["tag"] == "\"tag\"");
  REQUIRE(document["user"].Size() == 1);
  CHECK(document["user"][0]["symbol"] == "eval;a?b \"x\\\"?[2J?");
  CHECK(document["user"][0]["module"] == "js \"on\".so");
  CHECK(document["kernel"].Size() == 2);
}

TEST_CASE("a stack is written in the same way the second time, and after forget()") {
  for (const StreamForm& form : stream_forms()) {
    CAPTURE(form.name);
    Stream stream(form.name);
    stream.begun();
    const std::string first = stream.said("node", stream.with_lines(), stream.kernel(), "[tag]");
    CHECK(stream.said("node", stream.with_lines(), stream.kernel(), "[tag]") == first);
    stream.forget();
    CHECK(stream.said("node", stream.with_lines(), stream.kernel(), "[tag]") == first);
  }
}

TEST_CASE("the ids after forget() belong to the stacks and names of another profile") {
  for (const std::string_view form : {"stacks", "folded", "json"}) {
    CAPTURE(form);
    const auto output = find_stream_form(form)->make({});
    const auto said = [&](const char* symbol, const char* comm) {
      Profile profile;
      Namer name(profile);
      Sample sample;
      sample.row.process = profile.process(1, 0, "p");
      sample.row.thread_name = profile.strings.intern(comm);
      sample.row.user = profile.stack(std::vector{name.user(sample.row.process, 0x1000, symbol, "m", 0)});
      std::string out;
      output->append(out, profile, sample);
      return out;
    };
    RunInfo run;
    std::string out;
    output->begin(out, run);
    CHECK(said("before", "one").find("before") != std::string::npos);
    output->forget();
    const std::string after = said("after", "two");
    CHECK(after.find("after") != std::string::npos);
    CHECK(after.find("two") != std::string::npos);
    CHECK(after.find("before") == std::string::npos);
  }
}

TEST_CASE("stacks beyond the size of the cache are written correctly") {
  Stream stream("folded");
  stream.begun();
  const auto stack = [&](std::size_t i) {
    const std::string symbol = std::to_string(i) + std::string(30'000, 'x');
    return stream.profile.stack(std::vector{stream.name.user(stream.process, 0x1000 + i, symbol, "m", 0)});
  };
  const std::string head = "1700000000000000042 node 4242 4243 64 ";
  for (int turn = 0; turn < 2; ++turn) {
    for (std::size_t i = 0; i < 600; ++i) {  // 18 MB of text
      REQUIRE(stream.said("node", stack(i), StackId::none) ==
              head + std::to_string(i) + std::string(30'000, 'x') + "\n");
    }
  }
}
