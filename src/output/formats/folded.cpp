// One line per stack, `thread;user root;...;kernel leaf value`, for flame graph tools. A reader can split each line at
// its last blank, then at every semicolon, for any names.
#include <ostream>
#include <string>

#include "output/labelled_rows.h"
#include "output/output.h"

namespace profile {
namespace {

class Folded final : public Output {
 public:
  explicit Folded(const OutputOptions& options) {
    if (options.delimited) wording_.delimiter = "-";
    wording_.annotate = options.annotate;
    wording_.modules = options.show_modules;
  }

  void report(std::ostream& out, const Profile& profile) const override {
    const LabelledRows labelled(profile, wording_);
    labelled.each_by_value([&](const LabelledRow& row, std::span<const Label> frames) {
      out << labelled.text(row.owner);
      for (const Label frame : frames) out << ';' << labelled.text(frame);
      out << ' ' << std::to_string(row.value) << '\n';
    });
  }

 private:
  Wording wording_;
};

}  // namespace

std::unique_ptr<Output> make_folded(const OutputOptions& options) { return std::make_unique<Folded>(options); }

}  // namespace profile
