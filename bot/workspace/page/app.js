// Starts the page and applies the live changes.

import { listen, see, session } from "./api.js";
import { toast } from "./dom.js";
import { showViews } from "./modal.js";
import { ChannelPane, ThreadPane } from "./panes.js";
import { choosePerson, chosenPerson, drawSidebar } from "./sidebar.js";

const unread = new Set();
let connected = false;
let wasConnected = false;
const channelPane = new ChannelPane(document.getElementById("channel"), (ts) => threadPane.open(channelPane.id, ts));
const threadPane = new ThreadPane(document.getElementById("thread"));

async function start() {
  session.home = await see("home");
  session.person = chosenPerson(session.home.users) ?? (await choosePerson(session.home.users));
  session.home = await see("home");
  // A permalink is /archives/CHANNEL/pTS with the dot of the ts left out.
  const [, channelId, digits] = /^\/archives\/([^/]+)\/p(\d+)$/.exec(location.pathname) ?? [];
  const first = session.home.channels.find((known) => known.id === channelId) ?? session.home.channels[0];
  await openChannel(first.id);
  if (digits) await openPermalink(`${digits.slice(0, -6)}.${digits.slice(-6)}`);
  showViews((await see("views")).views);
  listen(apply, connection);
}

async function openChannel(id) {
  unread.delete(id);
  if (threadPane.channelId !== id) threadPane.close();
  const opened = channelPane.open(id);
  sidebar();
  await opened;
}

async function openPermalink(ts) {
  const thread = new URLSearchParams(location.search).get("thread_ts");
  if (thread) await threadPane.open(channelPane.id, thread);
  (thread ? threadPane : channelPane).list.highlight(ts);
}

function sidebar() {
  drawSidebar(document.getElementById("sidebar"), { current: channelPane.id, unread, connected, openChannel });
}

async function connection(now) {
  connected = now;
  sidebar();
  // What happened while the connection was down was not told, so it is read again.
  if (now && wasConnected) {
    const { channelId, ts } = threadPane;
    await channelPane.open(channelPane.id);
    if (ts) await threadPane.open(channelId, ts);
  }
  wasConnected ||= now;
}

function apply(change) {
  const handle = HANDLERS[change.type];
  if (handle) handle(change);
}

const HANDLERS = {
  message: (change) => {
    show(change, change.body);
    if (change.root) show(change, change.root);
    noteUnread(change);
  },
  message_changed: (change) => show(change, change.body),
  message_deleted: (change) => {
    if (change.channel === channelPane.id) channelPane.list.remove(change.body.ts);
    if (change.channel === threadPane.channelId && threadPane.ts) threadPane.list.remove(change.body.ts);
    if (change.root) show(change, change.root);
  },
  ephemeral: (change) => show(change, change.body),
  ephemeral_gone: (change) => HANDLERS.message_deleted(change),
  reaction: (change) => show(change, change.body.message),
  status: (change) => {
    if (change.channel === threadPane.channelId && change.body.thread_ts === threadPane.ts) {
      threadPane.showStatus(change.body.status);
    }
  },
  views: (change) => showViews(change.body.stack),
  member: refreshHome,
  channel: refreshHome,
};

function show(change, body) {
  const message = { ...body, channel: change.channel };
  const root = message.thread_ts ?? message.ts;
  const topLevel = root === message.ts || message.subtype === "thread_broadcast";
  if (change.channel === channelPane.id && topLevel) channelPane.list.put(message);
  if (change.channel === threadPane.channelId && threadPane.ts === root) threadPane.list.put(message);
}

function noteUnread(change) {
  if (change.channel === channelPane.id || change.body.user === session.person.id) return;
  unread.add(change.channel);
  sidebar();
}

async function refreshHome() {
  session.home = await see("home");
  sidebar();
}

start().catch((error) => toast(`The workspace does not answer: ${error.message}`));
