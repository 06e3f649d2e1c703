// Colours by the rule of the pictures (output/flame/colours.h): each kind of frame has a tone and each name a shade, so
// a function looks the same everywhere. In a comparison only the change of the share counts: red for growth, blue for
// shrinkage. The dark theme exists only here.

const {shades, hueRange, lightnessRange, fullChange, fullGrowth, fullShrinkage} = paletteRule;

class Palette {
  constructor(theme) {
    const dark = theme === 'dark';
    this.dark = dark;
    this.background = dark ? '#15171a' : '#ffffff';
    this.comparisonBackground = dark ? '#15171a' : '#e6e9ec';
    this.unchanged = dark ? [58, 63, 69] : [255, 255, 255];
    this.unsure = dark ? '#3f4246' : '#ced2d6';  // the change may be chance
    this.hover = dark ? '#e4e6e8' : '#22262b';
    this.selection = dark ? '#8cc2f5' : '#16508c';
    this.text = dark ? '#f2f3f4' : '#1b1f23';
    this.laneBar = dark ? '#6c93bd' : '#6f9ac6';
    this.matched = dark ? '#a8409a' : '#e58bdc';
    this.faded = dark ? '#2b2f34' : '#e9e9e7';
    this.fadedText = dark ? '#7f8891' : '#7a828a';
    // The shades of each kind, the brightest last.
    this.byKind = kindTable.map(({[theme]: [hue, saturation, lightness]}) =>
      Array.from({length: shades}, (_, shade) => {
        const off = shade / (shades - 1) - 0.5;
        return `hsl(${hue + off * hueRange}, ${saturation}%, ${lightness + off * lightnessRange}%)`;
      }));
    this.shadeOf = remembered((name) => hashOf(name) % shades);
  }

  // `matches` is the same as in Drawing.draw().
  of(tree, box, matches) {
    if (matches !== null) return isMatched(tree, box, matches) ? this.matched : this.faded;
    if (tree.comparing && tree.isUnsure(box)) return this.unsure;
    if (tree.comparing) return this.change(...tree.sharesCompared(box));
    return this.shade(tree.kindOf(box), tree.nameOf(box));
  }
  textOn(tree, box, matches) {
    return matches !== null && !isMatched(tree, box, matches) ? this.fadedText : this.text;
  }
  // The colour of one of two parts of the time that are compared: as what was more in that part.
  ofPart(which) {
    return `rgb(${(which === 0 ? fullShrinkage : fullGrowth).join(', ')})`;
  }
  // The red, green, blue and opacity of a cell of a heat map, by its share of the largest. It is grey, so that the
  // colours of parts can be seen on it.
  heat(share) {
    const [empty, full] = this.dark ? [28, 235] : [255, 30];
    const grey = Math.round(empty + (full - empty) * share);
    return [grey, grey, grey, 255];
  }
  // The tone of the kind without a shade, for the legend.
  toneOf(kind) {
    const [hue, saturation, lightness] = kindTable[kind][this.dark ? 'dark' : 'light'];
    return `hsl(${hue}, ${saturation}%, ${lightness}%)`;
  }
  shade(kind, name) {
    return this.byKind[kind][this.shadeOf(name)];
  }
  // A change of a tenth of the total has the full colour. The square root makes a change of a thousandth visible.
  change(before, now) {
    const strength = Math.min(1, Math.sqrt(Math.abs(now - before) / fullChange));
    const full = now > before ? fullGrowth : fullShrinkage;
    const [red, green, blue] = this.unchanged.map((from, i) => Math.round(from + (full[i] - from) * strength));
    return `rgb(${red}, ${green}, ${blue})`;
  }
}

function isMatched(tree, box, matches) {
  if (tree.isFrame(box)) return matches.frames[tree.code[box]] === 1;
  if (!tree.isGroup(box)) return false;
  return (tree.isThread(box) ? matches.threads : matches.processes)[tree.groupIdOf(box)] === 1;
}
