// The parts around the picture: the sheet that scrolls it, and the texts about a box. Everything from the data goes
// into the document as text, never as markup.

const element = (id) => document.getElementById(id);

function made(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

// --- The sheet that scrolls the picture --------------------------------------------------------------------------------

class Sheet {
  constructor(view) {
    this.view = view;
    this.scroller = element('scroller');
    this.of = null;     // View.of when last placed
    this.above = 0;
    this.fromRoot = 0;  // px between the row of the root and its edge of the sheet
    this.placedAt = 0;  // scroll position that goTo() has set; null after the user scrolls
    view.placeSheet = () => this.place();
    this.scroller.addEventListener('scroll', () => this.scrolled(), {passive: true});
    new ResizeObserver(() => this.resized()).observe(this.scroller);
    this.resized();
  }
  resized() {
    const {clientWidth, clientHeight} = this.scroller;
    const {drawing} = this.view;
    if (drawing.width === clientWidth && drawing.height === clientHeight) return;
    drawing.resize(clientWidth, clientHeight);
    this.view.change(due.layout);
  }
  get range() {
    return Math.max(0, this.view.drawing.contentHeight - this.view.drawing.height);
  }
  place() {
    const {drawing} = this.view;
    element('sheet').style.height = `${drawing.contentHeight}px`;
    // A scroll bar that appears or disappears changes the width of the picture.
    if (this.scroller.clientWidth !== drawing.width) this.resized();
    // The function of a sandwich starts in the middle. It keeps its place when the number of rows above it changes.
    const {of} = this.view;
    if (of !== this.of) this.fromRoot = of === null ? 0 : (drawing.above + 1) * rowHeight - drawing.height / 2;
    else if (of !== null) this.fromRoot += (drawing.above - this.above) * rowHeight;
    Object.assign(this, {of, above: drawing.above});
    this.fromRoot = Math.max(0, this.fromRoot);
    this.goTo(Math.min(this.fromRoot, this.range));
  }
  goTo(fromRoot) {
    const top = this.view.drawing.isFlame ? this.range - fromRoot : fromRoot;
    this.view.drawing.scroll = top;
    this.scroller.scrollTop = top;
    this.placedAt = this.scroller.scrollTop;
  }
  scrolled() {
    const {drawing} = this.view;
    // Handles only scrolling by the user. goTo() also causes this event, and so does a new window height, which
    // resized() handles.
    if (this.scroller.scrollTop === this.placedAt || this.scroller.clientHeight !== drawing.height) return;
    this.placedAt = null;
    drawing.scroll = this.scroller.scrollTop;
    this.fromRoot = drawing.isFlame ? this.range - drawing.scroll : drawing.scroll;
    this.view.change(due.paint);
  }
  // Scrolls until the box is visible.
  reveal(box) {
    const {drawing} = this.view;
    const y = drawing.top(box);
    if (y >= 0 && y + rowHeight <= drawing.height) return;
    this.scroller.scrollTop += y < 0 ? y - rowHeight : y + 2 * rowHeight - drawing.height;
  }
}

// --- Texts about a box ------------------------------------------------------------------------------------------------

class BoxTexts {
  constructor(view) {
    this.view = view;
    this.tip = element('tip');
  }

  // One line for the status bar, which screen readers also read.
  line(box) {
    const {tree, source} = this.view;
    const parts = [tree.nameOf(box), amount(tree.total[box], source.unit), ...this.shares(box)];
    if (tree.comparing) parts.push(this.change(box));
    const where = this.where(box);
    return where === '' ? parts.join(' · ') : `${parts.join(' · ')} · ${where}`;
  }
  shares(box) {
    const {tree, focus} = this.view;
    const shares = [`${percent(tree.shareOf(box))} of all`];
    if (focus !== 0 && tree.total[focus] > 0 && tree.depth[box] >= tree.depth[focus]) {
      shares.push(`${percent(tree.total[box] / tree.total[focus])} of ${shortened(tree.nameOf(focus), 40)}`);
    }
    return shares;
  }
  change(box) {
    const [before, now] = this.view.tree.sharesCompared(box);
    return `${percent(before)} before, ${percent(now)} now: ${points(now - before)}`;
  }
  // For a function in several places: "1,234 samples · 12.3 % of all in all its places".
  everywhere(box) {
    const {tree, source} = this.view;
    if (!tree.isFrame(box)) return '';
    const {functions, now, whole} = this.view.functionSums();
    const total = now.total[functions.of.data[tree.code[box]]];
    if (total <= tree.total[box]) return '';
    return `${amount(total, source.unit)} · ${percent(total / whole)} of all in all its places`;
  }
  // "libc.so.6, read.c:42, user"
  where(box) {
    const {tree} = this.view;
    if (!tree.isFrame(box)) return '';
    const frame = tree.table.frame(tree.code[box]);
    return [frame.module, place(frame), kindWords[frame.kind]].filter((text) => text !== '').join(', ');
  }

  showTip(box, x, y) {
    const {tree, source} = this.view;
    if (box === none) return this.hideTip();
    const {tip} = this;
    const self = tree.inverted || tree.isCaller(box) ? 0 : tree.selfOf(box);
    const figures = [amount(tree.total[box], source.unit), ...this.shares(box)].join(' · ');
    tip.replaceChildren(made('div', 'name', shortened(tree.nameOf(box), 4500)), made('div', '', figures));
    if (tree.comparing) tip.append(made('div', '', this.change(box)));
    const inItself = self > 0 && self < tree.total[box] ? `${amount(self, source.unit)} in itself` : '';
    const facts = [inItself, this.everywhere(box), this.where(box)].filter((text) => text !== '');
    tip.append(...facts.map((text) => made('div', 'quiet', text)));
    placeTip(x, y);
  }
  hideTip() {
    this.tip.hidden = true;
  }

  showStatus() {
    const {view} = this;
    const status = element('status');
    // Screen readers read the selected box, but not each box under the mouse.
    status.setAttribute('aria-live', view.hovered !== none ? 'off' : 'polite');
    const text = shortened(this.line(view.current), 600);
    if (status.textContent !== text) status.textContent = text;
  }
}

// Shows the tip near the mouse, and completely inside the window.
function placeTip(x, y) {
  const tip = element('tip');
  tip.hidden = false;
  const {width, height} = tip.getBoundingClientRect();
  const left = x + 14 + width > innerWidth ? x - 10 - width : x + 14;
  const top = y + 18 + height > innerHeight ? y - 10 - height : y + 18;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

function shortened(text, length) {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
