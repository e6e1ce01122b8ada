// The channels, the people, and who one is.

import { session } from "./api.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { avatar } from "./message.js";

export function drawSidebar(node, { current, unread, connected, openChannel }) {
  const { home, person } = session;
  node.replaceChildren(
    h("div", { class: "workspace-name" }, h("b", {}, home.team.name), h("small", {}, "local workspace")),
    h(
      "div",
      { class: "side-part" },
      h("h2", {}, "Channels"),
      home.channels.map((channel) =>
        h(
          "button",
          {
            type: "button",
            class: `side-item ${channel.id === current ? "current" : ""} ${unread.has(channel.id) ? "unread" : ""}`,
            "aria-current": channel.id === current ? "page" : null,
            onclick: () => openChannel(channel.id),
          },
          h("span", { class: "hash", "aria-hidden": "true" }, channel.is_im ? "●" : channel.is_private ? icon("lock") : "#"),
          channel.name,
          channel.is_ext_shared && h("span", { class: "side-badge" }, "shared"),
        ),
      ),
    ),
    h(
      "div",
      { class: "side-part" },
      h("h2", {}, "People and apps"),
      home.users.map((user) =>
        h(
          "div",
          { class: "side-person" },
          avatar(user),
          h("span", {}, user.real_name),
          user.id === person.id ? h("small", {}, "you") : user.is_stranger && h("small", {}, "external"),
        ),
      ),
    ),
    h(
      "div",
      { class: "you" },
      avatar(person),
      h("span", {}, person.real_name, h("small", {}, connected ? person.profile.title : "connecting…")),
      h("button", { type: "button", class: "switch", onclick: switchPerson }, "Switch person"),
    ),
  );
}

// Kept per tab, so that two tabs can be two people.
export function chosenPerson(users) {
  const wanted = new URLSearchParams(location.search).get("person") ?? sessionStorage.getItem("person");
  return users.find((user) => user.id === wanted || user.name === wanted) ?? null;
}

export function choosePerson(users) {
  return new Promise((resolve) => {
    const choose = (user) => {
      sessionStorage.setItem("person", user.id);
      document.querySelector(".who").remove();
      resolve(user);
    };
    document.body.append(
      h(
        "div",
        { class: "who" },
        h("h1", {}, "Who are you?"),
        h("p", {}, "A local stand-in for Slack. Everybody here is made up; open a second tab to be a second person."),
        h(
          "div",
          { class: "who-cards" },
          users
            .filter((user) => !user.is_bot)
            .map((user) =>
              h(
                "button",
                { type: "button", class: "who-card", onclick: () => choose(user) },
                avatar(user),
                h("b", {}, user.real_name),
                h("span", {}, user.profile.title),
              ),
            ),
        ),
      ),
    );
  });
}

function switchPerson() {
  sessionStorage.removeItem("person");
  location.assign("/");
}
