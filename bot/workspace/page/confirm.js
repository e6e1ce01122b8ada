// The confirmation dialog that an element may ask for.

import { plain, textObject } from "./blocks.js";
import { h } from "./dom.js";

export function confirmed(ask) {
  return new Promise((resolve) => {
    const end = (answer) => {
      dialog.close();
      dialog.remove();
      resolve(answer);
    };
    const dialog = h(
      "dialog",
      { class: "modal confirm", "aria-label": plain(ask.title), oncancel: () => end(false) },
      h("h2", {}, plain(ask.title)),
      h("div", { class: "modal-body mrkdwn" }, textObject(ask.text)),
      h(
        "div",
        { class: "modal-foot" },
        h("button", { type: "button", class: "button", onclick: () => end(false) }, plain(ask.deny)),
        h(
          "button",
          { type: "button", class: `button ${ask.style ?? "primary"}`, onclick: () => end(true) },
          plain(ask.confirm),
        ),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}
