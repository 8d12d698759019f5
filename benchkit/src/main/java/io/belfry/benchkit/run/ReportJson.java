package io.belfry.benchkit.run;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.belfry.benchkit.load.Fleet.FleetState;
import io.belfry.benchkit.load.SubscriberFleet;
import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.Findings;
import io.belfry.benchkit.measure.Latencies;
import io.belfry.benchkit.measure.ReportLines;
import io.belfry.benchkit.run.Recorder.Phase;
import io.belfry.settings.Key;
import io.belfry.settings.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The JSON report of a completed run. Owner: the main thread. */
record ReportJson(String program, Role role, Recorder recorder, FleetState state, Settings settings) {
    void write(Path file, int exitCode, List<String> problems) throws IOException {
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(file.toFile(), report(exitCode, problems));
    }

    private Map<String, Object> report(int exitCode, List<String> problems) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("program", program);
        json.put("startMillis", recorder.startMillis);
        json.put("measuredSeconds", recorder.measuredSeconds());
        json.put("cpuSeconds", Recorder.cpuSeconds());
        json.put("clients", role.fleet().clients());
        json.put("ready", state.ready());
        json.put("standing", state.standing());
        json.put("exitCode", exitCode);
        json.put("problems", problems);
        json.put("latency", latencies(recorder.total.latencies()));
        json.put("connect", latencies(recorder.summary().interval().connects()));
        json.put("lag", latencies(recorder.total.lags()));
        json.put("counts", counts(recorder.total.counts()));
        json.put("generator", generator());
        if (role.churns()) {
            json.put("phases", new Phases(phase(Phase.CONNECTING), phase(Phase.MEASURING), phase(Phase.RAMP_DOWN)));
        }
        json.put("clock", Clock.of(role.fleet().clock()));
        if (role instanceof Role.Subscribing(SubscriberFleet fleet) && !role.churns()) {
            json.put("clocksCorrected", fleet.options().correctClocks());
            json.put("publisherClocks", fleet.clocks());
            json.put("findings", findings(fleet.findings()));
        }
        json.put("settings", texts());
        return json;
    }

    /** The figures that show whether the generator was the limit; CPU is that of the measurement alone. */
    private record Generator(
            int eventLoops, double cpuSeconds, double cpuPercentOfOneCore, Object loopLag, Object publisherLag) {}

    private Generator generator() {
        return new Generator(
                role.fleet().eventLoops(),
                recorder.cpuSecondsMeasuring(),
                recorder.cpuPercent(),
                latencies(recorder.loopLags()),
                latencies(recorder.total.lags()));
    }

    private record PhaseConnects(double seconds, double connectsPerSecond, Object connect) {}

    private PhaseConnects phase(Phase phase) {
        Latencies connects = recorder.of(phase).connects();
        double seconds = recorder.seconds(phase);
        return new PhaseConnects(seconds, seconds == 0 ? 0 : connects.count() / seconds, latencies(connects));
    }

    private record Phases(PhaseConnects rampUp, PhaseConnects sustain, PhaseConnects rampDown) {}

    private record Clock(int machine, boolean known, long serverAheadMicros, long uncertaintyMicros) {
        private static Clock of(ClockOffset clock) {
            long uncertaintyMicros = clock.isKnown() ? clock.uncertaintyMicros() : 0;
            return new Clock(clock.machine(), clock.isKnown(), clock.micros(), uncertaintyMicros);
        }
    }

    private static Map<String, Object> findings(Findings findings) {
        Map<String, Object> json = new LinkedHashMap<>();
        for (Findings.Kind kind : Findings.Kind.values()) {
            json.put(kind.name().toLowerCase(Locale.ROOT), findings.first(kind));
        }
        json.put("faultyStreams", findings.streams());
        json.put("worstStreams", findings.worstStreams(Findings.FIRST_MAX));
        return json;
    }

    private static Map<String, Object> latencies(Latencies latencies) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("count", latencies.count());
        json.put("minMillis", latencies.minMillis());
        json.put("maxMillis", latencies.maxMillis());
        json.put("meanMillis", latencies.meanMillis());
        json.put("deviationMillis", latencies.deviationMillis());
        json.put("belowZero", latencies.belowZero());
        json.put("beyondAnHour", latencies.beyond());
        Map<String, Double> percentiles = new LinkedHashMap<>();
        for (double percentile : ReportLines.PERCENTILES) {
            percentiles.put(ReportLines.percentileName(percentile), latencies.percentileMillis(percentile));
        }
        json.put("percentilesMillis", percentiles);
        return json;
    }

    private static Map<String, Long> counts(Counts counts) {
        Map<String, Long> json = new LinkedHashMap<>();
        for (Count count : Count.values()) {
            json.put(count.key(), counts.of(count));
        }
        return json;
    }

    private Map<String, @Nullable String> texts() {
        Map<String, @Nullable String> json = new LinkedHashMap<>();
        for (Key key : settings.keys().keys()) {
            String text = settings.text(key).orElse(null);
            json.put(key.keyName(), text != null && key.secret() ? Settings.HIDDEN : text);
        }
        return json;
    }
}
