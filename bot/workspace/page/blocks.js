// Block Kit layout blocks as DOM nodes. `host` says what an element does when used; see elements.js.

import { h } from "./dom.js";
import { emoji } from "./emoji.js";
import { element } from "./elements.js";
import { icon } from "./icons.js";
import { markdown } from "./markdown.js";
import { mrkdwn } from "./mrkdwn.js";
import { richText } from "./rich_text.js";

export function blocks(list, host) {
  return h("div", { class: "blocks" }, list.map((block) => render(block, host)));
}

export function textObject(object) {
  if (object.type === "mrkdwn") return mrkdwn(object.text, { verbatim: object.verbatim });
  return plain(object);
}

export function plain(object) {
  if (object.emoji === false) return object.text;
  return object.text.replace(/:([a-z0-9_+-]+):/g, (whole, name) => emoji(name) ?? whole);
}

function render(block, host) {
  const draw = BLOCKS[block.type];
  if (!draw) return h("div", { class: "unknown-block" }, `This client does not show “${block.type}” blocks.`);
  const node = draw(block, host);
  node.dataset.blockId = block.block_id ?? "";
  return node;
}

const BLOCKS = {
  section: (block, host) =>
    h(
      "div",
      { class: "section" },
      h(
        "div",
        { class: "section-words" },
        block.text && h("div", { class: "mrkdwn" }, textObject(block.text)),
        block.fields &&
          h("div", { class: "fields" }, block.fields.map((field) => h("div", { class: "mrkdwn" }, textObject(field)))),
      ),
      block.accessory && h("div", { class: "accessory" }, element(block.accessory, block, host)),
    ),
  header: (block) => h("h3", { class: "header-block" }, plain(block.text)),
  context: (block, host) =>
    h(
      "div",
      { class: "context" },
      block.elements.map((part) =>
        part.type === "image" ? element(part, block, host) : h("span", { class: "mrkdwn" }, textObject(part)),
      ),
    ),
  divider: () => h("hr", { class: "divider" }),
  actions: (block, host) =>
    h("div", { class: "actions" }, block.elements.map((part) => element(part, block, host))),
  rich_text: richText,
  markdown: (block) => markdown(block.text),
  image: (block) => picture(block, block.title ? plain(block.title) : null),
  input: (block, host) => inputBlock(block, host),
  table: (block) => table(block),
  container: (block, host) =>
    h(
      "details",
      { class: "container", open: !block.default_collapsed },
      h("summary", {}, textObject(block.title)),
      block.child_blocks.map((child) => render(child, host)),
    ),
  file: () => h("div", { class: "unknown-block" }, "A remote file"),
};

// Pictures from elsewhere are not fetched: the words for them stand in their place.
export function picture(image, title) {
  return h(
    "figure",
    { class: "picture", role: "img", "aria-label": image.alt_text },
    title && h("figcaption", {}, title),
    h("div", { class: "picture-box" }, icon("image"), image.alt_text),
  );
}

function inputBlock(block, host) {
  const id = `input-${block.block_id}`;
  const label = h(
    "label",
    { for: id, class: "input-label" },
    plain(block.label),
    block.optional && h("span", { class: "optional" }, " (optional)"),
  );
  return h(
    "div",
    { class: "input-block" },
    label,
    element(block.element, block, host, id),
    block.hint && h("div", { class: "hint" }, plain(block.hint)),
    h("div", { class: "input-error", role: "alert" }),
  );
}

function table(block) {
  const cell = (content) => (content.type === "rich_text" ? richText(content) : (content.text ?? ""));
  const [head, ...rows] = block.rows;
  return h(
    "div",
    { class: "table-box" },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, head.map((content) => h("th", {}, cell(content))))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((content) => h("td", {}, cell(content)))))),
    ),
  );
}
