// Where people type: messages, slash commands, mentions, attachments.

import { act, session, upload } from "./api.js";
import { h, toast } from "./dom.js";
import { icon } from "./icons.js";

export function composer({ label, channelId, threadTs, sent }) {
  let chosen = [];
  const chips = h("div", { class: "chips" });
  const picker = h("input", { type: "file", multiple: true, class: "visually-hidden", "aria-label": "Attach files" });
  const input = h("textarea", { rows: 1, placeholder: label, "aria-label": label });
  const offers = h("div", { class: "offers", role: "listbox", "aria-label": "Suggestions", hidden: true });

  const drawChips = () =>
    chips.replaceChildren(
      ...chosen.map((file) =>
        h(
          "span",
          { class: "chip" },
          icon("file"), file.name,
          h(
            "button",
            {
              type: "button",
              "aria-label": `Remove ${file.name}`,
              onclick: () => {
                chosen = chosen.filter((other) => other !== file);
                drawChips();
              },
            },
            "✕",
          ),
        ),
      ),
    );
  picker.addEventListener("change", () => {
    chosen = [...chosen, ...picker.files];
    picker.value = "";
    drawChips();
  });

  const send = async () => {
    const text = input.value;
    if (!text.trim() && !chosen.length) return;
    const files = chosen;
    input.value = "";
    chosen = [];
    drawChips();
    resize();
    sent();
    try {
      const command = /^(\/[\w-]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
      if (command && !files.length) {
        await act("slash", { channel: channelId, thread_ts: threadTs, command: command[1], text: command[2] ?? "" });
      } else {
        const ids = await Promise.all(files.map(async (file) => (await upload(file)).id));
        await act("say", { channel: channelId, thread_ts: threadTs, text, files: ids });
      }
    } catch (error) {
      input.value = text;
      chosen = files;
      drawChips();
      toast(`Not sent: ${error.message}`);
    }
  };

  const resize = () => {
    input.style.height = "auto";
    input.style.height = `${Math.min(input.scrollHeight, 220)}px`;
  };
  const offer = () => {
    const found = suggestions(input.value.slice(0, input.selectionStart));
    offers.hidden = found.items.length === 0;
    offers.replaceChildren(
      ...found.items.map((item) =>
        h(
          "button",
          {
            type: "button",
            role: "option",
            onmousedown: (event) => {
              event.preventDefault();
              accept(found, item);
            },
          },
          h("b", {}, item.word),
          h("span", {}, item.about),
        ),
      ),
    );
  };
  const accept = (found, item) => {
    const rest = input.value.slice(input.selectionStart);
    input.value = `${input.value.slice(0, found.start)}${item.word} ${rest.trimStart()}`;
    offers.hidden = true;
    input.focus();
  };

  input.addEventListener("input", () => {
    resize();
    offer();
  });
  input.addEventListener("blur", () => {
    offers.hidden = true;
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") offers.hidden = true;
    if (event.key === "Tab" && !offers.hidden) {
      event.preventDefault();
      offers.firstChild.dispatchEvent(new MouseEvent("mousedown"));
    }
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      offers.hidden = true;
      send();
    }
  });

  return h(
    "div",
    { class: "composer" },
    offers,
    chips,
    input,
    h(
      "div",
      { class: "composer-bar" },
      h("button", { type: "button", class: "icon", "aria-label": "Attach a file", onclick: () => picker.click() }, icon("attach")),
      picker,
      h("span", { class: "composer-hint" }, "Enter sends, Shift+Enter makes a new line"),
      h("button", { type: "button", class: "send", "aria-label": "Send", onclick: send }, icon("send")),
    ),
  );
}

// What the word under the cursor could become: a command at the start, a person after @.
function suggestions(before) {
  const command = /^(\/[\w-]*)$/.exec(before);
  if (command) {
    const items = session.home.app.commands
      .filter((known) => known.command.startsWith(command[1]))
      .map((known) => ({ word: known.command, about: `${known.description} ${known.hint}` }));
    return { start: 0, items };
  }
  const mention = /(?:^|\s)@([\w.-]*)$/.exec(before);
  if (!mention) return { start: 0, items: [] };
  const items = session.home.users
    .filter((known) => known.name.startsWith(mention[1].toLowerCase()))
    .map((known) => ({ word: `@${known.name}`, about: known.real_name }));
  return { start: before.length - mention[1].length - 1, items };
}
