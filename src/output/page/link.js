// A link is a view: what is looked at stands behind the # of the address, so that it can be sent, reloaded and gone back
// to. A box is named by hashes of the frames that lead to it, which are the same in another page of the same program.

const lastsUntilNext = ['search', 'sort'];  // what is no step to go back to

class Link {
  // `live`: where it is. `saved`: what a page that was saved shows where its address says nothing.
  constructor({view, tools, list, live, saved = ''}) {
    Object.assign(this, {view, tools, list, live});
    this.flags = {
      invert: ['inverted', false], heaviest: ['heaviest', false], processes: ['byProcess', true],
      threads: ['byThread', false], before: ['swapped', false],
    };
    this.read(location.hash.length > 1 ? location.hash : saved);
    this.written = this.words();
    view.listeners.push(() => this.write());
    window.addEventListener('popstate', () => {
      // Those that come from the view itself change nothing.
      if (location.hash.slice(1) === this.written) return;
      clearTimeout(this.later);
      this.read(location.hash);
      this.written = this.words();
    });
  }

  // Only what is not as it is at first.
  parts() {
    const {view, list, live} = this;
    const parts = new URLSearchParams();
    const add = (name, value) => value !== '' && parts.set(name, value);
    if (view.of !== null) {
      parts.set('function', view.of.name);
      if (view.of.module !== null) parts.set('module', view.of.module);
    }
    add('zoom', view.path.join('.'));
    add('search', view.words);
    for (const name of ['process', 'thread', 'cpu']) add(name, view.filter[name]);
    for (const [name, [key, usual]] of Object.entries(this.flags)) {
      if (view[key] !== usual) parts.set(name, view[key] ? 'on' : 'off');
    }
    if (view.drawing.icicle) parts.set('icicle', 'on');
    if (list.isShown) parts.set('functions', 'on');
    add('sort', list.sortWords());
    if (live !== null) add('last', live.windowWords());
    return parts;
  }
  words() {
    return this.parts().toString();
  }
  write() {
    const words = this.words();
    if (words === this.written) return;
    const isStep = this.withoutPassing(words) !== this.withoutPassing(this.written);
    this.written = words;
    // What is typed has its end when nothing more is typed.
    clearTimeout(this.later);
    const put = (how) => {
      try {
        history[how](null, '', words === '' ? location.pathname + location.search : `#${words}`);
      } catch {
        // A browser that was asked too often, or does not let a page from disk: then the link is the page alone.
      }
    };
    if (isStep) put('pushState');
    else this.later = setTimeout(() => put('replaceState'), 200);
  }
  withoutPassing(words) {
    const parts = new URLSearchParams(words);
    for (const name of lastsUntilNext) parts.delete(name);
    return parts.toString();
  }

  // Whatever it says that is not known or not there is as if it were not said.
  read(hash) {
    const {view, tools, list, live} = this;
    const parts = new URLSearchParams(hash.replace(/^#/, ''));
    const text = (name) => parts.get(name) || '';
    view.forgetPlace();
    if (parts.has('function')) view.of = {name: text('function'), module: parts.get('module')};
    view.path = text('zoom') === '' ? [] : text('zoom').split('.').slice(0, 4096);
    for (const name of ['process', 'thread', 'cpu']) view.filter[name] = text(name);
    for (const [name, [key, usual]] of Object.entries(this.flags)) {
      view[key] = parts.has(name) ? parts.get(name) === 'on' : usual;
    }
    view.drawing.icicle = parts.get('icicle') === 'on';
    tools.searchFor(text('search'));
    list.setSort(text('sort'));
    list.toggle(parts.get('functions') === 'on', false);
    if (live !== null) live.setWindow(text('last'));
    view.change(due.tree);
  }
}
