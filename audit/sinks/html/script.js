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
    };
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
    showKinds(rule.index, terms.length > 0 && !whole);
    if (terms.length) {
      rule.open ??= rule.fold.open;
      if (shown && !whole) rule.fold.open = true;
    } else if (rule.open !== null) {
      rule.fold.open = rule.open;
      rule.open = null;
    }
    return { match: whole || shown > 0, shown };
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
