// Does what libFuzzer's main() does with files, for any compiler: `fuzz_replay TARGET PATH...` runs the target on every
// named file, or on every file of a named directory, until one fails. So the sanitizers of any build can quickly test
// the parsers.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// Declares the function of each target: TARGETS is a list of TARGET(name).
#define TARGET(name) extern "C" int name(const std::uint8_t* data, std::size_t size);
TARGETS
#undef TARGET

namespace {

using Target = int (*)(const std::uint8_t*, std::size_t);

Target target_of(const char* name) {
#define TARGET(known) \
  if (std::strcmp(name, #known) == 0) return known;
  TARGETS
#undef TARGET
  return nullptr;
}

void give(Target target, const std::filesystem::path& path) {
  // Flushed, so that this line names the file when the target fails.
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) try {
  const Target target = argc < 3 ? nullptr : target_of(argv[1]);
  if (target == nullptr) {
    std::fputs("usage: fuzz_replay TARGET PATH...\n", stderr);
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      give(target, argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) give(target, entry.path());
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "fuzz_replay: %s\n", error.what());
  return 1;
}
