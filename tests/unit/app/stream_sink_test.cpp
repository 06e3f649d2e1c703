// Tests that the sink of a stream passes on all that its reader takes.
#include "app/stream_sink.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "elf_fixture.h"

namespace {

using namespace profile;

constexpr std::size_t sample_bytes = 1024;

// Each sample is as long as one with a deep stack.
class LongForm : public StreamOutput {
 public:
  void append(std::string& out, const Profile& /*profile*/, const Sample& /*sample*/) override {
    out.append(sample_bytes, 'x');
  }
};

TEST_SUITE("stream sink") {
  TEST_CASE("nothing waits where the reader takes everything") {
    const std::string path = test::directory().file("stream");
    StreamSink sink(std::make_unique<LongForm>(), path, [](const std::string& line) { FAIL_CHECK(line); });
    sink.prepare();
    sink.begin({});
    // Several times what the writer keeps for a slow reader.
    const std::vector<Sample> samples(5 * StreamWriter::most_pending_bytes / sample_bytes);
    const auto profile = std::make_shared<Profile>();
    for (int batch = 1; batch <= 3; ++batch) {
      sink.add(profile, samples);
      CHECK(sink.behind() == 0);
      CHECK(std::filesystem::file_size(path) == batch * samples.size() * sample_bytes);
    }
    sink.end();
    CHECK(sink.lost() == 0);
  }
}

}  // namespace
