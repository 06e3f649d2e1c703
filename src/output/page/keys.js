// Mouse, keyboard, the menu of a box and the clipboard.

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Browsers refuse the clipboard to pages over plain HTTP from another machine. The old way works there.
  }
  const area = made('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}

function stepInMenu(event) {
  const step = {ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling'}[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const next = document.activeElement[step];
  if (next !== null) next.focus();
}

class Input {
  constructor({view, sheet, texts, tools, list, editBar}) {
    Object.assign(this, {view, sheet, texts, tools, list, editBar});
    this.source = new SourceDialog(view, (text) => this.say(text));
    this.graph = element('graph');
    this.menu = element('menu');
    this.live = null;
    this.strip = null;
    this.mouse();
    this.menuButtons();
    document.addEventListener('keydown', (event) => this.key(event));
    element('help-button').addEventListener('click', () => this.help());
    element('help-close').addEventListener('click', () => element('help').close());
    element('next').addEventListener('click', () => this.nextMatch(1));
    element('previous').addEventListener('click', () => this.nextMatch(-1));
    element('close-sandwich').addEventListener('click', () => {
      view.close();
      this.graph.focus();
    });
  }

  boxOf(event) {
    const {left, top} = this.graph.getBoundingClientRect();
    return this.view.drawing.boxAt(event.clientX - left, event.clientY - top);
  }
  mouse() {
    const {view, graph, texts} = this;
    graph.addEventListener('mousemove', (event) => {
      view.update();
      const box = this.boxOf(event);
      view.hover(box);
      texts.showTip(this.menu.hidden ? box : none, event.clientX, event.clientY);
    });
    graph.addEventListener('mouseleave', () => {
      view.hover(none);
      texts.hideTip();
    });
    graph.addEventListener('click', (event) => {
      if (!this.menu.hidden) return this.closeMenu();
      view.update();
      const box = this.boxOf(event);
      if (box === none) return;
      texts.hideTip();
      view.select(box);
      if (box !== view.focus) view.zoom(box);
    });
    graph.addEventListener('contextmenu', (event) => {
      view.update();
      const box = this.boxOf(event);
      if (box === none) return;
      event.preventDefault();
      view.select(box);
      this.openMenu(box, event.clientX, event.clientY);
    });
    document.addEventListener('mousedown', (event) => {
      if (!this.menu.contains(event.target) && event.target !== graph) this.closeMenu();
    });
  }

  openMenu(box, x, y) {
    this.texts.hideTip();
    this.menu.hidden = false;
    const {width, height} = this.menu.getBoundingClientRect();
    this.menu.style.left = `${Math.min(x, innerWidth - width - 4)}px`;
    this.menu.style.top = `${Math.min(y, innerHeight - height - 4)}px`;
    this.menu.firstElementChild.focus();
  }
  closeMenu() {
    if (this.menu.hidden) return;
    this.menu.hidden = true;
    this.graph.focus();
  }
  menuButtons() {
    const {view} = this;
    const does = {
      zoom: (box) => view.zoom(box),
      sandwich: (box) => this.openFunction(box),
      source: (box) => this.openSource(box),
      copy: (box) => this.copy(foldedLine(view.tree, box), 'The stack'),
      'copy-name': (box) => this.copy(view.tree.nameOf(box), 'The name'),
      search: (box) => this.tools.searchFor(exactly(view.tree.nameOf(box))),
      focus: (box) => this.edit('focus', box),
      hide: (box) => this.edit('hide', box),
      collapse: (box) => this.edit('collapse', box),
    };
    for (const button of this.menu.children) {
      button.addEventListener('click', () => {
        this.closeMenu();
        // A live picture may have changed while the menu was open, so the action uses the selection, which follows the
        // box.
        view.update();
        if (view.selected !== none) does[button.dataset.does](view.selected);
      });
    }
    this.menu.addEventListener('keydown', stepInMenu);
  }

  edit(what, box) {
    const {tree} = this.view;
    if (!tree.isFrame(box)) return this.say('Processes and threads are chosen by the filters above.');
    const {name, module} = tree.table.frame(tree.code[box]);
    if (what !== 'collapse') return this.editBar.add(what, expressionOf(name));
    if (module === '') return this.say('The file of this function is not known.');
    this.editBar.add(what, `lib:${module}`);
  }

  async copy(text, what) {
    const done = await copied(text);
    this.say(done ? `${what} is in the clipboard.` : `${what} could not be copied: the browser does not allow it.`);
  }
  say(text) {
    element('notice').textContent = text;
    clearTimeout(this.silence);
    this.silence = setTimeout(() => (element('notice').textContent = ''), 5000);
  }
  help() {
    const dialog = element('help');
    if (dialog.open) dialog.close();
    else dialog.showModal();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (element('help').open) {
      if (event.key === '?') this.help();
      return;  // the dialog handles the other keys
    }
    if (element('source').open) return;
    const search = element('search');
    if (event.target === search) {
      if (event.key === 'Escape' && search.value !== '') this.tools.searchFor('');
      else if (event.key === 'Escape') this.graph.focus();
      else if (event.key === 'Enter') this.nextMatch(event.shiftKey ? -1 : 1);
      return;
    }
    if (event.target.closest('#time') !== null && event.target.tagName === 'INPUT') {
      if (event.key === 'Escape' || event.key === 'Enter') element('strip').focus();  // which also takes what was typed
      return;
    }
    if (event.target.tagName === 'INPUT') {
      if (event.key === 'Escape' || event.key === 'Enter') this.editBar.leave(event.target, event.key === 'Enter');
      return;
    }
    if (!this.menu.hidden) {
      if (event.key === 'Escape') this.closeMenu();
      return;
    }
    const isControl = event.target.closest('button, select, summary, a') !== null;
    // Buttons and lists use Enter, space, arrows and Home themselves.
    if (isControl && (event.key === 'Enter' || event.key === ' ' || event.key.startsWith('Arrow') || event.key === 'Home' ||
        (event.target.tagName === 'SELECT' && event.key !== 'Escape'))) {
      return;
    }
    const act = this.actOf(event.key);
    if (act === undefined) return;
    event.preventDefault();
    this.view.update();
    act();
  }

  actOf(key) {
    const {view, tools} = this;
    const acts = {
      ArrowUp: () => this.move('up'),
      ArrowDown: () => this.move('down'),
      ArrowLeft: () => this.move('left'),
      ArrowRight: () => this.move('right'),
      Enter: () => view.selected !== none && view.selected !== view.focus && view.zoom(view.selected),
      Escape: () => view.back() || (view.words !== '' ? tools.searchFor('') : view.select(none)),
      Home: () => view.whole(),
      '/': () => element('search').select(),
      f: () => view.setIcicle(!view.drawing.icicle),
      i: () => tools.toggle('inverted'),
      o: () => tools.toggle('heaviest'),
      p: () => tools.toggle('byProcess'),
      h: () => tools.toggle('byThread'),
      m: () => this.editBar.toggleNames(),
      e: () => this.editBar.toggle(),
      l: () => this.list.toggle(),
      s: () => this.openFunction(view.current),
      a: () => this.openSource(view.current),
      n: () => this.nextMatch(1),
      N: () => this.nextMatch(-1),
      c: () => this.copy(foldedLine(view.tree, view.current), 'The stack'),
      w: () => tools.swap(),
      t: () => tools.switchTheme(),
      '?': () => this.help(),
    };
    if (this.strip !== null) acts.r = () => element('strip').focus();
    if (this.live !== null) {
      acts[' '] = () => this.live.togglePause();
      acts.b = () => this.live.toggleFreeze();
    }
    return Object.hasOwn(acts, key) ? acts[key] : undefined;
  }
  move(where) {
    const {view} = this;
    view.hover(none);
    this.texts.hideTip();
    view.move(where);
    if (view.selected !== none) this.sheet.reveal(view.selected);
  }
  openFunction(box) {
    const {tree} = this.view;
    if (!tree.isFrame(box)) return this.say('Processes and threads have no callers.');
    const {name, module} = tree.table.frame(tree.code[box]);
    this.view.open({name, module});
  }
  // In the list of functions, and where callers and callees are shown, it is the function of those.
  openSource(box) {
    const {tree, of} = this.view;
    if (this.list.isShown && this.list.selected !== null && document.activeElement === this.list.scroller) {
      return this.source.open(this.list.selected);
    }
    if (tree.isFrame(box)) {
      const {name, module} = tree.table.frame(tree.code[box]);
      return this.source.open({name, module});
    }
    if (of !== null) return this.source.open(of);
    this.say('Choose a function first.');
  }
  // Selects the next match, from the widest on, or the previous one with -1.
  nextMatch(step) {
    const {view} = this;
    view.hover(none);
    this.texts.hideTip();
    view.update();
    if (!view.selectMatch(step)) return this.say(view.matcher === null ? 'Search first: press /' : 'Nothing is found here.');
    this.sheet.reveal(view.selected);
  }
}
