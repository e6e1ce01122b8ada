// Slack's mrkdwn as DOM nodes. Tokens in <…> are live, the three entities are decoded last and never parsed again.

import { channel, user } from "./api.js";
import { h, link } from "./dom.js";
import { emoji } from "./emoji.js";

const INLINE = new RegExp(
  [
    "```\\n?(?<fence>[\\s\\S]*?)```",
    "`(?<code>[^`\\n]+)`",
    "<(?<token>[^<>\\n]+)>",
    "(?<![\\w*])\\*(?<bold>\\S(?:[^*\\n]*?\\S)?)\\*(?![\\w*])",
    "(?<![\\w_])_(?<italic>\\S(?:[^_\\n]*?\\S)?)_(?![\\w_])",
    "(?<![\\w~])~(?<strike>\\S(?:[^~\\n]*?\\S)?)~(?![\\w~])",
    ":(?<emoji>[a-z0-9_+-]+):",
    "(?<url>https?:\\/\\/[^\\s<>|]+)",
  ].join("|"),
  "g",
);

export function mrkdwn(text, { verbatim = false } = {}) {
  const nodes = [];
  let quote = [];
  const flush = () => {
    if (quote.length) nodes.push(h("blockquote", {}, inline(quote.join("\n"), verbatim)));
    quote = [];
  };
  // A fence may hold lines that look like quotes, so it is taken out first.
  for (const part of text.split(/(```[\s\S]*?```)/)) {
    if (part.startsWith("```")) {
      flush();
      nodes.push(...inline(part, verbatim));
      continue;
    }
    let plain = [];
    for (const line of part.split("\n")) {
      if (line.startsWith("&gt;")) {
        if (plain.length) nodes.push(...inline(plain.join("\n"), verbatim));
        plain = [];
        quote.push(line.slice(4).trimStart());
      } else {
        flush();
        plain.push(line);
      }
    }
    flush();
    nodes.push(...inline(plain.join("\n"), verbatim));
  }
  return nodes;
}

export function decode(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

export function userMention(id) {
  return h("span", { class: "mention" }, `@${user(id).real_name}`);
}

export function channelMention(id, label) {
  return h("span", { class: "mention" }, `#${channel(id)?.name ?? (label || id)}`);
}

export function broadcast(range) {
  return h("span", { class: "mention broadcast" }, `@${range}`);
}

function inline(text, verbatim) {
  const nodes = [];
  let position = 0;
  for (const match of text.matchAll(INLINE)) {
    const node = one(match, verbatim);
    if (node === null) continue;
    nodes.push(decode(text.slice(position, match.index)), node);
    position = match.index + match[0].length;
  }
  nodes.push(decode(text.slice(position)));
  return nodes.filter((node) => node !== "");
}

function one(match, verbatim) {
  const { fence, code, token: inner, bold, italic, strike, url } = match.groups;
  if (fence !== undefined) return h("pre", {}, tokensOnly(fence.replace(/\n$/, "")));
  if (code !== undefined) return h("code", {}, tokensOnly(code));
  if (inner !== undefined) return token(inner);
  if (bold !== undefined) return h("b", {}, inline(bold, verbatim));
  if (italic !== undefined) return h("i", {}, inline(italic, verbatim));
  if (strike !== undefined) return h("s", {}, inline(strike, verbatim));
  if (url !== undefined) return verbatim ? null : link(decode(url));
  const picture = emoji(match.groups.emoji);
  return picture && h("span", { title: match[0] }, picture);
}

// In code nothing is formatted, but Slack still resolves tokens there.
function tokensOnly(text) {
  return text.split(/(<[^<>\n]+>)/).map((part) => (/^<[^<>]+>$/.test(part) ? token(part.slice(1, -1)) : decode(part)));
}

function token(inner) {
  const bar = inner.indexOf("|");
  const target = bar < 0 ? inner : inner.slice(0, bar);
  const label = bar < 0 ? "" : decode(inner.slice(bar + 1));
  if (target.startsWith("@")) return userMention(target.slice(1));
  if (target.startsWith("#")) return channelMention(target.slice(1), label);
  if (target.startsWith("!date^")) return h("time", {}, label || target);
  if (target.startsWith("!")) return broadcast(label || target.slice(1));
  return link(decode(target), label || decode(target));
}
