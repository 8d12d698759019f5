// Generated data like that of a server with 15,000 sessions: ten minutes with a latency spike, a garbage collection,
// slow sessions and alerts.
import type { Alert, Hello, LaneSecond, NodeState, Second, SessionRow, SlowSession, State } from "../../src/types.js";

export const HOSTILE = "<img src=x onerror=alert(1)>";
export const LANES = 8;
const BUCKETS = 51;

export const BOUNDS = Array.from({ length: BUCKETS }, (_, index) => Math.round(50 * 10 ** (index / 10)));

/** Returns a generator of random numbers from 0 to 1, with the same numbers in every run. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const hello = (run: string, startedMillis: number): Hello => ({
  type: "hello",
  node: "push-1:8800",
  version: "1.2",
  startedMillis,
  latencyBounds: BOUNDS,
  lanes: Array.from({ length: LANES }, (_, lane) => ({ lane, workgroup: lane < 6 ? "main" : "admin" })),
  kept: 600,
  run,
});

/** Returns the number of deliveries per latency bucket, distributed around a median in microseconds. */
function distribution(out: number, median: number, spread: number, tail: number): [number, number][] {
  const counts = BOUNDS.map((bound, index) => {
    const below = index === 0 ? 30 : (BOUNDS[index - 1] as number);
    const middle = Math.log10(Math.sqrt(bound * below) / median) / spread;
    const far = Math.log10(Math.sqrt(bound * below) / (median * 12)) / (spread * 1.6);
    return out * (0.115 / spread) * (0.35 * Math.exp(-(middle * middle) / 2) + tail * Math.exp(-(far * far) / 2));
  });
  return counts.flatMap((count, index) => (count >= 0.5 ? [[index, Math.round(count)] as [number, number]] : []));
}

function percentile(buckets: readonly (readonly [number, number])[], share: number): number {
  const all = buckets.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [index, count] of buckets) {
    seen += count;
    if (seen >= all * share) return Math.round((BOUNDS[index] as number) * 0.93);
  }
  return 0;
}

/** Returns the second `seq` of a run; seconds 380 to 412 have a latency spike. */
export function second(seq: number, time: number): Second {
  const random = seeded(seq);
  const wave = Math.sin(seq / 70) + 0.4 * Math.sin(seq / 17);
  const spike = seq >= 380 && seq <= 412 ? 1 - Math.abs(seq - 396) / 20 : 0;
  const pause = seq === 395 ? 212 : seq % 47 === 0 ? 3 + Math.round(random() * 4) : 0;
  const publishes = Math.round(980 + 60 * wave + 40 * random());
  const out = Math.round(publishes * 985 * (1 - 0.25 * spike));
  const median = 420 * (1 + 0.12 * wave + 0.1 * random()) * (1 + 9 * spike);
  const buckets = distribution(
    out,
    median,
    0.13 + 0.1 * spike + 0.015 * random(),
    0.0012 + 0.03 * spike + 0.0004 * random() + (pause > 5 ? 0.02 : 0),
  );
  const max = Math.round((BOUNDS[buckets.at(-1)?.[0] ?? 0] as number) * (0.94 + 0.05 * random()));
  const slow = Math.round(3 + 2 * random() + 140 * spike + (seq > 520 ? 17 : 0));
  const lanes = Array.from({ length: LANES }, (_, lane): LaneSecond => {
    const share = lane < 6 ? 0.16 : 0.02;
    const lag =
      (260 + 500 * random()) * (1 + 60 * spike * (lane === 2 ? 3 : lane === 5 ? 1 : 0.15)) + (pause > 5 ? 90_000 : 0);
    return [
      Math.round(15_000 * share),
      Math.round(publishes / LANES),
      Math.round(out * share),
      Math.round(out * share * 512),
      Math.round(lag),
      Math.round(8000 * spike * random()),
      Math.round(70_000 * share * slow),
      Math.round(slow * share),
    ];
  });
  const opened = Math.round(4 * random());
  return {
    type: "second",
    seq,
    time,
    sessions: Math.round(15_000 + 60 * wave - 90 * spike),
    opened: opened + Math.round(30 * spike),
    closed: opened + Math.round(28 * spike),
    in: publishes,
    out,
    bytesIn: publishes * 540,
    bytesOut: out * 530,
    slow,
    queuedBytes: slow * 61_440,
    subjects: 2400,
    subscriptions: 45_120,
    latency: {
      p50: percentile(buckets, 0.5),
      p90: percentile(buckets, 0.9),
      p99: percentile(buckets, 0.99),
      p999: percentile(buckets, 0.999),
      max,
      count: out,
    },
    buckets,
    lanes,
    closes: {
      ...(opened ? { "client-closed": opened } : {}),
      ...(spike > 0.3 ? { "slow-consumer": Math.round(9 * spike), "ping-timeout": 2 } : {}),
      ...(seq % 19 === 0 ? { "connection-lost": 1 } : {}),
    },
    refusals: spike > 0.4 ? { "connect-rate": Math.round(40 * spike) } : {},
    drops: spike > 0.7 ? { "slow-consumer": Math.round(800 * spike) } : {},
    conflations: seq % 3 === 0 ? { "conflate-requested": 40 } : {},
    recovered: opened + Math.round(25 * spike),
    recoveredWithGap: spike > 0.85 ? 1 : 0,
    publishesRefused: spike > 0.8 ? 6 : 0,
    heapUsed: (900 + (seq % 47) * 22) * 1024 * 1024,
    heapMax: 4096 * 1024 * 1024,
    direct: 310 * 1024 * 1024,
    cpu: 3.1 + 0.4 * wave + 2.2 * spike,
    gc: pause ? [{ name: "G1 Young Generation", millis: pause }] : [],
    slowest: spike > 0.5 || seq > 520 ? slowest(3) : [],
    events: eventsOf(seq),
  };
}

