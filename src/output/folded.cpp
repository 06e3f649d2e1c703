// One line a stack, `thread;user root;...;kernel leaf value`: what flame graph tools read. A line splits at its last
// space and then at every semicolon, whatever the names in it were.
#include <algorithm>
#include <ostream>
#include <string>

#include "output/formats.h"
#include "output/labelled_rows.h"

namespace profile {
namespace {

class Folded final : public Output {
 public:
  explicit Folded(const OutputOptions& options) {
    if (options.delimited) wording_.delimiter = "-";
    wording_.annotate_kernel = options.annotate_kernel;
    wording_.modules = options.show_modules;
  }

  void report(std::ostream& out, const Profile& profile) const override {
    const LabelledRows labelled(profile, wording_);
    std::vector<LabelledRow> rows = labelled.rows();
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
    std::vector<Label> frames;
    for (const LabelledRow& row : rows) {
      out << labelled.text(row.owner);
      labelled.frames(row, frames);
      for (const Label frame : frames) out << ';' << labelled.text(frame);
      out << ' ' << std::to_string(row.value) << '\n';
    }
  }

 private:
  Wording wording_;
};

}  // namespace

std::unique_ptr<Output> make_folded(const OutputOptions& options) { return std::make_unique<Folded>(options); }

}  // namespace profile
