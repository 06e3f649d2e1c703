// What compile_loop.sh compiles: little of its own, and the usual headers.
#include <map>
#include <string>
#include <vector>

std::map<std::string, std::size_t> count_words(const std::vector<std::string>& words) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& word : words) ++counts[word];
  return counts;
}
