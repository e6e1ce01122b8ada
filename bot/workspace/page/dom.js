// Builds DOM nodes. Data only ever becomes text nodes and attribute values, so nothing in a message can become markup.

export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.className = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// A link only for addresses that cannot run anything; everything else stays words.
export function link(url, label) {
  const safe = /^(https?|mailto):/i.test(url);
  if (!safe) return h("span", {}, label ?? url);
  return h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, label ?? url);
}

export function toast(words) {
  const node = h("div", { class: "toast" }, words);
  document.getElementById("toasts").append(node);
  setTimeout(() => node.remove(), 6000);
}

// Popups close on the next click anywhere and on Escape.
export function popup(anchor, content) {
  document.querySelectorAll(".popup").forEach((open) => open.remove());
  const box = anchor.getBoundingClientRect();
  content.classList.add("popup");
  // Inside a modal dialog only its own descendants can be clicked.
  (anchor.closest("dialog") ?? document.body).append(content);
  const below = box.bottom + content.offsetHeight + 8 < window.innerHeight;
  content.style.top = `${below ? box.bottom + 4 : Math.max(8, box.top - content.offsetHeight - 4)}px`;
  content.style.left = `${Math.max(8, Math.min(box.left, window.innerWidth - content.offsetWidth - 12))}px`;
  const close = () => {
    content.remove();
    document.removeEventListener("click", close);
    document.removeEventListener("keydown", onKey);
  };
  const onKey = (event) => {
    if (event.key === "Escape") close();
  };
  setTimeout(() => document.addEventListener("click", close));
  document.addEventListener("keydown", onKey);
  content.querySelector("button")?.focus();
}

export function initials(name) {
  return name
    .split(/\s+/)
    .map((part) => part[0] ?? "")
    .slice(0, 2)
    .join("")
    .toUpperCase();
}
