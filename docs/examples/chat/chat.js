// The page of the chat. All texts of users are shown with textContent, never as HTML.
const HISTORY = 50;
const ROWS = 500;

const $ = (id) => document.getElementById(id);

/** Returns an element with a class and a text, or with other elements. */
function make(name, className, ...content) {
  const element = document.createElement(name);
  element.className = className;
  element.append(...content);
  return element;
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Returns what follows the code in "code: reason". */
const reasonOf = (text) => text.replace(/^[a-z-]+: /, "");

// ---- the backend ----

/** The answer to the login: token, user, moderator, server and room; null before it. */
let login = null;

/** Calls the backend. An error with `refused` is its answer, not a failure. */
async function post(path, body = {}) {
  const headers = { "Content-Type": "application/json" };
  if (login) headers.Authorization = `Bearer ${login.token}`;
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => {
    throw new Error("The backend of the chat does not answer.");
  });
  const result = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(sentence(result.reason)), { refused: answer.status < 500 });
  return result;
}

function keep(answer) {
  login = answer;
  // Of this tab only; a reload continues with it.
  sessionStorage.setItem("login", JSON.stringify(login));
}

/** Returns the token for Belfry; asks for a new one when the old one expires or was refused. */
async function token({ reason }) {
  if (reason !== "connect") keep(await post("/renew"));
  return login.token;
}

// ---- entering and leaving ----

let client;

function enter(answer) {
  keep(answer);
  $("enter").hidden = true;
  $("chat").hidden = false;
  $("me").textContent = login.user;
  $("left").textContent = $("problem").textContent = "";
  client = belfry.connect({ servers: login.server, token, onStatus });
  client.subscribe(login.room, { history: HISTORY, onMessage: showMessage, onGap: showGap });
  client.subscribe(`/$presence${login.room}`, { decode: belfry.json, onMessage: followMembers, onGap: forgetMembers });
  if (login.moderator) moderate("list");
  $("text").focus();
}

function leave(reason = "") {
  client?.close();
  client = login = null;
  sessionStorage.removeItem("login");
  forgetMembers();
  $("messages").replaceChildren();
  $("chat").hidden = true;
  $("enter").hidden = false;
  $("left").textContent = reason;
}

$("login").onsubmit = async (submit) => {
  submit.preventDefault();
  try {
    enter(await post("/login", { user: $("name").value, password: $("password").value }));
  } catch (error) {
    $("left").textContent = error.message;
  }
  $("password").value = "";
};

$("leave").onclick = () => leave();

// ---- the connection: the client reconnects and resumes by itself ----

function onStatus(status) {
  const show = (text, state) => {
    $("status").textContent = text;
    $("status").dataset.state = state;
  };
  switch (status.type) {
    case "connected":
      return show("connected", "good");
    case "disconnected":
      return show("connection lost, reconnecting", "bad");
    case "token-failed":
      if (status.error.refused) return leave(status.error.message);
      return show(status.error.message, "bad");
    case "refused": // for example by /v1/disconnect of the server API
      return leave(sentence(reasonOf(status.reason)));
    case "subscribed":
      if (status.recovery === "none" && status.subject.startsWith("/$presence/")) forgetMembers();
      return;
    case "subscribe-refused":
      return leave(sentence(reasonOf(status.error.message)));
    case "command-failed": // the backend did not decide about a subscribe
      return setTimeout(() => client?.reconnect(), 2000);
    case "listener-failed":
      console.error(status.error);
  }
}

// ---- messages ----

function showMessage({ publisher, data, time }) {
  // Belfry names the publisher, so nobody can write in the name of another. Only notices of the backend have none.
  if (!publisher) return addRow(make("li", "notice", data));
  const clock = new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const head = make("span", "head", make("b", "name", publisher), make("time", "soft", clock));
  const row = make("li", publisher === login.user ? "own message" : "message", head, make("p", "text", data));
  row.style.setProperty("--hue", hueOf(publisher));
  addRow(row);
}

function showGap({ reason }) {
  addRow(make("li", "notice", `Messages are missing here (${reason}).`));
}

/** Whether the list shows its end, where it then stays. */
let atEnd = true;

function addRow(row) {
  const list = $("messages");
  list.append(row);
  if (list.children.length > ROWS) list.firstChild.remove();
  showEnd();
}

function showEnd() {
  if (atEnd) $("messages").scrollTop = $("messages").scrollHeight;
}

$("messages").onscroll = ({ target }) => {
  atEnd = target.scrollHeight - target.scrollTop - target.clientHeight < 40;
};
new ResizeObserver(showEnd).observe($("messages"));

const hueOf = (name) => [...name].reduce((hue, letter) => (hue * 31 + letter.codePointAt(0)) % 360, 7);

$("say").onsubmit = async (submit) => {
  submit.preventDefault();
  const text = $("text").value.trim();
  if (!text) return;
  $("text").value = $("problem").textContent = "";
  try {
    await client.publish(login.room, text);
  } catch (error) {
    if (!login) return;
    $("text").value = `${text} ${$("text").value}`.trim();
    $("problem").textContent = explain(error);
  }
};

function explain({ kind, code, message }) {
  if (kind === "timed-out" || kind === "unknown") return "It is unknown whether the message was sent.";
  // Without a decision of the backend Belfry refuses: it fails closed.
  if (/^(internal|decide-timeout|not-ready|overloaded)$/.test(code)) {
    return "Not sent: the backend of the chat does not answer. Try again soon.";
  }
  if (code === "publish-rate") return "Not sent: you write too fast.";
  return `Not sent: ${reasonOf(message)}.`;
}

// ---- members: docs/presence.md ----

const members = new Map();
let rules = { muted: [], banned: [] };

function followMembers({ data: { event, members: all, users, user, info } }) {
  if (event === "state" || event === "counts") members.clear();
  if (event === "state") for (const member of all) members.set(member.user, member.info);
  if (event === "joined" || event === "changed") members.set(user, info);
  if (event === "left") members.delete(user);
  showMembers(event === "counts" ? users : members.size);
}

function forgetMembers() {
  members.clear();
  showMembers(0);
}

function showMembers(count) {
  $("count").textContent = `${count} here`;
  const names = [...members.keys()].sort();
  const label = document.activeElement?.getAttribute("aria-label");
  $("members").replaceChildren(...names.map((name) => memberRow(name, members.get(name))));
  $("banned-title").hidden = !rules.banned.length;
  $("banned").replaceChildren(
    ...rules.banned.map((name) => make("li", "member", make("span", "name", name), actButton("unban", name))),
  );
  // A new button gets the keyboard focus of the one that it replaces.
  if (label) document.querySelector(`aside [aria-label="${CSS.escape(label)}"]`)?.focus();
}

function memberRow(name, info) {
  const row = make("li", "member", make("span", "name", name));
  row.style.setProperty("--hue", hueOf(name));
  const act = rules.muted.includes(name) ? "unmute" : "mute";
  if (info?.moderator) row.append(make("span", "badge", "moderator"));
  else if (login?.moderator) row.append(actButton(act, name), actButton("ban", name));
  return row;
}

// ---- moderation ----

function actButton(act, user) {
  const button = make("button", "quiet", act);
  button.type = "button";
  button.setAttribute("aria-label", `${act} ${user}`);
  button.onclick = () => moderate(act, user);
  return button;
}

async function moderate(act, user) {
  try {
    rules = await post("/moderate", { act, user });
    showMembers(members.size);
  } catch (error) {
    $("problem").textContent = error.message;
  }
}

const kept = sessionStorage.getItem("login");
if (kept) enter(JSON.parse(kept));
