// The source and the code of a function, with what each line and each instruction has cost. The page holds them only if
// that was asked for (--sources), of the whole recording, whatever is filtered now.

class SourceDialog {
  constructor(view, say) {
    Object.assign(this, {view, say});
    this.functions = null;  // null: the page holds none
    this.whole = 0;
    this.dialog = element('source');
    element('source-close').addEventListener('click', () => this.dialog.close());
    element('open-source').addEventListener('click', () => this.open(view.of));
    view.listeners.push(() => (element('open-source').hidden = this.find(view.of) === undefined));
  }
  // `sources` has the form of the page's data.
  hold(sources) {
    this.whole = sources.total;
    this.functions = new Map(sources.functions.map((one) => [`${one.name}\n${one.module}`, one]));
  }
  // `of`: {name, module} of a function, or null.
  find(of) {
    return of === null || this.functions === null ? undefined : this.functions.get(`${of.name}\n${of.module}`);
  }

  open(of) {
    const listing = this.find(of);
    if (listing === undefined) {
      return this.say(this.functions === null
        ? 'This page holds no source: --sources puts it in.'
        : 'This page holds no source of this function: it holds those of the hottest.');
    }
    const {unit} = this.view.source;
    const {whole} = this;
    const share = (value) => (whole === 0 ? '' : ` (${percent(value / whole)})`);
    element('source-title').textContent = shortened(listing.name, 500);
    element('source-figures').textContent =
      `${amount(listing.total, unit)}${share(listing.total)} of the whole recording, ` +
      `${amount(listing.self, unit)}${share(listing.self)} in itself`;
    element('source-text').replaceChildren(
      ...listing.files.flatMap((file) => this.fileParts(file, listing)),
      ...listing.codes.flatMap((code) => this.codeParts(code, listing)));
    if (!this.dialog.open) this.dialog.showModal();
    element('source-text').scrollTop = 0;
    element('source-text').focus();
  }

  fileParts({path, why, newer, lines}, listing) {
    const parts = [made('h3', 'name', path)];
    if (why !== undefined) parts.push(made('p', '', `Without its text: ${why}.`));
    if (newer) parts.push(made('p', '', 'It was changed after the program was built, so its lines may be others.'));
    let next = lines.length === 0 ? 0 : lines[0][0];
    const rows = lines.map(([line, total, self, text]) => {
      const isGap = line > next;
      next = line + 1;
      return {total, self, isGap, cells: [line === 0 ? '?' : String(line)], text};
    });
    return [...parts, this.table(rows, ['Line'], 'Source', listing)];
  }
  codeParts({binary, holder, why, instructions}, listing) {
    const parts = [made('h3', 'name', holder === undefined || holder === '' ? binary : `${binary}: inlined in ${holder}`)];
    if (why !== undefined) return [...parts, made('p', '', `Its code is not shown: ${why}.`)];
    const rows = instructions.map(([address, line, total, self, text, isGap]) =>
      ({total, self, isGap: isGap === 1, cells: [line === 0 ? '' : String(line), address], text}));
    return [...parts, this.table(rows, ['Line', 'Address'], 'Instruction', listing)];
  }
  table(rows, columns, textColumn, listing) {
    const table = made('table');
    const head = made('tr');
    for (const name of ['Total', 'Self', ...columns]) head.append(made('th', '', name));
    head.append(made('th', 'wide', textColumn));
    table.append(made('thead'), made('tbody'));
    table.tHead.append(head);
    const {unit} = this.view.source;
    for (const {total, self, isGap, cells, text} of rows) {
      if (isGap) {
        const gap = made('tr', 'gap');
        const cell = made('td', 'wide', '…');
        cell.colSpan = 3 + columns.length;
        gap.append(cell);
        table.tBodies[0].append(gap);
      }
      const row = made('tr', total === 0 ? '' : 'costs');
      const share = listing.total === 0 ? 0 : total / listing.total;
      const cost = made('td', 'weight');
      if (total !== 0) cost.append(made('span', 'amount', shortAmount(total, unit)), ' ', made('span', 'share', percent(share)));
      cost.style.backgroundSize = `${100 * share}% 100%`;
      row.append(cost, made('td', '', self === 0 ? '' : shortAmount(self, unit)));
      row.append(...cells.map((cell) => made('td', 'quiet', cell)), made('td', 'wide name', text));
      table.tBodies[0].append(row);
    }
    return table;
  }
}
