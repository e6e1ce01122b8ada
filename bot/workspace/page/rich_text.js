// rich_text blocks as DOM nodes: text is literal, mentions exist only as typed elements.

import { h, link } from "./dom.js";
import { emoji } from "./emoji.js";
import { broadcast, channelMention, userMention } from "./mrkdwn.js";

const STYLES = { bold: "b", italic: "i", strike: "s", code: "code", underline: "u" };

export function richText(block) {
  return h("div", { class: "rich-text" }, block.elements.map(element));
}

function element(part) {
  if (part.type === "rich_text_preformatted") return h("pre", {}, part.elements.map(inline));
  if (part.type === "rich_text_quote") return h("blockquote", {}, part.elements.map(inline));
  if (part.type === "rich_text_list") {
    const tag = part.style === "ordered" ? "ol" : "ul";
    const items = part.elements.map((item) => h("li", {}, item.elements.map(inline)));
    return h(tag, { class: `indent-${part.indent ?? 0}`, start: part.offset ? part.offset + 1 : null }, items);
  }
  return h("div", { class: "rich-section" }, part.elements.map(inline));
}

function inline(part) {
  if (part.type === "link") return styled(part, link(part.url, part.text || part.url));
  if (part.type === "user") return userMention(part.user_id);
  if (part.type === "channel") return channelMention(part.channel_id);
  if (part.type === "broadcast") return broadcast(part.range);
  if (part.type === "usergroup") return broadcast(part.usergroup_id);
  if (part.type === "emoji") return emoji(part.name) ?? `:${part.name}:`;
  if (part.type === "date") return part.fallback ?? new Date(part.timestamp * 1000).toLocaleString();
  return styled(part, part.text ?? part.value ?? "");
}

function styled(part, content) {
  return Object.entries(part.style ?? {})
    .filter(([name, on]) => on && STYLES[name])
    .reduce((inner, [name]) => h(STYLES[name], {}, inner), content);
}
