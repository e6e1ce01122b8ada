// A scrolling list of messages that follows new ones while the reader is at its end.

import { h } from "./dom.js";
import { messageRow } from "./message.js";

const NEAR_END = 120;

export class MessageList {
  constructor(options) {
    this.options = options;
    this.messages = new Map();
    this.node = h("div", { class: "messages", role: "log", "aria-label": options.label, tabindex: "0" });
    this.following = true;
    this.width = 0;
    this.node.addEventListener("scroll", () => this.notePlace());
    new ResizeObserver(() => {
      this.width = this.node.clientWidth;
      if (this.following) this.toEnd();
    }).observe(this.node);
  }

  notePlace() {
    // A thread that opens beside a channel makes its messages longer; that scroll is not the reader's.
    if (this.node.clientWidth !== this.width) return;
    this.following = this.node.scrollHeight - this.node.scrollTop - this.node.clientHeight < NEAR_END;
  }

  toEnd() {
    this.following = true;
    this.node.scrollTop = this.node.scrollHeight;
  }

  set(messages) {
    this.messages = new Map(messages.map((message) => [message.ts, message]));
    this.draw();
    this.toEnd();
  }

  put(message) {
    const known = this.messages.has(message.ts);
    this.messages.set(message.ts, message);
    this.keepingPlace(() => {
      const sorted = this.sorted();
      const index = sorted.findIndex((item) => item.ts === message.ts);
      const row = messageRow(message, sorted[index - 1], this.options);
      const old = this.row(message.ts);
      if (known && old) {
        // An open <details> or a whole file preview would fold on every edit otherwise.
        carryOpen(old, row);
        old.replaceWith(row);
      } else if (index === sorted.length - 1) {
        this.divide(sorted[index - 1], message);
        this.node.append(row);
      } else this.draw();
    });
  }

  remove(ts) {
    if (this.messages.delete(ts)) this.keepingPlace(() => this.draw());
  }

  highlight(ts) {
    const row = this.row(ts);
    row?.scrollIntoView({ block: "center" });
    row?.classList.add("highlighted");
  }

  sorted() {
    return [...this.messages.values()].sort((a, b) => (a.ts < b.ts ? -1 : 1));
  }

  row(ts) {
    return [...this.node.children].find((row) => row.dataset.ts === ts);
  }

  draw() {
    this.node.replaceChildren();
    let before = null;
    for (const message of this.sorted()) {
      this.divide(before, message);
      this.node.append(messageRow(message, before, this.options));
      before = message;
    }
    if (!before && this.options.empty) this.node.append(h("div", { class: "empty" }, this.options.empty));
  }

  divide(before, message) {
    this.node.querySelector(".empty")?.remove();
    if (this.options.inThread) {
      if (before && !this.node.querySelector(".reply-line")) this.node.append(h("div", { class: "reply-line" }, "Replies"));
      return;
    }
    const day = dayOf(message.ts);
    if (!before || dayOf(before.ts) !== day) this.node.append(h("div", { class: "day" }, h("span", {}, day)));
  }

  keepingPlace(change) {
    this.notePlace();
    const place = this.node.scrollTop;
    change();
    if (this.following) this.toEnd();
    else this.node.scrollTop = place;
  }
}

function carryOpen(from, to) {
  const before = from.querySelectorAll("details");
  to.querySelectorAll("details").forEach((details, index) => {
    if (before[index]) details.open = before[index].open;
  });
}

function dayOf(ts) {
  const day = new Date(ts * 1000);
  if (day.toDateString() === new Date().toDateString()) return "Today";
  return day.toLocaleDateString([], { weekday: "long", day: "numeric", month: "long" });
}
