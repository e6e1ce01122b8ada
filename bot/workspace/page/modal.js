// The modals of a person: the top of the stack is shown; what was filled in survives an update of the view.

import { act, upload } from "./api.js";
import { blocks, plain } from "./blocks.js";
import { h, toast } from "./dom.js";

let shown = null;
const entered = new Map();

export function showViews(stack) {
  const view = stack.at(-1) ?? null;
  if (shown && view && shown.view.hash === view.hash) return;
  shown?.dialog.close();
  shown?.dialog.remove();
  shown = view && { view, dialog: draw(view) };
  if (!view) entered.clear();
  if (shown) {
    document.body.append(shown.dialog);
    shown.dialog.showModal();
    shown.dialog.querySelector(".modal-body :is(input, textarea, select)")?.focus();
  }
}

function draw(view) {
  const host = {
    form: true,
    filled: (block, part) => entered.get(key(view, block, part)),
    fill: (block, part, value) => entered.set(key(view, block, part), value),
    use: async (part, block, value) => {
      const filled = await values(view);
      const outcome = await act("click", { view_id: view.id, action_id: part.action_id, value, filled });
      if (!outcome.ok) toast("The app did not answer. Please try again.");
    },
  };
  const close = () => act("close", { view_id: view.id }).catch((error) => toast(error.message));
  const dialog = h(
    "dialog",
    {
      class: "modal",
      "aria-label": plain(view.title),
      oncancel: (event) => {
        event.preventDefault();
        close();
      },
    },
    h(
      "div",
      { class: "modal-head" },
      h("h2", {}, plain(view.title)),
      h("button", { type: "button", class: "icon", "aria-label": "Close", onclick: close }, "✕"),
    ),
    h("div", { class: "modal-body" }, blocks(view.blocks, host)),
    h(
      "div",
      { class: "modal-foot" },
      h("button", { type: "button", class: "button", onclick: close }, view.close ? plain(view.close) : "Cancel"),
      view.submit &&
        h(
          "button",
          { type: "button", class: "button primary submit", onclick: () => submit(view, dialog) },
          plain(view.submit),
        ),
    ),
  );
  return dialog;
}

async function submit(view, dialog) {
  const button = dialog.querySelector(".submit");
  button.disabled = true;
  try {
    const outcome = await act("submit", { view_id: view.id, values: await values(view) });
    showErrors(dialog, outcome.errors ?? {});
    if (!outcome.ok && !outcome.errors) toast("We had some trouble connecting. Try again?");
  } catch (error) {
    toast(error.message);
  } finally {
    button.disabled = false;
  }
}

function showErrors(dialog, errors) {
  for (const node of dialog.querySelectorAll(".input-block")) {
    const sentence = errors[node.dataset.blockId] ?? "";
    node.classList.toggle("wrong", Boolean(sentence));
    node.querySelector(".input-error").textContent = sentence;
  }
  dialog.querySelector(".wrong :is(input, textarea, select)")?.focus();
}

// Values by block and action; chosen files are uploaded first, their ids stand for them.
async function values(view) {
  const filled = {};
  for (const [name, value] of entered) {
    const [viewId, block, action] = JSON.parse(name);
    if (viewId !== view.root_view_id + view.callback_id) continue;
    const isFiles = Array.isArray(value) && value.some((item) => item instanceof File);
    filled[block] ??= {};
    filled[block][action] = isFiles ? await Promise.all(value.map(async (file) => (await upload(file)).id)) : value;
  }
  return filled;
}

// An updated view has the same id but a new hash; another form in the same stack has another callback id.
function key(view, block, part) {
  return JSON.stringify([view.root_view_id + view.callback_id, block.block_id, part.action_id]);
}
