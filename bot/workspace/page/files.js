// Files of a message: pictures and text are shown in place, everything can be downloaded.

import { h } from "./dom.js";
import { icon } from "./icons.js";

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const PREVIEW_LINES = 8;

export function fileCard(file) {
  const address = `/_workspace/files/${encodeURIComponent(file.id)}`;
  return h(
    "div",
    { class: "file" },
    h(
      "div",
      { class: "file-head" },
      icon(IMAGES.includes(file.mimetype) ? "image" : "file"),
      h("span", { class: "file-name" }, file.title || file.name),
      h("span", { class: "file-size" }, size(file.size)),
      h(
        "a",
        { href: `${address}?download`, download: file.name, class: "file-link", "aria-label": `Download ${file.name}` },
        "Download",
      ),
    ),
    IMAGES.includes(file.mimetype) && h("img", { src: address, alt: file.title || file.name, loading: "lazy" }),
    file.preview !== undefined && textPreview(file, address),
  );
}

function textPreview(file, address) {
  const lines = file.preview.split("\n");
  const short = lines.length > PREVIEW_LINES || file.preview_is_truncated;
  const node = h("pre", { class: "file-preview" }, lines.slice(0, PREVIEW_LINES).join("\n"));
  if (!short) return node;
  const more = h(
    "button",
    {
      type: "button",
      class: "file-more",
      onclick: async () => {
        node.textContent = await (await fetch(address)).text();
        node.classList.add("whole");
        more.remove();
      },
    },
    `Show all ${file.lines} lines`,
  );
  return h("div", {}, node, more);
}

function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
