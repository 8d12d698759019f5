import { count, micros, plural, short } from "./format.js";
import type { Alert, Second, Severity, State } from "./types.js";

/** The state of the server in one sentence, with details. */
export interface Verdict {
  readonly kind: "good" | "info" | "warn" | "bad";
  readonly sentence: string;
  readonly detail: string;
}

const ORDER: readonly Severity[] = ["critical", "warning", "info"];

export const bySeverity = (alerts: readonly Alert[]): Alert[] =>
  [...alerts].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity) || a.sinceMillis - b.sinceMillis);

/** Returns a sentence: all is well, or the problems with their nodes. */
export function verdict(state: State, latest: Second | undefined): Verdict {
  const others = state.nodes.filter((node) => !node.self);
  const problems: string[] = [];
  if (!state.ready) problems.push(`this node is not ready${state.reason ? ` (${state.reason})` : ""}`);
  for (const node of others) {
    if (node.stale) problems.push(`node ${node.node} does not report`);
    else if (!node.ready) problems.push(`node ${node.node} is not ready${node.reason ? ` (${node.reason})` : ""}`);
    else if (node.worst) problems.push(`${node.worst} on node ${node.node}`);
  }
  const where = others.length ? " on this node" : "";
  const alerts = bySeverity(state.alerts);
  for (const alert of alerts) if (alert.severity !== "info") problems.push(`${alert.title}${where}`);
  if (state.warning) problems.push(state.warning);

  const detail = traffic(state, latest);
  if (!problems.length) {
    const notes = alerts.length;
    return notes
      ? { kind: "info", sentence: `All is well; ${plural(notes, "note")}.`, detail }
      : { kind: "good", sentence: "All is well.", detail };
  }
  const bad =
    !state.ready ||
    others.some((node) => node.stale || !node.ready) ||
    alerts.some((alert) => alert.severity === "critical");
  const list =
    problems.length > 3 ? `${problems.slice(0, 3).join("; ")}; and ${problems.length - 3} more` : problems.join("; ");
  const first = problems.length === 1 ? "" : `${count(problems.length)} problems: `;
  const sentence = `${first}${list}.`;
  return { kind: bad ? "bad" : "warn", sentence: sentence.charAt(0).toUpperCase() + sentence.slice(1), detail };
}

function traffic(state: State, latest: Second | undefined): string {
  if (!latest) return "";
  const nodes = state.nodes.length > 1 ? `${state.nodes.length} nodes; this one: ` : "";
  const p99 = state.latencyMinute.p99;
  const latency = p99 === undefined ? "" : `, p99 ${micros(p99)} in the last minute`;
  return `${nodes}${plural(latest.sessions, "session")}, ${short(latest.out)} messages/s delivered${latency}`;
}
