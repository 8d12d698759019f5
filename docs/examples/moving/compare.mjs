// The steps that both systems run: messages while connected, during a cut of the connection, and during a page reload.
import { setTimeout as sleep } from "node:timers/promises";

const MESSAGES = 3;
const WAIT = 4000;

/**
 * Runs the steps on one side and returns a line for each. A side has:
 * subscribe(receive): begins to receive; resolves when the server confirmed
 * publish(text): resolves with what acknowledged it
 * cut(): breaks the connection; the client reconnects by itself
 * leave(): ends the subscriber, as a page that is left; subscribe() is then called again
 */
export async function run(side) {
  const received = [];
  const receive = (text) => received.push(text);
  const lines = {};
  const publish = async (step) => {
    let acknowledged;
    for (let i = 0; i < MESSAGES; i++) acknowledged = await side.publish(`${step} ${i}`);
    return acknowledged;
  };
  const count = (step) => `${received.filter((text) => text.startsWith(step)).length} of ${MESSAGES}`;

  await side.subscribe(receive);
  lines["a publish is acknowledged by"] = await publish("connected");
  await sleep(2000);
  lines["messages while connected"] = count("connected");

  side.cut();
  await publish("cut");
  await sleep(WAIT);
  lines["messages while the connection was cut"] = count("cut");

  await side.leave();
  await publish("reload");
  await side.subscribe(receive);
  await sleep(1000);
  lines["messages while the page was reloaded"] = count("reload");

  await side.close();
  return lines;
}

/** Prints the lines of all sides as a table. */
export async function compare(sides) {
  const columns = {};
  for (const [name, side] of Object.entries(sides)) columns[name] = await run(await side());
  const rows = {};
  for (const step of Object.keys(Object.values(columns)[0])) {
    rows[step] = Object.fromEntries(Object.entries(columns).map(([name, lines]) => [name, lines[step]]));
  }
  console.table(rows);
}
