import { html, nothing, type TemplateResult } from "lit";
import { bytes, count, duration, micros, short, visible } from "../format.js";
import { store } from "../store.js";
import type { NodeState, State } from "../types.js";
import { badge, View, waiting } from "../view.js";

/** The page Cluster: every node with its state, and the lag of this node behind the log of the cluster. */
export class ClusterPage extends View {
  protected override render(): TemplateResult {
    const { state } = store;
    if (!state) return html`<div class="heading"><h1>Cluster</h1></div>${waiting()}`;
    const { nodes } = state;
    const bad = nodes.filter((node) => node.stale || !node.ready || node.worst);
    return html`
      <div class="heading"><h1>Cluster</h1>
        <p role="status">${nodes.length === 1 ? "One node" : `${count(nodes.length)} nodes`}, ${bad.length ? `${count(bad.length)} with a problem` : "all well"}</p></div>
      ${nodes.length > 1 ? this.#sums(nodes) : nothing}
      <div class="nodes">${nodes.map((node) => this.#node(node))}</div>
      ${this.#log(state)}`;
  }

  #sums(nodes: readonly NodeState[]): TemplateResult {
    const alive = nodes.filter((node) => !node.stale);
    const sum = (of: (node: NodeState) => number) => alive.reduce((total, node) => total + of(node), 0);
    const figures = [
      ["Sessions", count(sum((node) => node.sessions))],
      ["In", `${short(sum((node) => node.in))} msg/s`],
      ["Out", `${short(sum((node) => node.out))} msg/s`],
      ["Traffic out", `${bytes(sum((node) => node.bytesOut))}/s`],
      ["Highest p99", micros(Math.max(...alive.map((node) => node.p99 ?? 0)))],
    ];
    return html`<dl class="sums" aria-label="All nodes that report">${figures.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
  }

  #node(node: NodeState): TemplateResult {
    const state = node.stale
      ? badge("bad", "stale")
      : !node.ready
        ? badge("bad", "not ready")
        : node.worst
          ? badge("warn", "alert")
          : badge("good", "ready");
    return html`<article class=${`card node${node.stale ? " stale" : ""}`}>
      <header><h2>${visible(node.node)}</h2>${state}</header>
      <p class="muted">${node.version}${node.self ? ", this node" : ""}, seen ${duration(Math.max(0, store.nowMillis - node.seenMillis))} ago</p>
      ${node.stale ? html`<p class="event">This node does not report; its figures are old.</p>` : nothing}
      ${node.reason ? html`<p class="event">${visible(node.reason)}</p>` : nothing}
      ${node.worst ? html`<p class="event">${visible(node.worst)}${node.alerts > 1 ? `, and ${count(node.alerts - 1)} more` : ""}</p>` : nothing}
      <dl class="pairs">
        <dt>Sessions</dt><dd>${count(node.sessions)}</dd>
        <dt>In</dt><dd>${short(node.in)} msg/s</dd>
        <dt>Out</dt><dd>${short(node.out)} msg/s</dd>
        <dt>Traffic out</dt><dd>${bytes(node.bytesOut)}/s</dd>
        <dt>p99</dt><dd>${micros(node.p99)}</dd>
        <dt>Worst lane lag</dt><dd>${micros(node.loopLagMax)}</dd>
      </dl>
    </article>`;
  }

  #log({ cluster }: State): TemplateResult {
    if (!cluster) {
      return html`<p class="card note">This node does not belong to a cluster. The key <code>ClusterEngine</code> connects several nodes.</p>`;
    }
    const partitions = Object.entries(cluster.lagByPartition);
    const most = Math.max(1, ...partitions.map(([, lag]) => lag));
    return html`<section class="card"><header><h2>Lag of this node behind the log of the cluster</h2>${cluster.stale ? badge("bad", "stale") : badge("good", "current")}</header>
      ${cluster.stale ? html`<p class="event">${visible(cluster.staleReason ?? "The node is behind the log.")}</p>` : nothing}
      ${
        partitions.length
          ? html`<ul class="rows codes partitions">${partitions.map(
              ([partition, lag]) =>
                html`<li><div>Partition ${partition}</div><meter aria-label=${`Lag of partition ${partition}`} min="0" max=${most} .value=${lag}></meter><b>${count(lag)}</b></li>`,
            )}</ul>`
          : html`<p class="empty">No partition is read yet.</p>`
      }</section>`;
  }
}
