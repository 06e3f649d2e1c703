// The table of functions, sorted and searched. It makes rows only for the visible part, because there may be 100,000
// functions.

const listRowHeight = 24;
const spareRows = 12;  // above and below the visible rows

// Two runs of one program differ by as much. Smaller changes are grey.
const leastClearChange = 0.005;

const listColumns = [
  {key: 'self', text: 'Self', title: 'What has the function at the leaf'},
  {key: 'total', text: 'Total', title: 'What has the function anywhere on its stack, each stack once'},
  {key: 'before', text: 'Before', title: 'Its total before', compares: true},
  {key: 'change', text: 'Change', title: 'Of the share in total, from before to now', compares: true},
  {key: 'name', text: 'Function', title: 'In the order of names', isText: true},
];

class FunctionList {
  constructor(view) {
    this.view = view;
    this.isShown = false;
    this.sorted = null;    // {key, isAscending}; null: the usual order
    this.rows = [];        // function ids
    this.selected = null;  // {name, module} of a function
    this.sums = null;      // FunctionSums of the rows; null if they must be made again
    this.scroller = element('functions-scroller');
    element('list').addEventListener('click', () => this.toggle());
    this.scroller.addEventListener('scroll', () => this.draw(), {passive: true});
    this.scroller.addEventListener('keydown', (event) => this.key(event));
    element('functions-rows').addEventListener('click', (event) => {
      const row = event.target.closest('tr.row');
      if (row !== null) this.open(Number(row.dataset.at));
    });
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    view.listeners.push((done) => this.update(done));
  }

  toggle(is = !this.isShown, takesFocus = true) {
    if (is === this.isShown) return;
    this.isShown = is;
    element('functions').hidden = !is;
    element('list').setAttribute('aria-pressed', String(is));
    this.sums = null;
    this.view.change(due.marks);
    if (!takesFocus) return;
    if (is) this.scroller.focus();
    else element('graph').focus();
  }
  // "total", or "-total" for the reverse order. Empty for the default order.
  sortWords() {
    if (this.sorted === null) return '';
    const {key, isAscending} = this.sorted;
    return `${isAscending === (key === 'name') ? '' : '-'}${key}`;
  }
  setSort(words) {
    const key = words.replace(/^-/, '');
    const isKnown = listColumns.some((column) => column.key === key);
    this.sorted = isKnown ? {key, isAscending: (key === 'name') !== words.startsWith('-')} : null;
    this.sums = null;
  }
  get sort() {
    return this.sorted ?? {key: this.view.source.before === null ? 'self' : 'change', isAscending: false};
  }
  sortBy(key) {
    const isSame = this.sort.key === key;
    this.sorted = {key, isAscending: isSame ? !this.sort.isAscending : key === 'name'};
    this.sums = null;
    this.view.change(due.marks);
  }

  update(done) {
    if (!this.isShown) return;
    const {view} = this;
    if (done < due.tree && this.sums !== null && this.matcher === view.matcher) return;
    this.matcher = view.matcher;
    this.sums = view.functionSums();
    this.makeRows();
    this.showHead();
    this.draw(true);
  }
  makeRows() {
    const {functions, now, before} = this.sums;
    const matches = remembered((name) => this.matcher === null || this.matcher(name));
    const all = Array.from({length: now.total.length}, (_, id) => id)
      .filter((id) => now.total[id] !== 0 || (before !== null && before.total[id] !== 0));
    this.rows = all.filter((id) => matches(functions.nameOf(id)));
    const {key, isAscending} = this.sort;
    // Numbers compare faster than names, and functions of equal value are many.
    const ranks = functions.table.frameRanks();
    const frameOf = functions.frame.data;
    const byName = (a, b) => ranks[frameOf[a]] - ranks[frameOf[b]];
    const valueOf = {
      self: (id) => now.self[id],
      total: (id) => now.total[id],
      before: (id) => (before === null ? 0 : this.earlier(id)),
      change: (id) => (before === null ? 0 : this.changeOf(id)),
    }[key];
    const heavier = valueOf === undefined ? byName : (a, b) => valueOf(a) - valueOf(b) || now.total[a] - now.total[b] || byName(b, a);
    const inOrder = isAscending ? heavier : (a, b) => heavier(b, a);
    // By change, those that may be chance are last.
    const unsure = key === 'change' ? this.view.tree.unsure : null;
    this.rows.sort(unsure ? (a, b) => unsure[a] - unsure[b] || inOrder(a, b) : inOrder);
    element('functions-count').textContent = this.rows.length === all.length
      ? `${count(all.length)} function${all.length === 1 ? '' : 's'}`
      : `${count(this.rows.length)} of ${count(all.length)} functions`;
  }
  // In a comparison: the change of the share in total, from before to now, also when they are swapped.
  changeOf(id) {
    const {now, before, whole, wholeBefore} = this.sums;
    const shown = whole === 0 ? 0 : now.total[id] / whole;
    const other = wholeBefore === 0 ? 0 : before.total[id] / wholeBefore;
    return this.view.tree.swapped ? other - shown : shown - other;
  }
  // Of two recordings: what is known of the change. null: there are no intervals.
  knownOf(id) {
    const changes = this.view.knownChanges();
    return changes === null ? null : changeIn(this.view.source.table, changes, id) || {margin: null, isSure: false};
  }
  // In a comparison: its total before, also when they are swapped.
  earlier(id) {
    const {now, before} = this.sums;
    return (this.view.tree.swapped ? now : before).total[id];
  }
  get columns() {
    return listColumns.filter(({compares}) => !compares || this.sums.before !== null);
  }
  showHead() {
    const head = element('functions-head');
    const {key, isAscending} = this.sort;
    const names = this.columns.map((column) => column.key).join();
    if (this.headOf !== names) {
      this.headOf = names;
      head.replaceChildren(...this.columns.map((column) => {
        const cell = made('th', column.isText ? 'wide' : '');
        cell.scope = 'col';
        cell.dataset.key = column.key;
        const button = made('button', '', column.text);
        button.type = 'button';
        button.title = column.title;
        button.addEventListener('click', () => this.sortBy(column.key));
        cell.append(button);
        return cell;
      }));
    }
    for (const cell of head.children) {
      cell.setAttribute('aria-sort', cell.dataset.key !== key ? 'none' : isAscending ? 'ascending' : 'descending');
    }
  }

