// One message: who, when, what, and what can be done with it.

import { act, session, user } from "./api.js";
import { blocks } from "./blocks.js";
import { h, initials, popup, toast } from "./dom.js";
import { emoji } from "./emoji.js";
import { fileCard } from "./files.js";
import { icon } from "./icons.js";
import { decode, mrkdwn } from "./mrkdwn.js";

const GROUPED_SECONDS = 300;
const REACTIONS = ["eyes", "white_check_mark", "+1"];

export function avatar(person) {
  const tint = Math.max(0, session.home.users.findIndex((known) => known.id === person.id)) % 6;
  const style = `avatar tint-${tint} ${person.is_bot ? "app" : ""}`;
  return h("span", { class: style, "aria-hidden": "true" }, initials(person.real_name));
}

// `before` is the message above: a run of messages by one author shows the name once.
export function messageRow(message, before, { inThread, openThread }) {
  if (message.subtype === "tombstone") return row(message, h("div", { class: "tombstone" }, message.text), inThread, openThread);
  const author = user(message.user);
  const grouped =
    !(inThread && before?.ts === message.thread_ts) &&
    before?.user === message.user &&
    !before.subtype &&
    !message.is_ephemeral &&
    !before.is_ephemeral &&
    message.ts - before.ts < GROUPED_SECONDS;
  const head = h(
    "div",
    { class: "message-head" },
    h("span", { class: "author" }, author.real_name),
    author.is_bot && h("span", { class: "badge" }, "APP"),
    author.is_stranger && h("span", { class: "badge external" }, "EXTERNAL"),
    h("time", { title: new Date(message.ts * 1000).toLocaleString() }, clock(message.ts)),
  );
  const body = h(
    "div",
    { class: "message-body" },
    message.is_ephemeral && onlyYou(message),
    !grouped && head,
    message.subtype === "thread_broadcast" && !inThread && h("div", { class: "note" }, "replied to a thread"),
    content(message),
    message.files?.map(fileCard),
    message.edited && !message.bot_id && h("span", { class: "edited" }, "(edited)"),
    message.reactions?.length > 0 && reactions(message),
    !inThread && message.reply_count > 0 && threadSummary(message, openThread),
  );
  const gutter = grouped ? h("time", { class: "gutter-time" }, clock(message.ts)) : avatar(author);
  return row(message, [h("div", { class: "gutter" }, gutter), body], inThread, openThread);
}

function row(message, inside, inThread, openThread) {
  const node = h(
    "article",
    { class: `message ${message.is_ephemeral ? "ephemeral" : ""}`, "data-ts": message.ts, "aria-label": label(message) },
    inside,
  );
  if (!message.is_ephemeral && message.subtype !== "tombstone") node.append(tools(message, inThread, openThread));
  return node;
}

function label(message) {
  return `${user(message.user).real_name}, ${clock(message.ts)}`;
}

function content(message) {
  if (!message.blocks?.length) return message.text && h("div", { class: "mrkdwn" }, mrkdwn(message.text));
  return blocks(message.blocks, host(message));
}

// Menus of a message send their value at once; the others are sent along as the message's state.
function host(message) {
  const entered = {};
  return {
    form: false,
    filled: (_block, part) => entered[part.action_id],
    fill: (_block, part, value) => {
      entered[part.action_id] = value;
    },
    use: async (part, _block, value) => {
      try {
        const outcome = await act("click", {
          channel: message.channel,
          ts: message.ts,
          action_id: part.action_id,
          value,
          filled: entered,
        });
        if (!outcome.ok) toast("⚠ The app did not answer. Please try again.");
      } catch (error) {
        toast(error.message);
      }
    },
  };
}

function onlyYou(message) {
  return h(
    "div",
    { class: "only-you" },
    icon("eye"),
    "Only visible to you",
    h(
      "button",
      { type: "button", onclick: () => act("dismiss", { channel: message.channel, ts: message.ts }) },
      "Dismiss message",
    ),
  );
}

function threadSummary(message, openThread) {
  const count = message.reply_count;
  return h(
    "button",
    { type: "button", class: "thread-summary", onclick: () => openThread(message.ts) },
    message.reply_users.slice(0, 3).map((id) => avatar(user(id))),
    h("b", {}, count === 1 ? "1 reply" : `${count} replies`),
    h("span", {}, `Last reply ${clock(message.latest_reply)}`),
  );
}

function reactions(message) {
  return h(
    "div",
    { class: "reactions" },
    message.reactions.map((entry) => {
      const mine = entry.users.includes(session.person.id);
      return h(
        "button",
        {
          type: "button",
          class: mine ? "reaction mine" : "reaction",
          title: entry.users.map((id) => user(id).real_name).join(", "),
          "aria-label": `${entry.name}, ${entry.count}`,
          onclick: () => react(message, entry.name, !mine),
        },
        emoji(entry.name) ?? `:${entry.name}:`,
        ` ${entry.count}`,
      );
    }),
  );
}

function react(message, name, add) {
  act("react", { channel: message.channel, ts: message.ts, name, add }).catch((error) => toast(error.message));
}

function tools(message, inThread, openThread) {
  const mine = message.user === session.person.id;
  return h(
    "div",
    { class: "tools", role: "toolbar", "aria-label": "Message actions" },
    tool("Add reaction", icon("react"), (event) => reactionMenu(event.currentTarget, message)),
    !inThread && tool("Reply in thread", icon("thread"), () => openThread(message.thread_ts ?? message.ts)),
    tool("More message actions", "⋮", (event) => menu(event.currentTarget, message, mine)),
  );
}

function tool(words, picture, onclick) {
  return h("button", { type: "button", "aria-label": words, title: words, onclick }, picture);
}

function reactionMenu(anchor, message) {
  const items = REACTIONS.map((name) =>
    h("button", { type: "button", role: "menuitem", onclick: () => react(message, name, true) }, `${emoji(name)}  :${name}:`),
  );
  popup(anchor, h("div", { role: "menu", class: "menu" }, items));
}

function menu(anchor, message, mine) {
  const where = { channel: message.channel, ts: message.ts };
  const item = (words, deed) =>
    h("button", { type: "button", role: "menuitem", onclick: () => deed().catch((error) => toast(error.message)) }, words);
  const shortcuts = session.home.app.shortcuts.map((known) =>
    item(`${known.name} — ${session.home.app.name}`, async () => {
      const outcome = await act("shortcut", { ...where, callback_id: known.callback_id });
      if (!outcome.ok) toast("⚠ The app did not answer. Please try again.");
    }),
  );
  const own = mine
    ? [
        item("Edit message", async () => {
          const text = window.prompt("Edit message", decode(message.text));
          if (text !== null) await act("edit", { ...where, text });
        }),
        item("Delete message", () => act("delete", where)),
      ]
    : [];
  const copy = item("Copy link", async () => {
    await navigator.clipboard.writeText(`${location.origin}/archives/${message.channel}/p${message.ts.replace(".", "")}`);
  });
  popup(anchor, h("div", { role: "menu", class: "menu" }, shortcuts, copy, own));
}

function clock(ts) {
  return new Date(ts * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
