// What the page can do beyond standing there: search, filter, links that unfold, copying. It reads
// the text of the page and sets attributes; it never makes markup out of text.
(() => {
  "use strict";
  const root = document.documentElement;
  const at = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const says = (many, noun) => `${many.toLocaleString("en")} ${noun}${many === 1 ? "" : "s"}`;
  const UNFOLD_AT_MOST = 200; // rows that one search unfolds by itself; more would stall the page
  root.classList.add("scripted");

  // The choice of colours outlives the page where the browser lets it.
  const themes = all("input[name=theme]");
  try {
    const chosen = themes.find((theme) => theme.value === localStorage.getItem("audit-theme"));
    if (chosen) chosen.checked = true;
  } catch { /* storage is forbidden in a sandbox */ }
  for (const theme of themes) {
    theme.addEventListener("change", () => {
      try { localStorage.setItem("audit-theme", theme.value); } catch { /* the same */ }
    });
  }

  // Search and filter.
  const search = at("page-search");
  const status = at("page-status");
  const nothing = document.querySelector(".nothing");
  const buttons = all("[data-only]");
  const rules = all(".rule").map((element) => ({
    element,
    outcome: element.dataset.outcome,
    fold: element.querySelector("details"),
    open: null, // how it stood before the search
    index: null, // its texts, gathered when first needed
  }));

  const textOf = (element) => `${element.textContent} ${element.id}`.toLowerCase();
  const gather = (rule) => {
    const rows = all(".entries > li, .compact > tbody > tr", rule.element);
    const head = all("summary h3, summary .line, .about, .figures, figcaption", rule.element);
    return {
      head: head.map(textOf).join(" "),
      rows: rows.map((element) => ({ element, text: textOf(element) })),
      kinds: all(".kind", rule.element),
      columns: all(".overview", rule.element).map((table) => ({
        rows: all("tbody > tr", table).map((element) => ({ element, text: textOf(element) })),
        note: table.closest("figure").querySelector(".shown"),
      })),
    };
  };

  // A column that says all the words itself stands alone; else the rule's own words speak for all of its columns.
  const matchColumns = (index, terms, whole) => {
    let shown = 0;
    for (const { rows, note } of index.columns) {
      const own = rows.map((row) => terms.every((term) => row.text.includes(term)));
      const found = own.filter(Boolean).length;
      for (const [place, row] of rows.entries()) row.element.hidden = !(own[place] || (whole && !found));
      const kept = found || (whole ? rows.length : 0);
      note.textContent = kept === rows.length ? says(kept, "column") : `${kept.toLocaleString("en")} of ${says(rows.length, "column")}`;
      shown += found;
    }
    return shown;
  };

  const matchRows = (index, terms) => {
    const missing = terms.filter((term) => !index.head.includes(term));
    let shown = 0;
    for (const row of index.rows) {
      const match = missing.every((term) => row.text.includes(term));
      if (row.element.hidden === match) row.element.hidden = !match;
      shown += match;
    }
    return { shown, whole: missing.length === 0 };
  };

  const showKinds = (index, narrowed) => {
    for (const kind of index.kinds) {
      const rest = kind.querySelector(".rest");
      const inRest = rest ? all("tbody > tr:not([hidden])", rest).length : 0;
      kind.hidden = narrowed && !inRest && !kind.querySelector(".entries > li:not([hidden])");
      if (!rest) continue;
      rest.querySelector(".found").textContent = narrowed ? `, ${inRest.toLocaleString("en")} found` : "";
      rest.open = narrowed && inRest > 0 && inRest <= UNFOLD_AT_MOST;
    }
  };

  const searchRule = (rule, terms) => {
    if (!terms.length && !rule.index) return { match: true, shown: 0 };
    rule.index ??= gather(rule);
    const { shown, whole } = matchRows(rule.index, terms);
    const columns = matchColumns(rule.index, terms, whole);
    showKinds(rule.index, terms.length > 0 && !whole);
    if (terms.length) {
      rule.open ??= rule.fold.open;
      if ((shown || columns) && !whole) rule.fold.open = true;
    } else if (rule.open !== null) {
      rule.fold.open = rule.open;
      rule.open = null;
    }
    return { match: whole || shown + columns > 0, shown };
  };

  const apply = () => {
    const terms = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const only = buttons.filter((button) => button.getAttribute("aria-pressed") === "true");
    const outcomes = new Set(only.map((button) => button.dataset.only));
    let seen = 0;
    let violations = 0;
    for (const rule of rules) {
      const { match, shown } = searchRule(rule, terms);
      const visible = match && (!outcomes.size || outcomes.has(rule.outcome));
      rule.element.hidden = !visible;
      seen += visible;
      violations += visible ? shown : 0;
    }
    nothing.hidden = seen > 0;
    const found = terms.length ? `, ${says(violations, "violation")}` : "";
    status.textContent = terms.length || outcomes.size ? `Showing ${seen} of ${says(rules.length, "rule")}${found}` : "";
  };

  const clear = () => {
    search.value = "";
    for (const button of buttons) button.setAttribute("aria-pressed", "false");
    apply();
  };

  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 120);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Escape") clear();
  });
  for (const button of buttons) {
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
      apply();
    });
  }
  at("page-clear").addEventListener("click", () => { clear(); search.focus(); });
  const foldAll = (open) => { for (const rule of rules) rule.fold.open = open; };
  at("page-unfold").addEventListener("click", () => foldAll(true));
  at("page-fold").addEventListener("click", () => foldAll(false));

  // A link to a rule or a violation shows it, whatever is folded or filtered away.
  const reveal = () => {
    let name = location.hash.slice(1);
    try { name = decodeURIComponent(name); } catch { /* as it stands */ }
    const target = name && at(name);
    if (!target) return;
    if (target.hidden || target.closest(".rule[hidden], .kind[hidden]")) clear();
    for (let place = target; place; place = place.parentElement) {
      if (place.localName === "details") place.open = true;
    }
    if (!target.hasAttribute("tabindex")) target.tabIndex = -1;
    target.focus({ preventScroll: true });
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  // A link clicked a second time changes no hash, and should still lead there.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) reveal();
  });
  reveal();

  // Paper cannot be unfolded.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all("details:not([open])");
    for (const details of folded) details.open = true;
  });
  addEventListener("afterprint", () => { for (const details of folded) details.open = false; });

  // Heads of an overview sort it: first worst or largest first, then the other way round. What has no value stays last.
  const valueOf = (kind, cell) => {
    if (kind === "text") return cell.textContent;
    const value = kind === "rank" ? -Number(cell.dataset.rank) : parseFloat(cell.textContent);
    return Number.isNaN(value) ? null : value;
  };
  const order = (one, other) => (typeof one === "string" ? one.localeCompare(other, "en") : one - other);
  const sortBy = (table, head) => {
    const place = head.cellIndex;
    const kind = head.dataset.sort;
    const first = kind === "text" ? "ascending" : "descending";
    const turn = head.getAttribute("aria-sort") === first;
    const direction = turn ? { ascending: "descending", descending: "ascending" }[first] : first;
    const sense = direction === "ascending" ? 1 : -1;
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, value: valueOf(kind, row.cells[place]) }));
    rows.sort((one, other) => (one.value === null) - (other.value === null) || sense * order(one.value, other.value));
    for (const other of all("[aria-sort]", table)) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", direction);
    table.tBodies[0].append(...rows.map(({ row }) => row));
  };
  for (const table of all(".overview")) {
    for (const head of all("th[data-sort]", table)) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sortBy(table, head));
      head.append(button);
    }
  }

  // Copying takes what is seen, so that nothing unseen reaches a terminal.
  const live = at("page-live");
  const byHand = (code) => {
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  };
  const copy = async (code, button) => {
    let done = true;
    try { await navigator.clipboard.writeText(code.textContent.trim()); } catch { done = byHand(code); }
    button.textContent = live.textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; live.textContent = ""; }, 2000);
  };
  for (const command of all("pre.command")) {
    const button = document.createElement("button");
    const code = command.querySelector("code");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.title = `Copy: ${code.textContent.trim().slice(0, 80)}`;
    button.addEventListener("click", () => copy(code, button));
    command.append(button);
  }
})();