  // With `anew` the rows have changed, so draw them even if the same range is visible.
  draw(anew = false) {
    if (!this.isShown || this.sums === null) return;
    const {scroller, rows} = this;
    const first = Math.max(0, Math.floor(scroller.scrollTop / listRowHeight) - spareRows);
    const end = Math.min(rows.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / listRowHeight) + spareRows);
    if (!anew && this.drawn !== undefined && this.drawn.first === first && this.drawn.end === end) return;
    this.drawn = {first, end};
    const space = (height) => {
      const cell = made('td', 'space');
      cell.colSpan = this.columns.length;
      cell.style.height = `${height}px`;
      const row = made('tr');
      row.setAttribute('aria-hidden', 'true');
      row.append(cell);
      return row;
    };
    const shown = rows.slice(first, end).map((id, i) => this.rowOf(id, first + i));
    element('functions-rows').replaceChildren(
      space(first * listRowHeight), ...shown, space((rows.length - end) * listRowHeight));
    element('functions-rows').parentElement.setAttribute('aria-rowcount', String(rows.length + 1));
    const isSeen = element(`function-${this.selectedAt}`) !== null;
    if (isSeen) scroller.setAttribute('aria-activedescendant', `function-${this.selectedAt}`);
    else scroller.removeAttribute('aria-activedescendant');
  }
  rowOf(id, at) {
    const {functions, now, whole} = this.sums;
    const row = made('tr', 'row');
    row.id = `function-${at}`;
    row.dataset.at = at;
    row.setAttribute('aria-rowindex', String(at + 2));
    row.setAttribute('aria-selected', String(at === this.selectedAt));
    for (const {key} of this.columns) {
      if (key === 'name') {
        row.append(this.nameCell(functions.nameOf(id), functions.moduleOf(id)));
      } else if (key === 'change') {
        const change = this.changeOf(id);
        const cell = made('td');
        const known = this.knownOf(id);
        const isClear = known === null ? Math.abs(change) >= leastClearChange : known.isSure;
        const margin = known === null || known.margin === null ? '' : ` ± ${(100 * known.margin).toFixed(2)}`;
        cell.append(made('span', isClear ? '' : 'quiet', points(change).replace(' points', ' pts') + margin));
        row.append(cell);
      } else if (key === 'before') {
        const {before, wholeBefore} = this.sums;
        row.append(this.view.tree.swapped
          ? this.amountCell(now.total[id], whole) : this.amountCell(before.total[id], wholeBefore));
      } else {
        row.append(this.amountCell(now[key][id], whole));
      }
    }
    return row;
  }
  amountCell(value, whole) {
    const share = whole === 0 ? 0 : value / whole;
    const cell = made('td', 'weight');
    cell.append(made('span', 'amount', shortAmount(value, this.view.source.unit)), ' ', made('span', 'share', percent(share)));
    cell.style.backgroundSize = `${100 * share}% 18px`;
    return cell;
  }
  nameCell(name, module) {
    const cell = made('td', 'wide');
    cell.title = shortened(`${name}\n${module}`, 2000);
    cell.append(made('span', 'name', shortened(name, 300)));
    if (module !== '') cell.append(' ', made('span', 'quiet', module));
    return cell;
  }

  get selectedAt() {
    return this.selected === null ? -1 : this.rows.indexOf(this.sums.functions.find(this.selected));
  }
  select(at) {
    const id = this.rows[at];
    const {functions} = this.sums;
    this.selected = {name: functions.nameOf(id), module: functions.moduleOf(id)};
    const {scroller} = this;
    const head = element('functions-head').offsetHeight;
    const top = at * listRowHeight;
    const room = scroller.clientHeight - head - listRowHeight;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
    this.draw(true);
  }
  open(at) {
    this.select(at);
    this.view.open(this.selected);
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.scroller) return;
    this.view.update();
    if (this.rows.length === 0) return;
    const at = this.selectedAt;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / listRowHeight) - 2);
    const last = this.rows.length - 1;
    const to = {
      ArrowDown: at + 1, ArrowUp: at < 0 ? 0 : at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: last,
    }[event.key];
    if (to === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    if (to !== undefined) this.select(Math.min(last, Math.max(0, to)));
    else if (at >= 0) this.open(at);
  }
}
