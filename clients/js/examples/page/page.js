// The page of `bin/belfry demo` and of the tutorial "First success": follows a subject, publishes, and shows a recovery.
const ROWS = 50;
/** Time in ms over which rate and latency are computed. */
const WINDOW = 5000;
const CUT = 3000;
const HISTORY = 10;

const element = (id) => document.getElementById(id);
const isPattern = (subject) => subject.includes("*");
const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

function show(id, text, state = "") {
  element(id).textContent = text;
  element(id).dataset.state = state;
}

// ---- the connection ----

const network = { isCut: false, socket: undefined };

/** A WebSocket that the button can close. While the network is cut, each new connection fails. */
class CuttableSocket extends WebSocket {
  constructor(url, protocols) {
    super(url, protocols);
    network.socket = this;
    if (network.isCut) this.close();
  }
}

/** The recovery after the last disconnect: its start and its counts; undefined before the first disconnect. */
let recovery;

function onStatus(status) {
  switch (status.type) {
    case "connecting":
      show("status", status.attempt ? `connecting, attempt ${status.attempt + 1}` : "connecting");
      break;
    case "connected":
      show("status", "connected", "good");
      break;
    case "disconnected":
      show("status", `disconnected: ${status.code}`, "bad");
      if (!recovery || recovery.resumed) {
        recovery = { began: performance.now(), resumed: 0, count: 0, lost: 0 };
        show("recovery", "Disconnected. The server keeps the messages that are published meanwhile.", "bad");
      }
      break;
    case "refused":
      show("status", `refused: ${status.code} ${status.reason}`, "bad");
      break;
    case "subscribed":
      show("following", `following ${status.subject}`);
      if (recovery && !recovery.resumed) recovery.resumed = performance.now();
      showRecovery();
      break;
    case "subscribe-refused":
      show("following", `${status.error.code}: ${status.error.message}`, "bad");
      break;
    case "listener-failed":
      console.error(status.error);
  }
}

function showRecovery() {
  if (!recovery?.resumed) return;
  const { began, resumed, count, lost, reason } = recovery;
  const seconds = ((resumed - began) / 1000).toFixed(1);
  const more = reason ? `, and an unknown number because of ${reason}` : "";
  const text = `Resumed after ${seconds} s: ${plural(count, "message")} recovered, ${lost}\u00a0lost${more}.`;
  show("recovery", text, lost || reason ? "bad" : "good");
}

element("cut").onclick = () => {
  if (network.isCut) return;
  network.isCut = true;
  network.socket?.close();
  setTimeout(() => {
    network.isCut = false;
    client.reconnect();
  }, CUT);
};

// ---- the messages ----

let subscription;
let subject;
let followedAt = 0;
let received = 0;
let lost = 0;
/** Arrivals within the window: the time of each and its latency, undefined if the message is not live. */
let arrivals = [];
/** New rows, oldest first; shown once per frame. */
let rows = [];
/** Positions of messages that this page published. */
const own = new Set();

function onMessage({ data, type, time, seq, position }) {
  received++;
  if (type === "recovered" && recovery) recovery.count++;
  if (type === "recovered") showRecovery();
  const now = Date.now();
  if (type !== "history") arrivals.push({ at: now, latency: type === "live" ? Math.max(0, now - time) : undefined });
  add({ time, data, note: type === "live" ? "" : type, seq, position });
}

function onGap({ from, to, reason }) {
  const [epoch, seq] = (to ?? "").split(":");
  const [epochBefore, seqBefore] = (from ?? "").split(":");
  const known = epoch && epoch === epochBefore;
  const count = known ? seq - seqBefore : 0;
  lost += count;
  if (recovery) {
    recovery.lost += count;
    if (!known) recovery.reason = reason;
    showRecovery();
  }
  add({ time: Date.now(), data: `${known ? plural(count, "message") : "Messages"} lost: ${reason}`, note: "gap", seq });
}

function add(row) {
  if (!rows.length) requestAnimationFrame(render);
  rows.push(row);
  rows = rows.slice(-ROWS);
}

function render() {
  const list = element("messages");
  list.prepend(...rows.reverse().map(item));
  rows = [];
  while (list.children.length > ROWS) list.lastChild.remove();
}

function item({ time, data, note = "", seq = "", position }) {
  const item = document.createElement("li");
  item.classList.toggle("gap", note === "gap");
  item.classList.toggle("own", own.has(position));
  if (position) item.dataset.position = position;
  const clock = new Date(time).toLocaleTimeString("en-GB");
  for (const [name, text] of Object.entries({ time: clock, data, note, seq })) {
    const part = document.createElement("span");
    if (text !== "") part.className = name;
    part.textContent = text;
    item.append(part);
  }
  return item;
}

function follow() {
  subscription?.unsubscribe();
  subject = element("subject").value;
  followedAt = Date.now();
  received = lost = 0;
  arrivals = [];
  rows = [];
  element("messages").replaceChildren();
  show("following", "");
  const history = isPattern(subject) ? undefined : HISTORY;
  try {
    subscription = client.subscribe(subject, { history, onMessage, onGap });
    subscription.ready().catch(() => {}); // reported as a status
  } catch (error) {
    show("following", error.message, "bad");
  }
  figures();
}

function figures() {
  const begin = Math.max(followedAt, Date.now() - WINDOW);
  const seconds = Math.max(1, (Date.now() - begin) / 1000);
  arrivals = arrivals.filter(({ at }) => at >= begin);
  const latencies = arrivals.flatMap(({ latency }) => latency ?? []).sort((a, b) => a - b);
  const median = latencies[latencies.length >> 1];
  show("rate", (arrivals.length / seconds).toFixed(1));
  show("latency", median === undefined ? "–" : `${median} ms`);
  show("received", received.toLocaleString("en"));
  show("lost", lost.toLocaleString("en"), lost ? "bad" : "");
}

element("follow").onsubmit = (submit) => {
  submit.preventDefault();
  follow();
};

element("publish").onsubmit = async (submit) => {
  submit.preventDefault();
  const began = performance.now();
  try {
    const position = await client.publish(subject, element("data").value);
    own.add(position);
    for (const item of element("messages").children) {
      if (item.dataset.position === position) item.classList.add("own");
    }
    show("published", `stored at ${position} after ${(performance.now() - began).toFixed(1)} ms`);
  } catch (error) {
    show("published", `${error.code}: ${error.message}`, "bad");
  }
};

element("subject").value = new URLSearchParams(location.search).get("subject") ?? element("subject").value;
const client = belfry.connect({ servers: location.origin.replace("http", "ws"), webSocket: CuttableSocket, onStatus });
follow();
setInterval(figures, 500);
