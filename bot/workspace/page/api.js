// The small JSON API of the workspace: what a person sees, and what a person does.

export const session = { person: null, home: null };

export async function see(view, query = {}) {
  const known = session.person ? { person: session.person.id, ...query } : query;
  const response = await fetch(`/_workspace/${view}?${new URLSearchParams(known)}`);
  return answered(await response.json());
}

export async function act(deed, body = {}) {
  const response = await fetch(`/_workspace/${deed}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ person: session.person.id, ...body }),
  });
  const answer = await response.json();
  // A form that was not taken is an answer to show in the form, not a failure.
  return response.ok ? answer : answered(answer);
}

export async function upload(file) {
  const query = new URLSearchParams({ person: session.person.id, name: file.name });
  const response = await fetch(`/_workspace/upload?${query}`, { method: "POST", body: file });
  return answered(await response.json()).file;
}

export function listen(onChange, onState) {
  const address = `${location.origin.replace(/^http/, "ws")}/_workspace/feed?person=${session.person.id}`;
  const socket = new WebSocket(address);
  socket.onmessage = (event) => {
    const change = JSON.parse(event.data);
    if (change.type === "ready") onState(true);
    else onChange(change);
  };
  socket.onclose = () => {
    onState(false);
    setTimeout(() => listen(onChange, onState), 1000);
  };
}

export function user(id) {
  if (id === "USLACKBOT") return { id, name: "slackbot", real_name: "Slackbot", is_bot: true };
  return session.home.users.find((known) => known.id === id) ?? { id, name: id, real_name: id };
}

export function channel(id) {
  return session.home.channels.find((known) => known.id === id);
}

function answered(answer) {
  if (!answer.ok) throw new Error(answer.error);
  return answer;
}