function eventsOf(seq: number): Second["events"] {
  if (seq === 118)
    return [{ kind: "config-reloaded", text: "The configuration was reloaded: 1 key changed (Limit.ConnectRate)." }];
  if (seq === 388) return [{ kind: "alert-raised", text: "Alert raised: slow deliveries, p99 above 50 ms." }];
  if (seq === 430) return [{ kind: "alert-ended", text: "Alert ended: slow deliveries." }];
  if (seq === 524) return [{ kind: "alert-raised", text: `Alert raised: many slow readers, first ${HOSTILE}.` }];
  return [];
}

export const slowest = (count: number): SlowSession[] =>
  Array.from({ length: count }, (_, index) => ({
    session: index === 1 ? HOSTILE : `3f9a${(0x51c2e7 + index * 7919).toString(16)}`,
    address: `10.4.${7 + index}.${20 + index * 3}`,
    state: index < 2 ? "too-slow" : "stalled",
    policy: "disconnect",
    behindMessages: 18_430 - index * 911,
    behindBytes: (18_430 - index * 911) * 530,
    subjects: 3,
    queuedBytes: 65_536,
    sinceMillis: 11_000 + index * 500,
  }));

export function alerts(time: number): Alert[] {
  return [
    {
      name: "BelfrySlowReaders",
      severity: "warning",
      title: "many slow readers",
      reason: "22 of 15 000 sessions lag",
      nextStep: "look for a network problem, or one kind of client",
      sinceMillis: time - 76_000,
    },
    {
      name: "BelfryCertificate",
      severity: "info",
      title: "the certificate expires soon",
      reason: "24 days left",
      nextStep: "renew the certificate and reload",
      sinceMillis: time - 7_200_000,
    },
  ];
}

function node(name: string, time: number, change: Partial<NodeState> = {}): NodeState {
  return {
    node: name,
    self: false,
    ready: true,
    reason: null,
    version: "1.2",
    sessions: 14_870,
    in: 988,
    out: 962_300,
    bytesOut: 510_019_000,
    p99: 1240,
    loopLagMax: 2300,
    alerts: 0,
    worst: null,
    seenMillis: time - 400,
    stale: false,
    ...change,
  };
}

export function state(latest: Second, well: boolean): State {
  const { time } = latest;
  const nodes = [
    node("push-1:8800", time, {
      self: true,
      sessions: latest.sessions,
      out: latest.out,
      in: latest.in,
      bytesOut: latest.bytesOut,
      ...(well ? {} : { alerts: 2, worst: "many slow readers" }),
    }),
  ];
  if (!well)
    nodes.push(
      node("push-2:8800", time),
      node("push-3:8800", time, {
        stale: true,
        seenMillis: time - 19_000,
        worst: "the node does not report",
        alerts: 1,
      }),
    );
  return {
    type: "state",
    ready: true,
    reason: null,
    warning: null,
    alerts: well ? [] : alerts(time),
    totals: {
      sessionsOpened: 214_882,
      publishesIn: 84_201_774,
      messagesOut: 81_003_450_122,
      bytesIn: 45e9,
      bytesOut: 43e12,
      recovered: 198_310,
      recoveredWithGap: 41,
      dropped: 12_930,
      conflated: 4_410_220,
      publishesRefused: 318,
      duplicates: 2204,
      early: 0,
    },
    refusals: { "connect-rate": 5102, unauthorized: 311, "publish-denied": 7 },
    closes: {
      "client-closed": 151_204,
      "connection-lost": 44_120,
      "slow-consumer": 3120,
      "ping-timeout": 1489,
      "token-expired": 220,
    },
    drops: { "slow-consumer": 12_930 },
    conflations: { "conflate-requested": 4_391_800, conflated: 18_420 },
    latencyMinute: { p50: 420, p99: 2110, p999: 8_400, max: 31_000 },
    loopLagP99: 800,
    loopLagMax: 2900,
    slowest: well ? [] : slowest(20),
    tls: { provider: "BoringSSL", certificateExpires: new Date(time + 24 * 86_400_000).toISOString() },
    ...(well ? {} : { cluster: { stale: false, lagByPartition: { 0: 0, 1: 3, 2: 41, 3: 0 } } }),
    nodes,
  };
}

/** Returns all 15,000 sessions; a few are slow, and one has a hostile name. */
export function sessions(): SessionRow[] {
  const random = seeded(7);
  return Array.from({ length: 15_000 }, (_, index) => {
    const slow = index < 22;
    return {
      session: index === 1 ? HOSTILE : `3f9a${(0x51c2e7 + index * 7919).toString(16)}`,
      user: index === 2 ? HOSTILE : index % 3 ? `user-${index % 500}` : null,
      address: `10.${4 + (index % 9)}.${index % 251}.${(index * 7) % 253}`,
      lane: index % LANES,
      format: ["websocket-binary", "websocket-binary", "websocket-json", "sse", "ndjson", "poll"][index % 6] as string,
      state: slow ? (index < 4 ? "too-slow" : index < 14 ? "stalled" : "catching-up") : "ready",
      subscriptions: 1 + Math.floor(random() * 5),
      queuedBytes: slow ? 65_536 : 0,
      behindMessages: slow ? 18_430 - index * 800 : 0,
      behindBytes: slow ? (18_430 - index * 800) * 530 : 0,
    };
  });
}
