// The channel pane and the thread pane.

import { channel, see, session } from "./api.js";
import { composer } from "./composer.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { MessageList } from "./message_list.js";

const STATUS_LIFETIME = 120_000;

export class ChannelPane {
  constructor(node, openThread) {
    this.node = node;
    this.openThread = openThread;
    this.id = null;
  }

  async open(id) {
    this.id = id;
    const about = channel(id);
    this.list = new MessageList({
      label: `Messages in ${about.name}`,
      empty: `This is the very beginning of #${about.name}.`,
      inThread: false,
      openThread: this.openThread,
    });
    const name = about.is_im ? about.name : [about.is_private ? icon("lock") : "#", ` ${about.name}`];
    this.node.replaceChildren(
      h(
        "header",
        { class: "pane-head" },
        h("h1", {}, name),
        h("span", { class: "topic" }, about.topic.value),
        about.is_ext_shared && h("span", { class: "badge external" }, "SHARED"),
        h("span", { class: "members", title: "Members" }, icon("people"), ` ${about.num_members}`),
      ),
      this.list.node,
      composer({ label: `Message #${about.name}`, channelId: id, sent: () => this.list.toEnd() }),
    );
    const [channelView, whispers] = await Promise.all([see("messages", { channel: id }), see("ephemerals")]);
    this.list.set([
      ...channelView.messages,
      ...whispers.messages.filter((message) => message.channel === id && !message.thread_ts),
    ]);
  }
}

export class ThreadPane {
  constructor(node) {
    this.node = node;
    this.channelId = null;
    this.ts = null;
  }

  async open(channelId, ts) {
    Object.assign(this, { channelId, ts });
    this.list = new MessageList({ label: "Messages in thread", inThread: true });
    this.status = h("div", { class: "status", role: "status" });
    this.node.hidden = false;
    document.body.classList.add("with-thread");
    this.node.replaceChildren(
      h(
        "header",
        { class: "pane-head" },
        h("h1", {}, "Thread"),
        h("span", { class: "topic" }, `# ${channel(channelId).name}`),
        h("button", { type: "button", class: "icon", "aria-label": "Close thread", onclick: () => this.close() }, "✕"),
      ),
      this.list.node,
      this.status,
      composer({ label: "Reply…", channelId, threadTs: ts, sent: () => this.list.toEnd() }),
    );
    const [thread, whispers, status] = await Promise.all([
      see("thread", { channel: channelId, ts }),
      see("ephemerals"),
      see("status", { channel: channelId, ts }),
    ]);
    this.list.set([
      ...thread.messages,
      ...whispers.messages.filter((message) => message.channel === channelId && message.thread_ts === ts),
    ]);
    this.showStatus(status.status);
  }

  showStatus(words) {
    clearTimeout(this.fading);
    this.status.replaceChildren(
      ...(words ? [h("span", { class: "pulse" }), h("b", {}, session.home.app.name), ` ${words}`] : []),
    );
    if (words) this.fading = setTimeout(() => this.showStatus(""), STATUS_LIFETIME);
  }

  close() {
    this.ts = null;
    this.node.hidden = true;
    document.body.classList.remove("with-thread");
  }
}
