// The markdown block: the common part of Markdown, as DOM nodes.

import { h, link } from "./dom.js";
import { broadcast, channelMention, userMention } from "./mrkdwn.js";

const INLINE =
  /`(?<code>[^`]+)`|\*\*(?<bold>.+?)\*\*|(?<![\w*])[*_](?<italic>[^*_]+)[*_](?![\w*])|~~(?<strike>.+?)~~|\[(?<label>[^\]]+)\]\((?<href>[^)\s]+)\)|<(?<token>[^<>\n]+)>/g;

export function markdown(text) {
  const nodes = [];
  const lines = text.split("\n");
  while (lines.length) nodes.push(takeBlock(lines));
  return h("div", { class: "markdown" }, nodes);
}

function takeBlock(lines) {
  const line = lines.shift();
  if (line.startsWith("```")) {
    const code = takeWhile(lines, (next) => !next.startsWith("```"));
    lines.shift();
    return h("pre", {}, code.join("\n"));
  }
  const heading = /^(#{1,6})\s+(.*)$/.exec(line);
  if (heading) return h(`h${Math.min(6, heading[1].length + 2)}`, {}, inline(heading[2]));
  for (const [tag, mark] of [["ul", /^\s*[-*]\s+/], ["ol", /^\s*\d+[.)]\s+/]]) {
    if (mark.test(line)) {
      const items = [line, ...takeWhile(lines, (next) => mark.test(next))];
      return h(tag, {}, items.map((item) => h("li", {}, inline(item.replace(mark, "")))));
    }
  }
  if (/^\s*([-*_])\1{2,}\s*$/.test(line)) return h("hr");
  if (line.startsWith(">")) {
    const quoted = [line, ...takeWhile(lines, (next) => next.startsWith(">"))];
    return h("blockquote", {}, inline(quoted.map((part) => part.replace(/^>\s?/, "")).join("\n")));
  }
  return h("div", { class: "paragraph" }, inline(line));
}

function takeWhile(lines, wanted) {
  const taken = [];
  while (lines.length && wanted(lines[0])) taken.push(lines.shift());
  return taken;
}

function inline(text) {
  const nodes = [];
  let position = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(unescaped(text.slice(position, match.index)), one(match));
    position = match.index + match[0].length;
  }
  nodes.push(unescaped(text.slice(position)));
  return nodes;
}

function one(match) {
  const { code, bold, italic, strike, label, href, token } = match.groups;
  if (code !== undefined) return h("code", {}, unescaped(code));
  if (bold !== undefined) return h("b", {}, inline(bold));
  if (italic !== undefined) return h("i", {}, inline(italic));
  if (strike !== undefined) return h("s", {}, inline(strike));
  if (href !== undefined) return link(href, label);
  // As in Slack, tokens are live here too.
  if (token.startsWith("@")) return userMention(token.slice(1));
  if (token.startsWith("#")) return channelMention(token.slice(1));
  if (token.startsWith("!")) return broadcast(token.slice(1));
  return link(token);
}

function unescaped(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">");
}
