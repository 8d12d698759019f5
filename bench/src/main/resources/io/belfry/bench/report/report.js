"use strict";
(() => {
  const report = JSON.parse(document.getElementById("report").textContent);
  const runs = report.runs;
  const main = runs[0];
  const page = document.getElementById("page");

  // ---- elements and numbers

  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (name === "class") node.className = value;
      else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value);
    }
    node.append(...children.flat().filter(child => child !== null && child !== undefined && child !== ""));
    return node;
  }

  const known = value => value !== null && value !== undefined && !Number.isNaN(value);
  const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

  function number(value, digits) {
    if (!known(value)) return "–";
    return new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
  }

  /** Formats a number with three significant digits. */
  function short(value) {
    if (!known(value)) return "–";
    const size = Math.abs(value);
    if (size >= 100 || size === 0) return whole.format(value);
    if (size >= 10) return number(value, 1);
    return number(value, size >= 0.1 ? 2 : size >= 0.01 ? 3 : 4);
  }

  const round = value => Number(value.toPrecision(3));

  function scaled(value, units) {
    if (!known(value)) return ["–", ""];
    const [unit, factor] = units.find(([, , least]) => Math.abs(value) >= least) ?? units[units.length - 1];
    return [short(value / factor), unit];
  }

  const time = millis => scaled(millis, [["s", 1000, 1000], ["ms", 1, 0.1], ["µs", 0.001, 0]]);
  const bytes = value => scaled(value, [["GB", 2 ** 30, 2 ** 30], ["MB", 2 ** 20, 2 ** 20], ["KB", 2 ** 10, 1e4], ["B", 1, 0]]);
  const spoken = ([value, unit]) => (unit ? `${value} ${unit}` : value);
  const percentile = (latency, name) => latency?.percentilesMillis?.[name];

  // ---- header

  const bell = '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">'
    + '<path d="M12 3.2v1.6M6.2 16.4c1.3-1.6 1.5-3.3 1.5-5.5C7.700 7.600 9.500 4.900 12 4.900s4.300 2.700 4.300 6c0 2.200.2 3.900 1.500 5.500z"/><path d="M4.500 16.400h15M10.400 19.300a1.700 1.700 0 0 0 3.200 0"/></svg>';

  function top() {
    const mark = el("div", { class: "mark" });
    mark.innerHTML = bell;
    mark.append("Belfry bench");
    return el("div", { class: "top" }, mark,
      el("div", { class: "tools" },
        el("button", { type: "button", onclick: toggleTheme, title: "Light or dark" }, "Light / dark"),
        el("button", { type: "button", onclick: () => window.print() }, "Print")));
  }

  function head() {
    const started = new Date(report.startedAt);
    const where = [
      started.toISOString().slice(0, 16).replace("T", " ") + " UTC",
      report.host ? `${report.host["CPU"] ?? ""}, ${report.host["cores"] ?? "?"} cores` : null,
      report.versions?.["Belfry"] ? `Belfry ${report.versions["Belfry"]}` : null,
      report.versions?.["commit"] ? report.versions["commit"] : null,
    ];
    return el("header", { class: "head" },
      el("div", {},
        el("h1", {}, report.title),
        el("p", { class: "sentence" }, report.sentence),
        el("p", { class: "where" }, where.filter(Boolean).join(" · "))),
      el("div", { class: "verdicts" }, [report.claim, report.verdict].filter(Boolean).map(verdict =>
        el("div", { class: `verdict ${verdict.level}` }, el("b", {}, verdict.title), el("span", {}, verdict.sentence)))));
  }

  function problems() {
    if (report.completed && report.problems.length === 0) return "";
    return el("div", { class: `problems ${report.completed ? "yellow" : "red"}` },
      el("b", {}, report.completed ? "Problems" : "The run did not complete; these are the figures until its end"),
      el("ul", {}, report.problems.map(problem => el("li", {}, problem))));
  }

  function figure(name, [value, unit], note, level) {
    return el("div", { class: `figure ${level ?? ""}` },
      el("dt", {}, name), el("dd", {}, value, el("small", {}, unit)), el("p", {}, note));
  }

  function latencyFigures(latency, name, note) {
    return [
      figure(`${name} p50`, time(percentile(latency, "50")), `mean ${spoken(time(latency.meanMillis))} ± ${spoken(time(latency.deviationMillis))}`),
      figure(`${name} p99`, time(percentile(latency, "99")), `p90 ${spoken(time(percentile(latency, "90")))}, p95 ${spoken(time(percentile(latency, "95")))}`),
      figure(`${name} p99.9`, time(percentile(latency, "99.9")), `max ${spoken(time(latency.maxMillis))}`),
      note,
    ];
  }

  function figures() {
    const cells = [];
    const { latency, connect, server, memory, rates, delivery } = main;
    if (latency?.count) {
      cells.push(...latencyFigures(latency, "Latency",
        figure(rates ? "Delivered" : "Messages", rates ? [whole.format(rates.deliveredPerSecond), "msg/s"] : [whole.format(latency.count), ""],
          rates ? `${whole.format(rates.publishedPerSecond)} per second published, ${whole.format(latency.count)} measured` : `in ${number(main.measuredSeconds, 0)} s`)));
    }
    const quiet = main.latencyWithoutSteal;
    if (quiet?.count) {
      cells.push(figure("p99.9 without steal", time(percentile(quiet, "99.9")),
        `p99 ${spoken(time(percentile(quiet, "99")))}, max ${spoken(time(quiet.maxMillis))}, in ${quiet.intervals.length} of ${number(main.measuredSeconds, 0)} s: those in which the host of this virtual machine used no processor`));
    }
    if (!latency?.count && connect?.count) {
      cells.push(...latencyFigures(connect, "Connect",
        figure("Connects", [whole.format(rates?.connectsPerSecond ?? connect.count / main.measuredSeconds), "per s"], `${whole.format(connect.count)} in ${number(main.measuredSeconds, 0)} s`)));
    }
    if (server && known(server.cpuSecondsPerMillionDeliveries)) {
      cells.push(figure("Server CPU", [short(server.cpuSecondsPerMillionDeliveries), "s"],
        `per million deliveries; ${number(server.coresBusy, 2)} cores busy`));
    } else if (server && known(server.cpuSecondsPerMillionConnects)) {
      cells.push(figure("Server CPU", [short(server.cpuSecondsPerMillionConnects), "s"],
        `per million connections; ${number(server.coresBusy, 2)} cores busy`));
    } else if (server) {
      cells.push(figure("Server CPU", ["–", ""], server.note ?? "not known"));
    }
    if (memory) {
      cells.push(figure("Heap per connection", bytes(memory.heapBytesPerConnection),
        `kernel ${spoken(bytes(memory.kernelBytesPerConnection))}, process ${spoken(bytes(memory.processBytesPerConnection))}`));
    }
    if (delivery?.stalled) {
      cells.push(figure("Stalled readers", [whole.format(delivery.stalled), ""], `the server disconnected ${whole.format(delivery.stalledDisconnected)} of them, and ${whole.format(delivery.disconnections)} others`,
        delivery.disconnections === 0 ? "good" : "bad"));
      const control = runs[1]?.latency;
      if (control) cells.push(figure("p99 without stalled readers", time(percentile(control, "99")), `the control run: p50 ${spoken(time(percentile(control, "50")))}, p99.9 ${spoken(time(percentile(control, "99.9")))}`));
    }
    if (delivery?.received) {
      const wrong = delivery.lost + delivery.duplicated + delivery.reordered;
      cells.push(figure("Lost, duplicated, reordered", [wrong === 0 ? "0" : [delivery.lost, delivery.duplicated, delivery.reordered].map(n => whole.format(n)).join(" / "), ""],
        `of ${whole.format(delivery.expected ?? delivery.received)} messages ${known(delivery.expected) ? "expected" : "received"}, each checked`, wrong === 0 ? "good" : "bad"));
    }
    if (delivery && !delivery.received) {
      const failed = delivery.connectsFailed + delivery.disconnections;
      cells.push(figure("Failed or closed", [whole.format(failed), ""], "failed connects, connections closed by the server", failed === 0 ? "good" : "bad"));
    }
    if (main.connections) {
      cells.push(figure("Connections", [whole.format(main.connections), ""],
        connect?.count ? `ready in p50 ${spoken(time(percentile(connect, "50")))}, p99 ${spoken(time(percentile(connect, "99")))}` : ""));
    }
    while (cells.length % 4 !== 0 && cells.length > 4) cells.push(el("div", { class: "figure" }));
    return el("dl", { class: "figures" }, cells);
  }

  // ---- charts

  const palette = () => {
    const style = getComputedStyle(document.documentElement);
    return name => style.getPropertyValue(`--${name}`).trim();
  };
  const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";
  const drawn = [];

  function chart(title, note, options, wide) {
    const plot = el("div", { class: "plot", role: "img", "aria-label": `${title}. ${note}` });
    drawn.push({ plot, options, instance: null });
    return el("figure", { class: wide ? "chart wide" : "chart" },
      el("figcaption", {}, el("h3", {}, title), el("p", {}, note)), plot);
  }

  function axis(color, extra) {
    return {
      nameTextStyle: { color: color("soft"), fontSize: 11, align: "left" }, nameGap: 10,
      axisLabel: { color: color("soft"), fontSize: 11, hideOverlap: true, ...extra?.axisLabel },
      axisLine: { show: false, lineStyle: { color: color("line") } },
      axisTick: { show: false },
      splitLine: { show: true, lineStyle: { color: color("hair") } },
      minorSplitLine: { show: false },
      ...extra, ...(extra?.axisLabel ? { axisLabel: { color: color("soft"), fontSize: 11, hideOverlap: true, ...extra.axisLabel } } : {}),
    };
  }

  function logTime(color, values) {
    const shown = values.filter(value => value > 0);
    const least = Math.min(...shown), most = Math.max(...shown);
    return axis(color, {
      type: "log",
      min: 10 ** Math.floor(Math.log10(Math.max(least, 0.001))),
      max: 10 ** Math.ceil(Math.log10(Math.max(most, 0.01)) - 1e-9),
      axisLabel: { formatter: value => (value >= 1000 ? `${round(value / 1000)} s` : value >= 1 ? `${round(value)} ms` : `${round(value * 1000)} µs`) },
    });
  }

  function seconds(color, from, to) {
    return axis(color, {
      type: "value", min: from, max: to, splitLine: { show: false },
      axisLine: { show: true, lineStyle: { color: color("line") } },
      axisLabel: { showMinLabel: false, showMaxLabel: false, formatter: value => `${round(value)} s` },
    });
  }

  function line(color, name, tone, data, extra) {
    return {
      type: "line", name, data, symbol: "none", smooth: false, animation: false, connectNulls: false,
      lineStyle: { width: 2, color: color(tone), ...extra?.lineStyle },
      itemStyle: { color: color(tone) },
      emphasis: { disabled: true },
      endLabel: { show: true, formatter: name, color: color(tone), fontSize: 11.5, fontWeight: 600, distance: 6 },
      ...extra, ...(extra?.lineStyle ? { lineStyle: { width: 2, color: color(tone), ...extra.lineStyle } } : {}),
    };
  }

  function frame(color, series, xAxis, yAxis, show, right) {
    return {
      animation: false, textStyle: { fontFamily: font },
      grid: { left: 4, right: right ?? 62, top: 16, bottom: 4, containLabel: true },
      tooltip: {
        trigger: "axis", confine: true, transitionDuration: 0, backgroundColor: color("card"), borderColor: color("line"),
        textStyle: { color: color("ink"), fontSize: 12 }, axisPointer: { lineStyle: { color: color("soft") } }, ...show,
      },
      xAxis, yAxis, series,
    };
  }

  const tip = (headOf, valueOf) => ({
    formatter: points => {
      const rows = points.filter(point => known(point.value[1])).map(point => `${point.marker}${point.seriesName} <b>${valueOf(point.value[1])}</b>`);
      return `${headOf(points[0].value)}<br>${rows.join("<br>")}`;
    },
  });
  const atSecond = value => `${short(value[0])} s`;

  const span = run => [Math.min(0, ...run.samples.map(s => s.second)), Math.max(run.measuredSeconds, ...run.samples.map(s => s.second), 1)];

  /** Shades the warm-up and the settling, because the figures exclude them. */
  function shade(color, run) {
    const [from, to] = span(run);
    const areas = [];
    if (from < 0) areas.push([{ xAxis: Math.floor(from) }, { xAxis: 0 }]);
    if (to > run.measuredSeconds) areas.push([{ xAxis: run.measuredSeconds }, { xAxis: Math.ceil(to) }]);
    return { silent: true, data: areas, itemStyle: { color: color("soft"), opacity: 0.09 } };
  }

  function overTime(title, note, latency, wide) {
    const points = latency.intervals;
    // Compared runs have the same scale.
    const alike = latency === main.connect ? points : runs.flatMap(run => run.latency?.intervals ?? []);
    const of = name => points.filter(p => known(p[name]) && p[name] > 0).map(p => [p.second + p.seconds / 2, Math.max(p[name], 0.001)]);
    return chart(title, note, color => {
      const begin = Math.min(0, ...points.map(p => p.second)), end = Math.max(...points.map(p => p.second + p.seconds));
      return frame(color, [
        line(color, "max", "grey", of("maxMillis"), { lineStyle: { width: 1.2, type: [2, 3] } }),
        ...(latency === main.connect
          ? [line(color, "p99", "rose", of("p99Millis"), { lineStyle: { type: [7, 3] } }), line(color, "p90", "orange", of("p90Millis"))]
          : [line(color, "p99.9", "rose", of("p999Millis"), { lineStyle: { type: [7, 3] } }), line(color, "p99", "orange", of("p99Millis"))]),
        line(color, "p50", "blue", of("p50Millis")),
      ], seconds(color, begin, end), logTime(color, alike.flatMap(p => [p.p50Millis, p.maxMillis])), tip(atSecond, v => spoken(time(v))), 52);
    }, wide);
  }

  /** Latencies of messages, or the times to connect if there are no messages. */
  const curved = run => (run.latency?.count ? run.latency : runs.some(other => other.latency?.count) ? null : run.connect);

  function curve(wide) {
    const tones = ["blue", "orange", "green", "violet", "rose", "grey"];
    const shown = runs.filter(run => curved(run)?.count).slice(0, 6);
    const what = runs.some(run => run.latency?.count) ? "messages" : "connects";
    const note = shown.length > 1 ? `Share of ${what} below a latency. Each step to the right is ten times rarer.`
      : `Maximum latency of a share of the ${what}. Each step to the right is ten times rarer.`;
    return chart(what === "messages" ? "Latency by percentile" : "Time to connect by percentile", note, color => {
      const values = shown.flatMap(run => curved(run).curve.map(([, millis]) => millis));
      const last = Math.max(...shown.flatMap(run => curved(run).curve.filter(([p]) => p < 100).map(([p]) => 1 / (1 - p / 100))), 100);
      return frame(color, shown.map((run, i) => line(color, shown.length > 1 ? run.name : "", tones[i],
          curved(run).curve.filter(([p]) => p < 100).map(([p, millis]) => [1 / (1 - p / 100), Math.max(millis, 0.001)]),
          { lineStyle: { width: 2.4, type: i === 0 ? "solid" : [7, 3] }, ...(shown.length > 1 ? {} : { endLabel: { show: false } }) })),
        axis(color, {
          type: "log", min: 1, max: 10 ** Math.ceil(Math.log10(last)), splitLine: { show: true, lineStyle: { color: color("hair") } },
          axisLine: { show: true, lineStyle: { color: color("line") } },
          axisLabel: { formatter: value => (value === 1 ? "0%" : `${Number((100 - 100 / value).toFixed(8))}%`) },
        }),
        logTime(color, values),
        tip(value => `${Number((100 - 100 / value[0]).toPrecision(7))} % of ${what}`, v => `≤ ${spoken(time(v))}`), shown.length > 1 ? 70 : 34);
    }, wide);
  }

  function sampled(title, note, run, series, yAxis, valueOf, right) {
    return chart(title, note, color => {
      const [from, to] = span(run);
      const lines = series(color).filter(Boolean);
      if (lines.length > 0) lines[0].markArea = shade(color, run);
      return frame(color, lines, seconds(color, Math.floor(from), Math.ceil(to)), yAxis(color), tip(atSecond, valueOf), right);
    });
  }

  const column = (run, name, factor) => run.samples.filter(s => known(s[name])).map(s => [s.second, s[name] * (factor ?? 1)]);
  const has = (run, name) => run.samples.some(s => known(s[name]) && s[name] !== 0);
  const plain = extra => color => axis(color, { type: "value", min: 0, splitNumber: 4, ...extra });
  const area = opacity => ({ areaStyle: { opacity } });

  function sampleCharts(run) {
    if (!run.samples?.length) return [];
    const made = [];
    if (has(run, "connectsPerSecond") && report.name === "churn") {
      made.push(sampled("Connects and disconnects per second", "Counted by the server.", run, color => [
        line(color, "opened", "blue", column(run, "connectsPerSecond"), area(0.1)),
        line(color, "closed", "orange", column(run, "disconnectsPerSecond"), { lineStyle: { type: [7, 3] } }),
      ], plain(), v => `${whole.format(v)}/s`, 60));
    }
    if (has(run, "deliveredPerSecond")) {
      made.push(sampled("Messages delivered per second", `Counted by the server; ${whole.format(run.rates?.publishedPerSecond ?? 0)} per second were published. Shaded: connecting, warm-up and settling, which the figures exclude.`,
        run, color => [line(color, "out", "blue", column(run, "deliveredPerSecond"), area(0.12))], plain(), v => `${whole.format(v)} msg/s`, 40));
    }
    if (has(run, "machineCores")) {
      const cores = Number(report.host?.["cores"] ?? 0);
      made.push(sampled("Busy processors", `In cores${cores ? `; this machine has ${cores}` : ""}, shared by server and generators.${has(run, "serverWaitingCores") ? " Waiting: threads of the server without a processor." : ""}${has(run, "stolenCores") ? " Stolen: used by the host of this virtual machine." : ""}`, run, color => [
        line(color, "machine", "grey", column(run, "machineCores"), { lineStyle: { width: 1.4, type: [2, 3] } }),
        line(color, "generators", "orange", column(run, "generatorCores"), { lineStyle: { type: [7, 3] } }),
        has(run, "serverCores") && line(color, "server", "blue", column(run, "serverCores"), area(0.12)),
        has(run, "serverWaitingCores") && line(color, "waiting", "violet", column(run, "serverWaitingCores"), { lineStyle: { width: 1.4, type: [2, 3] } }),
        has(run, "stolenCores") && line(color, "stolen", "rose", column(run, "stolenCores"), { lineStyle: { width: 1.4 } }),
      ], plain(cores ? { max: cores } : {}), v => `${number(v, 2)} cores`, 76));
    }
    if (has(run, "processBytes") || has(run, "heapBytes")) {
      made.push(sampled("Server memory", "Process: resident set. Direct: history and buffers outside the heap. Heap: used memory of the JVM, including garbage. Kernel: pages of all TCP sockets of this machine.", run, color => [
        has(run, "processBytes") && line(color, "process", "blue", column(run, "processBytes", 1 / 2 ** 20)),
        has(run, "directBytes") && line(color, "direct", "violet", column(run, "directBytes", 1 / 2 ** 20), { lineStyle: { type: [2, 3] } }),
        has(run, "heapBytes") && line(color, "heap", "orange", column(run, "heapBytes", 1 / 2 ** 20), { lineStyle: { type: [7, 3] } }),
        has(run, "kernelBytes") && line(color, "kernel", "green", column(run, "kernelBytes", 1 / 2 ** 20), { lineStyle: { type: [2, 3] } }),
      ], plain({ axisLabel: { formatter: v => `${whole.format(v)} MB` } }), v => `${short(v)} MB`, 56));
    }
    if (has(run, "loopLagMaxMillis")) {
      made.push(sampled("Event loop lag of the server", "Lateness of the timers of the slowest lane within the last minute, from the monitor.", run, color => [
        line(color, "max", "grey", column(run, "loopLagMaxMillis"), { lineStyle: { width: 1.2, type: [2, 3] } }),
        line(color, "p99", "orange", column(run, "loopLagP99Millis")),
      ], color => logTime(color, run.samples.flatMap(s => [s.loopLagP99Millis, s.loopLagMaxMillis]).filter(known)), v => spoken(time(v)), 44));
    }
    if (has(run, "gcPauseMillis")) {
      made.push(sampled("Pauses of the server's collector", "Milliseconds of each second in which the garbage collector stopped the server.", run, color => [
        line(color, "pauses", "rose", column(run, "gcPauseMillis"), area(0.1)),
      ], plain(), v => `${whole.format(v)} ms`, 56));
    }
    if (has(run, "queuedBytes")) {
      made.push(sampled("Waiting for slow readers", "Bytes queued in the server for sessions whose sockets are full.", run, color => [
        line(color, "queued", "rose", column(run, "queuedBytes", 1 / 1024), area(0.1)),
      ], plain({ axisLabel: { formatter: v => `${whole.format(v)} KB` } }), v => `${short(v)} KB`, 56));
    }
    return made;
  }

  function charts() {
    const cells = [];
    const name = runs.length > 1 ? `, ${main.name}` : "";
    if (main.latency?.intervals?.length) {
      cells.push(overTime(`Latency over time${name}`, "From the intended send time to the arrival, for every message.", main.latency, true));
    }
    for (const run of runs.slice(1, 6)) {
      if (run.latency?.intervals?.length) cells.push(overTime(`Latency over time, ${run.name}`, run.sentence ?? "", run.latency, true));
    }
    if (main.connect?.intervals?.length > 1 && !main.latency?.count) {
      cells.push(overTime("Time to connect over time", "From the connect call to the answer that makes the connection ready.", main.connect, true));
    }
    if (runs.some(run => curved(run)?.count)) cells.push(curve(!main.samples?.length));
    cells.push(...sampleCharts(main));
    if (cells.length === 0) return "";
    const grid = el("div", { class: "charts" }, cells);
    const small = cells.filter(cell => !cell.classList.contains("wide"));
    if (small.length % 2 === 1) small[small.length - 1].classList.add("wide");
    return el("section", {}, el("h2", {}, "Over time"), grid);
  }

  /** Moves the names at the ends of lines apart if they would overlap. */
  function apart(instance, series) {
    const least = 15;
    const ends = series.map((one, index) => {
      const last = one.data.at(-1);
      return { index, y: last ? instance.convertToPixel({ yAxisIndex: 0 }, last[1]) : NaN };
    });
    const placed = ends.filter(end => Number.isFinite(end.y)).sort((a, b) => a.y - b.y).map(end => ({ ...end, at: end.y }));
    const bottom = instance.getHeight() - 26;
    for (let i = 1; i < placed.length; i++) placed[i].at = Math.max(placed[i].at, placed[i - 1].at + least);
    for (let i = placed.length - 1; i >= 0; i--) {
      const limit = i === placed.length - 1 ? bottom : placed[i + 1].at - least;
      placed[i].at = Math.min(placed[i].at, limit);
    }
    return series.map((_, index) => {
      const place = placed.find(end => end.index === index);
      return place ? { endLabel: { offset: [0, place.at - place.y] } } : {};
    });
  }

  function draw() {
    const color = palette();
    for (const entry of drawn) {
      entry.instance?.dispose();
      entry.instance = echarts.init(entry.plot, null, { renderer: "svg" });
      const options = entry.options(color);
      entry.instance.setOption(options);
      entry.instance.setOption({ series: apart(entry.instance, options.series) });
      const svg = entry.plot.querySelector("svg");
      if (svg && !svg.getAttribute("viewBox")) svg.setAttribute("viewBox", `0 0 ${entry.plot.clientWidth} ${entry.plot.clientHeight}`);
    }
  }

  // ---- tables

  function rows(entries, mono) {
    return el("table", {}, el("tbody", {}, entries.filter(([, value]) => known(value)).map(([name, value]) =>
      el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, mono ? el("code", {}, String(value)) : String(value))))));
  }

  function grid(heads, lines) {
    return el("table", {},
      el("thead", {}, el("tr", {}, heads.map((name, i) => el("th", { class: i > 0 ? "n" : "", scope: "col" }, name)))),
      el("tbody", {}, lines.map(cells => el("tr", {}, cells.map((cell, i) => el(i === 0 ? "th" : "td", { class: i > 0 ? "n" : "" }, cell))))));
  }

  function card(title, note, body, wide) {
    return el("div", { class: wide ? "card wide" : "card" }, el("h3", {}, title), note ? el("p", {}, note) : "", body);
  }

  function verdictCard(verdict, title, note) {
    if (!verdict?.checks?.length) return "";
    return card(title, note,
      el("table", {}, el("tbody", {}, verdict.checks.map(check => el("tr", {},
        el("td", { class: check.level }, el("span", { class: "dot" }), check.name),
        el("td", { class: "n" }, check.value), el("td", { style: "padding-left:16px" }, check.sentence))))), true);
  }

  function comparison() {
    if (runs.length < 2) return "";
    const value = pick => runs.map(run => pick(run));
    const line = (name, pick) => [name, ...value(pick)];
    return card(report.kind === "scenario" ? "Comparison" : "The instances", "", grid(["", ...runs.map(run => run.name)], [
      line("messages measured", run => whole.format(run.latency?.count ?? 0)),
      ...["50", "90", "99", "99.9", "99.99"].map(p => line(`p${p}`, run => spoken(time(percentile(run.latency, p))))),
      line("max", run => spoken(time(run.latency?.maxMillis))),
      ...(main.rates ? [line("delivered per second", run => whole.format(run.rates?.deliveredPerSecond ?? NaN))] : []),
      ...(main.server ? [line("server CPU s per million deliveries", run => short(run.server?.cpuSecondsPerMillionDeliveries))] : []),
      ...(main.delivery ? [line("lost / duplicated / reordered", run => run.delivery ? `${run.delivery.lost} / ${run.delivery.duplicated} / ${run.delivery.reordered}` : "–")] : []),
      ...(main.delivery ? [line("disconnected", run => whole.format(run.delivery?.disconnections ?? NaN))] : []),
      ...(main.delivery?.stalled ? [line("stalled", run => whole.format(run.delivery?.stalled ?? NaN)),
        line("stalled, and disconnected", run => whole.format(run.delivery?.stalledDisconnected ?? NaN))] : []),
      ...closeCodes().map(code => line(`closed by the server: ${code}`, run => whole.format(run.server?.figures?.closes?.[code] ?? 0))),
    ]), true);
  }

  /** Codes with which the server closed connections in any of the runs. */
  const closeCodes = () => [...new Set(runs.flatMap(run => Object.entries(run.server?.figures?.closes ?? {}).filter(([, n]) => n > 0).map(([code]) => code)))];

  function phasesCard(run) {
    if (!run.phases?.length) return "";
    return card("Connects by phase", "From the connect call to the answer to the subscription.", grid(["", "seconds", "connects", "per second", "p50", "p90", "p99", "max"],
      run.phases.map(phase => [phase.name, number(phase.seconds, 1), whole.format(phase.connect.count), whole.format(phase.connectsPerSecond),
        ...["50", "90", "99"].map(p => spoken(time(percentile(phase.connect, p)))), spoken(time(phase.connect.maxMillis))])), true);
  }

  function findingsCard(run) {
    if (!run.findings?.length) return "";
    return card(runs.length > 1 ? `Findings, ${run.name}` : "Findings", "The first findings of each kind and load generator; the delivery counts have the totals.",
      grid(["", "load generator", "subject", "publisher", "client", "messages"], run.findings.map(f => [f.kind, f.generator, f.subject, String(f.publisher), String(f.client),
        f.from === f.to ? `number ${f.from}` : `numbers ${f.from} to ${f.to}`])), true);
  }

  const labels = {
    published: "published", acknowledged: "acknowledged", expected: "expected according to the end marks", sentByServer: "written to sockets, counted by the server", received: "received", endMarks: "end marks",
    lost: "lost", duplicated: "duplicated", reordered: "reordered", misdelivered: "misdelivered", positionsMissing: "positions missing",
    gapsAnnounced: "gaps announced", disconnections: "disconnections", connectsFailed: "failed connects",
    stalled: "stalled readers", stalledDisconnected: "stalled readers disconnected",
    stalledReceived: "received by stalled readers", stalledDropped: "announced to stalled readers as dropped", stalledConflated: "announced to stalled readers as conflated",
    stalledSkipped: "missing at stalled readers without a gap", stalledRepeated: "repeated to stalled readers", stalledBehind: "not sent to stalled readers at the end",
    errors: "error events",
  };

  function deliveryCard(run) {
    if (!run.delivery) return "";
    return card(runs.length > 1 ? `Delivery counts, ${run.name}` : "Delivery counts",
      "Of the whole run, including the warm-up. Each subscriber checks the number and the position of every message.",
      el("table", {}, el("tbody", {}, Object.entries(labels).filter(([key]) => known(run.delivery[key])).map(([key, label]) =>
        el("tr", {}, el("th", {}, label), el("td", { class: "n" }, whole.format(run.delivery[key])))))));
  }

  function memoryCard(run) {
    if (!run.memory) return "";
    const m = run.memory;
    return card("Memory of connections", `Before and with ${whole.format(m.connections)} connections, before any message, after a full garbage collection.`,
      grid(["", "before", "with", "each"], [
        ["live heap", spoken(bytes(m.heapBytesBefore)), spoken(bytes(m.heapBytesWith)), spoken(bytes(m.heapBytesPerConnection))],
        ["process (resident)", spoken(bytes(m.processBytesBefore)), spoken(bytes(m.processBytesWith)), spoken(bytes(m.processBytesPerConnection))],
        ["kernel, TCP buffers", spoken(bytes(m.kernelBytesBefore)), spoken(bytes(m.kernelBytesWith)), spoken(bytes(m.kernelBytesPerConnection))],
      ].map(row => row.map(cell => cell ?? "–"))));
  }

  function latencyCard(run, latency, title) {
    if (!latency?.count) return "";
    return card(runs.length > 1 ? `${title}, ${run.name}` : title, `${whole.format(latency.count)} values, recorded with three digits.`,
      grid(["", "ms"], [["min", number(latency.minMillis, 3)], ["mean", number(latency.meanMillis, 3)], ["standard deviation", number(latency.deviationMillis, 3)],
        ...Object.entries(latency.percentilesMillis).map(([p, millis]) => [`p${p}`, number(millis, 3)]), ["max", number(latency.maxMillis, 3)]]));
  }

  function generatorCard(run) {
    if (!run.generators?.length) return "";
    return card(runs.length > 1 ? `Load generators, ${run.name}` : "Load generators", "", grid(["", "clients", "CPU s", "cores busy", "lag p99", "lag max"],
      run.generators.map(g => [g.name, `${whole.format(g.ready)} of ${whole.format(g.clients)}`, number(g.cpuSeconds, 1), number(g.coresBusy, 2),
        spoken(time(percentile(g.lag, "99"))), spoken(time(g.lag?.maxMillis))])), true);
  }

  function inputsCard() {
    if (!report.inputs?.length) return "";
    return card("Merged files", "Aligned by the absolute times in the files.", grid(["", "begins", "ends", "intervals", "messages", "connects", ""],
      report.inputs.map(i => [i.file, i.begins?.slice(11, 19) ?? "–", i.ends?.slice(11, 19) ?? "–", whole.format(i.intervals), whole.format(i.messages), whole.format(i.connects), i.note ?? ""])), true);
  }

  function settingsCards() {
    const cells = [];
    const map = (title, note, values, mono) => values && Object.keys(values).length ? card(title, note, rows(Object.entries(values), mono)) : "";
    cells.push(map("Host", "", report.host));
    cells.push(map("Versions", "", report.versions));
    cells.push(map("Scenario", report.command ? `Run again: ${report.command}` : "", report.options));
    cells.push(map("Server configuration", "Settings that differ from the defaults.", main.server?.settings, true));
    if (main.server?.jvm?.length) cells.push(card("JVM options of the server", "", el("code", {}, main.server.jvm.join(" "))));
    for (const g of main.generators ?? []) {
      cells.push(card(`Configuration of ${g.name}`, "", el("details", { open: "" }, el("summary", {}, "keys"), rows(Object.entries(g.settings ?? {}), true))));
    }
    return cells;
  }

  function serverFigures() {
    const stats = main.server?.figures;
    if (!stats?.counters) return "";
    const named = key => key.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
    const codes = [...Object.entries(stats.refusals ?? {}).map(([code, n]) => [`refused: ${code}`, n]), ...Object.entries(stats.closes ?? {}).map(([code, n]) => [`closed: ${code}`, n])];
    const lat = stats.latencySinceStartMicros;
    return card("Figures of the server at the end", "",
      el("table", {}, el("tbody", {},
        [...Object.entries(stats.counters).filter(([, n]) => n !== 0).map(([key, n]) => [named(key), n]), ...codes,
          ...(lat?.count ? [["delivery latency p99, µs (from the receipt to the write to the socket)", lat.p99], ["delivery latency max, µs", lat.max]] : [])]
          .map(([key, n]) => el("tr", {}, el("th", {}, key), el("td", { class: "n" }, whole.format(n)))))));
  }

  function build() {
    page.replaceChildren(top(), head(), problems() || "", figures(), charts() || "",
      el("section", {}, el("h2", {}, "Account"), el("div", { class: "tables" },
        verdictCard(report.claim, "Does the claim hold?", "Over all runs; compared runs pair by pair."),
        verdictCard(report.verdict, "Was the load generator the limit?", "The lateness of the generator is part of every latency above; if it is large, the figures describe the generator, not the server."),
        comparison(), phasesCard(main), inputsCard(), runs.map(findingsCard), runs.slice(0, 4).map(deliveryCard), runs.length === 1 ? latencyCard(main, main.latency, "Latency of messages") : "",
        latencyCard(main, main.connect, "Time to connect"), memoryCard(main), generatorCard(main), serverFigures())),
      el("section", {}, el("h2", {}, "Circumstances"), el("div", { class: "tables" }, settingsCards())),
      el("footer", {}, "Method and limits: docs/benchmarks.md. The JSON file in the same folder has the same figures for programs. Charts by Apache ECharts."));
    page.querySelectorAll("section").forEach(section => section.querySelector(".tables:empty") && section.remove());
  }

  // ---- themes and print

  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;

  function theme(name) {
    document.documentElement.dataset.theme = name ?? chosen ?? (dark.matches ? "dark" : "light");
    draw();
  }

  function paper(on) {
    document.documentElement.classList.toggle("paper", on);
    theme(on ? "light" : null);
  }

  function toggleTheme() {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    theme();
  }

  build();
  theme();
  dark.addEventListener("change", () => theme());
  window.addEventListener("beforeprint", () => paper(true));
  window.addEventListener("afterprint", () => paper(false));
  let wait = 0;
  window.addEventListener("resize", () => {
    clearTimeout(wait);
    wait = setTimeout(() => drawn.forEach(entry => entry.instance?.resize()), 100);
  });
})();
