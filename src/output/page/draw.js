// Draws the boxes on a canvas, because one document element per box is too slow. For each zoom it finds the boxes that
// are wide enough to be visible, from the focused box on. Then it paints only the rows in the scrolled view.

const rowHeight = 19;
const narrowest = 0.5;      // px
const narrowestText = 28;   // px
const font = '12px ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';

class Drawing {
  constructor(canvas, overlay) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.paint = canvas.getContext('2d', {alpha: false});
    this.mark = overlay.getContext('2d');
    this.width = 0;
    this.height = 0;
    this.scroll = 0;
    this.tree = null;
    this.focus = 0;
    this.icicle = false;
    this.palette = null;
    this.boxes = new Column(Int32Array);  // visible boxes, level by level
    this.halves = [];                     // {root, focus, scale, rows, depth}; `rows`: where levels begin in `boxes`
  }

  resize(width, height) {
    const ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.width = width;
    this.height = height;
  }

  // Lays out `tree` with `focus` as wide as the canvas. In a sandwich callers go up from the row of the function and
  // callees go down; each half has its own focus.
  show(tree, focus) {
    this.tree = tree;
    this.focus = focus;
    this.boxes.length = 0;
    const isCaller = tree.isCaller(focus);
    this.halves = [this.layOut(0, isCaller ? 0 : focus)];
    if (tree.callers !== none) this.halves.push(this.layOut(tree.callers, isCaller ? focus : tree.callers));
  }
  layOut(root, focus) {
    const {boxes, tree} = this;
    const rows = [];
    for (const box of [root, ...tree.lineOf(focus)]) {
      rows.push(boxes.length);
      boxes.push(box);
    }
    const scale = tree.total[focus] > 0 ? this.width / tree.total[focus] : 0;
    const least = scale > 0 ? narrowest / scale : Infinity;
    let begin = boxes.length - 1;
    while (begin < boxes.length) {
      const end = boxes.length;
      for (let i = begin; i < end; ++i) {
        const children = tree.childrenOf(boxes.data[i]);
        for (let box = children.first; box < children.end; ++box) {
          if (tree.total[box] >= least) boxes.push(box);
        }
      }
      if (boxes.length !== end) rows.push(end);
      begin = end;
    }
    rows.push(boxes.length);
    return {root, focus, scale, rows, depth: rows.length - 1};
  }

  get isSandwich() {
    return this.halves.length === 2;
  }
  // In a sandwich: the number of rows above the function.
  get above() {
    return this.isSandwich ? this.halves[1].depth - 1 : 0;
  }
  get depth() {
    return this.above + (this.halves.length === 0 ? 0 : this.halves[0].depth);
  }
  get contentHeight() {
    return Math.max(this.depth * rowHeight + 2, this.height);
  }
  // The root of a flame graph is at the bottom.
  get isFlame() {
    return !this.icicle && !this.isSandwich;
  }
  halfOf(box) {
    return this.halves[this.tree.isCaller(box) ? 1 : 0];
  }
  // The y of a row in the canvas.
  topOfRow(row) {
    const y = this.isFlame ? this.contentHeight - (row + 1) * rowHeight : row * rowHeight;
    return y - this.scroll;
  }
  rowOf(half, depth) {
    return half === this.halves[0] ? this.above + depth : this.above - depth;
  }
  top(box) {
    return this.topOfRow(this.rowOf(this.halfOf(box), this.tree.depth[box]));
  }
  left(box) {
    const {focus, scale} = this.halfOf(box);
    return Math.max(0, (this.tree.start[box] - this.tree.start[focus]) * scale);
  }
  right(box) {
    const {focus, scale} = this.halfOf(box);
    const end = this.tree.start[box] + this.tree.total[box];
    return Math.min(this.width, (end - this.tree.start[focus]) * scale);
  }
  // The visible boxes in the row of a box.
  neighbours(box) {
    const {rows, depth} = this.halfOf(box);
    const at = this.tree.depth[box];
    return at < depth ? this.boxes.data.subarray(rows[at], rows[at + 1]) : this.boxes.data.subarray(0, 0);
  }

  // Returns the box at a point of the canvas, or `none`.
  boxAt(x, y) {
    if (this.tree === null) return none;
    const at = y + this.scroll;
    const row = Math.floor((this.isFlame ? this.contentHeight - at : at) / rowHeight);
    if (row < 0 || row >= this.depth) return none;
    const half = this.halves[row < this.above ? 1 : 0];
    if (half.scale === 0) return none;
    const depth = Math.abs(row - this.above);
    const value = this.tree.start[half.focus] + x / half.scale;
    const {boxes: {data}, tree: {start, total}} = this;
    // The boxes of a row are sorted from left to right.
    const end = endOfFirst(half.rows[depth], half.rows[depth + 1], (i) => start[data[i]] <= value);
    const box = data[end - 1];
    return start[box] <= value && value < start[box] + total[box] ? box : none;
  }

  // `matches`: {frames, processes, threads} with a flag for each item, or null without a search.
  draw(matches) {
    const {paint, palette} = this;
    paint.fillStyle = this.tree !== null && this.tree.comparing ? palette.comparisonBackground : palette.background;
    paint.fillRect(0, 0, this.width, this.height);
    if (this.tree === null) return;
    paint.font = font;
    paint.textBaseline = 'middle';
    if (!this.charWidth) this.charWidth = paint.measureText('m'.repeat(100)).width / 100;
    for (const half of this.halves) this.drawHalf(half, matches);
    paint.globalAlpha = 1;
  }
  drawHalf(half, matches) {
    const focusDepth = this.tree.depth[half.focus];
    // The root is the same in both halves, so only one half draws it.
    for (let depth = half === this.halves[0] ? 0 : 1; depth < half.depth; ++depth) {
      const y = this.topOfRow(this.rowOf(half, depth));
      if (y + rowHeight < 0 || y > this.height) continue;
      this.paint.globalAlpha = depth < focusDepth ? 0.55 : 1;
      this.drawRow(half, depth, y, matches);
    }
  }

  drawRow({rows, focus, scale}, depth, y, matches) {
    const {paint, boxes, tree, palette, charWidth} = this;
    const texts = [];
    const from = tree.start[focus];
    let colour = '';
    for (let i = rows[depth]; i < rows[depth + 1]; ++i) {
      const box = boxes.data[i];
      const x = Math.max(0, (tree.start[box] - from) * scale);
      const width = Math.min(this.width, (tree.start[box] + tree.total[box] - from) * scale) - x;
      const wanted = palette.of(tree, box, matches);
      if (wanted !== colour) paint.fillStyle = colour = wanted;
      // Leaves a gap between boxes that are wide enough.
      paint.fillRect(x, y, width > 3 ? width - 1 : width, rowHeight - 1);
      if (width >= narrowestText) texts.push(box, x, width);
    }
    for (let i = 0; i < texts.length; i += 3) {
      const name = tree.nameOf(texts[i]);
      const room = texts[i + 2] - 9;
      const letters = Math.floor(room / charWidth);
      paint.fillStyle = palette.textOn(tree, texts[i], matches);
      const shown = name.length <= letters ? name : `${name.slice(0, Math.max(1, letters - 1))}…`;
      paint.fillText(shown, texts[i + 1] + 4, y + rowHeight / 2, room);
    }
  }

  // Marks the box under the mouse and the selected box, on a canvas above the picture.
  drawMarks(hovered, selected) {
    const {mark, palette} = this;
    mark.clearRect(0, 0, this.width, this.height);
    if (this.tree === null) return;
    if (hovered !== none) this.outline(hovered, palette.hover, 1.5);
    if (selected !== none) this.outline(selected, palette.selection, 2.5);
  }
  outline(box, colour, thickness) {
    const x = this.left(box);
    const width = Math.max(this.right(box) - x, 2);
    if (this.right(box) < 0 || x > this.width) return;
    this.mark.strokeStyle = colour;
    this.mark.lineWidth = thickness;
    const inset = thickness / 2;
    const y = this.top(box);
    this.mark.strokeRect(x + inset, y + inset, Math.max(width - 1 - thickness, 1), rowHeight - 1 - thickness);
  }
}
