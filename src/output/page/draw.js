// Draws boxes on a canvas: no element of the document for any of them. What is visible is found once for each zoom, by
// going down from the box that fills the width and leaving out what is too narrow to be seen; then only the rows that
// are scrolled into view are painted.

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
    this.boxes = new Column(Int32Array);  // the visible ones, level by level
    this.rows = [0];                      // where each level begins in `boxes`, and the end
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

  // What is to be seen of `tree` with `focus` as wide as the canvas.
  show(tree, focus) {
    this.tree = tree;
    this.focus = focus;
    const {boxes} = this;
    boxes.length = 0;
    this.rows = [];
    for (const box of [0, ...tree.lineOf(focus)]) {
      this.rows.push(boxes.length);
      boxes.push(box);
    }
    this.scale = tree.total[focus] > 0 ? this.width / tree.total[focus] : 0;
    const least = this.scale > 0 ? narrowest / this.scale : Infinity;
    let begin = boxes.length - 1;
    while (begin < boxes.length) {
      const end = boxes.length;
      for (let i = begin; i < end; ++i) {
        const parent = boxes.data[i];
        for (let box = tree.first[parent]; box < tree.first[parent + 1]; ++box) {
          if (tree.total[box] >= least) boxes.push(box);
        }
      }
      if (boxes.length !== end) this.rows.push(end);
      begin = end;
    }
    this.rows.push(boxes.length);
  }

  get depth() {
    return this.rows.length - 1;
  }
  get contentHeight() {
    return Math.max(this.depth * rowHeight + 2, this.height);
  }
  // Of the row, in the canvas.
  top(depth) {
    const y = this.icicle ? depth * rowHeight : this.contentHeight - (depth + 1) * rowHeight;
    return y - this.scroll;
  }
  left(box) {
    return Math.max(0, (this.tree.start[box] - this.tree.start[this.focus]) * this.scale);
  }
  right(box) {
    const end = this.tree.start[box] + this.tree.total[box];
    return Math.min(this.width, (end - this.tree.start[this.focus]) * this.scale);
  }

  // The box at a place of the canvas; none when there is none.
  boxAt(x, y) {
    if (this.tree === null || this.scale === 0) return none;
    const at = y + this.scroll;
    const depth = Math.floor((this.icicle ? at : this.contentHeight - at) / rowHeight);
    if (depth < 0 || depth >= this.depth) return none;
    return this.tree.boxAt(depth, this.tree.start[this.focus] + x / this.scale);
  }

  // `matches`: a flag a frame and a flag a process, or null when nothing is searched for.
  draw(matches) {
    const {paint, palette} = this;
    paint.fillStyle = this.tree !== null && this.tree.comparing ? palette.comparisonBackground : palette.background;
    paint.fillRect(0, 0, this.width, this.height);
    if (this.tree === null) return;
    paint.font = font;
    paint.textBaseline = 'middle';
    if (!this.charWidth) this.charWidth = paint.measureText('m'.repeat(100)).width / 100;
    const focusDepth = this.tree.depthOf(this.focus);
    for (let depth = 0; depth < this.depth; ++depth) {
      const y = this.top(depth);
      if (y + rowHeight < 0 || y > this.height) continue;
      paint.globalAlpha = depth < focusDepth ? 0.55 : 1;
      this.drawRow(depth, y, matches);
    }
    paint.globalAlpha = 1;
  }

  drawRow(depth, y, matches) {
    const {paint, boxes, tree, palette, charWidth} = this;
    const texts = [];
    let colour = '';
    for (let i = this.rows[depth]; i < this.rows[depth + 1]; ++i) {
      const box = boxes.data[i];
      const x = this.left(box);
      const width = this.right(box) - x;
      const wanted = palette.of(tree, box, matches);
      if (wanted !== colour) paint.fillStyle = colour = wanted;
      // A gap between boxes, where there is room for one.
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

  // The box under the mouse and the selected one, above the picture.
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
    const y = this.top(this.tree.depthOf(box));
    this.mark.strokeRect(x + inset, y + inset, Math.max(width - 1 - thickness, 1), rowHeight - 1 - thickness);
  }
}
