// Interactive elements. A host is where they live, a message or a form:
//   host.use(element, block, value)   the element was used and the app is to hear of it
//   host.fill(block, element, value)  a value was entered
//   host.filled(block, element)       what was entered before, or undefined
//   host.form                         true in a form, where inputs wait for Submit

import { picture, plain, textObject } from "./blocks.js";
import { confirmed } from "./confirm.js";
import { h, popup } from "./dom.js";

export function element(part, block, host, id) {
  const draw = ELEMENTS[part.type];
  if (!draw) return h("span", { class: "unknown-block" }, `This client does not show “${part.type}”.`);
  return draw(part, block, host, id);
}

const ELEMENTS = {
  button,
  image: (part) => picture(part, null),
  overflow,
  static_select: select,
  multi_static_select: (part, block, host, id) => choices(part, block, host, id, "checkbox"),
  checkboxes: (part, block, host, id) => choices(part, block, host, id, "checkbox"),
  radio_buttons: (part, block, host, id) => choices(part, block, host, id, "radio"),
  plain_text_input: textInput,
  number_input: (part, block, host, id) => textInput(part, block, host, id, "number"),
  email_text_input: (part, block, host, id) => textInput(part, block, host, id, "email"),
  url_text_input: (part, block, host, id) => textInput(part, block, host, id, "url"),
  datepicker: (part, block, host, id) => textInput(part, block, host, id, "date"),
  timepicker: (part, block, host, id) => textInput(part, block, host, id, "time"),
  file_input: fileInput,
};

async function use(part, block, host, value, node) {
  if (part.confirm && !(await confirmed(part.confirm))) return false;
  node.classList.add("busy");
  try {
    await host.use(part, block, value);
  } finally {
    node.classList.remove("busy");
  }
  return true;
}

function button(part, block, host) {
  const node = h(
    "button",
    {
      type: "button",
      class: `button ${part.style ?? ""}`,
      "aria-label": part.accessibility_label,
      onclick: () => {
        if (part.url && /^https?:/i.test(part.url)) window.open(part.url, "_blank", "noopener");
        use(part, block, host, null, node);
      },
    },
    plain(part.text),
  );
  return node;
}

function overflow(part, block, host) {
  const node = h(
    "button",
    {
      type: "button",
      class: "button overflow",
      "aria-label": "More actions",
      "aria-haspopup": "menu",
      onclick: () => {
        const items = part.options.map((option) =>
          h(
            "button",
            { type: "button", role: "menuitem", onclick: () => use(part, block, host, option.value, node) },
            plain(option.text),
          ),
        );
        popup(node, h("div", { role: "menu", class: "menu" }, items));
      },
    },
    "⋯",
  );
  return node;
}

function select(part, block, host, id) {
  const before = host.filled(block, part) ?? part.initial_option?.value ?? "";
  const option = (item) =>
    h("option", { value: item.value, selected: item.value === before }, plain(item.text));
  const node = h(
    "select",
    {
      id,
      class: "select",
      "aria-label": id ? null : part.placeholder ? plain(part.placeholder) : part.action_id,
      onchange: async () => {
        if (!(await changed(part, block, host, node.value, node))) node.value = before;
      },
    },
    h("option", { value: "", selected: before === "", disabled: before !== "" }, placeholder(part, "Choose…")),
    part.option_groups
      ? part.option_groups.map((group) => h("optgroup", { label: plain(group.label) }, group.options.map(option)))
      : part.options.map(option),
  );
  return node;
}

function choices(part, block, host, id, kind) {
  const initial = part.initial_options?.map((item) => item.value) ?? [part.initial_option?.value];
  const before = [host.filled(block, part) ?? initial].flat();
  const options = part.option_groups?.flatMap((group) => group.options) ?? part.options;
  const node = h("div", { id, class: "choices", role: kind === "radio" ? "radiogroup" : "group" });
  const chosen = () => [...node.querySelectorAll("input:checked")].map((input) => input.value);
  node.append(
    ...options.map((item) =>
      h(
        "label",
        { class: "choice" },
        h("input", {
          type: kind,
          name: `${block.block_id}-${part.action_id}`,
          value: item.value,
          checked: before.includes(item.value),
          onchange: () => changed(part, block, host, kind === "radio" ? chosen()[0] : chosen(), node),
        }),
        h(
          "span",
          {},
          h("span", { class: "mrkdwn" }, textObject(item.text)),
          item.description && h("span", { class: "description" }, textObject(item.description)),
        ),
      ),
    ),
  );
  return node;
}

function textInput(part, block, host, id, kind = "text") {
  const initial = part.initial_value ?? part.initial_date ?? part.initial_time ?? "";
  const node = h(part.multiline ? "textarea" : "input", {
    id,
    class: "field",
    type: part.multiline ? null : kind,
    rows: part.multiline ? 5 : null,
    placeholder: placeholder(part, ""),
    maxlength: part.max_length,
    oninput: () => host.fill(block, part, node.value),
    onkeydown: (event) => {
      if (event.key === "Enter" && block.dispatch_action) host.use(part, block, node.value);
    },
  });
  node.value = host.filled(block, part) ?? initial;
  return node;
}

function fileInput(part, block, host, id) {
  const node = h("input", {
    id,
    type: "file",
    class: "file-field",
    multiple: (part.max_files ?? 10) > 1,
    accept: part.filetypes?.map((type) => `.${type}`).join(","),
    onchange: () => host.fill(block, part, [...node.files]),
  });
  return node;
}

async function changed(part, block, host, value, node) {
  host.fill(block, part, value);
  const told = block.type === "input" ? block.dispatch_action : true;
  return told ? use(part, block, host, value, node) : true;
}

function placeholder(part, otherwise) {
  return part.placeholder ? plain(part.placeholder) : otherwise;
}
