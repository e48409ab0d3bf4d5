"use strict";
(() => {
  const root = document.documentElement;
  const hosts = [...document.querySelectorAll(".host")];
  const tiles = [...document.querySelectorAll("[data-status]")];
  const search = document.getElementById("search");
  const shown = document.getElementById("shown");
  const group = document.getElementById("group");
  const empty = document.getElementById("empty");
  const texts = new Map();
  root.classList.add("js");

  const textOf = (host) => {
    if (!texts.has(host)) texts.set(host, host.textContent.toLowerCase());
    return texts.get(host);
  };
  const inGroup = (host) => !group || !group.value || host.dataset.groups.split(" ").includes(group.value);
  const inWords = (number) => number === 1 ? "1 host" : `${number} hosts`;
  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = tiles.filter((tile) => tile.getAttribute("aria-pressed") === "true").map((tile) => tile.dataset.status);
    let count = 0;
    for (const host of hosts) {
      const fits = (!chosen.length || chosen.includes(host.dataset.is)) && inGroup(host) && words.every((word) => textOf(host).includes(word));
      host.hidden = !fits;
      count += fits ? 1 : 0;
    }
    shown.textContent = count === hosts.length ? inWords(count) : `${count} of ${inWords(hosts.length)}`;
    empty.hidden = count > 0;
  };
  const reveal = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    const around = target && target.closest("details");
    if (!around) return;
    around.hidden = false;
    around.open = true;
    target.scrollIntoView();
  };
  const open = (state) => hosts.filter((host) => !host.hidden).forEach((host) => { host.open = state; });
  let timer = 0;
  search.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 60); });
  if (group) group.addEventListener("change", apply);
  addEventListener("hashchange", reveal);
  tiles.forEach((tile) => tile.addEventListener("click", () => {
    tile.setAttribute("aria-pressed", String(tile.getAttribute("aria-pressed") !== "true"));
    apply();
  }));
  document.getElementById("open").addEventListener("click", () => open(true));
  document.getElementById("close").addEventListener("click", () => open(false));
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== search && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && document.activeElement === search) {
      search.value = "";
      apply();
    }
  });
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([hidden], [open])")];
    opened.forEach((host) => { host.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((host) => { host.open = false; }));
  apply();
  reveal();
})();
