package io.belfry.benchkit.run;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.benchkit.load.SubjectList;
import io.belfry.benchkit.load.SubscriberFleet;
import io.belfry.benchkit.measure.ClockComparison;
import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Findings;
import io.belfry.benchkit.measure.Latencies;
import io.belfry.benchkit.measure.ReportLines;
import io.belfry.settings.Key;
import io.belfry.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The figures of a whole run as one JSON object. Pure, but for the file it writes. */
final class ReportJson {
    private ReportJson() {}

    static void write(Path file, Summary summary, int exitCode, Settings settings) throws IOException {
        Figures total = summary.recorder().total();
        try (JsonGenerator json =
                new JsonFactory().createGenerator(Files.newBufferedWriter(file)).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            run(json, summary, exitCode);
            latencies(json, "latency", total.latencies());
            latencies(json, "connect", summary.figures().connects());
            latencies(json, "lag", total.lags());
            counts(json, total.counts());
            generator(json, summary);
            if (summary.role() instanceof Churning) {
                phases(json, summary.recorder());
            }
            clock(json, summary.role().fleet().clock());
            if (summary.role() instanceof Subscribing subscribing) {
                publisherClocks(json, subscribing.fleet());
                findings(json, subscribing.fleet());
            }
            settings(json, settings);
            json.writeEndObject();
        }
    }

    private static void run(JsonGenerator json, Summary summary, int exitCode) throws IOException {
        json.writeStringField("program", summary.program());
        json.writeNumberField("startMillis", summary.recorder().startMillis());
        json.writeNumberField("measuredSeconds", summary.measuredSeconds());
        json.writeNumberField("cpuSeconds", Recorder.cpuSeconds());
        json.writeNumberField("clients", summary.role().fleet().clients());
        json.writeNumberField("ready", summary.state().ready());
        json.writeNumberField("standing", summary.state().standing());
        json.writeNumberField("exitCode", exitCode);
        json.writeArrayFieldStart("problems");
        for (String problem : summary.problems()) {
            json.writeString(problem);
        }
        json.writeEndArray();
    }

    /** What it takes to judge whether the generator was the limit; CPU is that of the measurement alone. */
    private static void generator(JsonGenerator json, Summary summary) throws IOException {
        json.writeObjectFieldStart("generator");
        json.writeNumberField("eventLoops", summary.role().fleet().eventLoops());
        json.writeNumberField("cpuSeconds", summary.recorder().cpuSecondsMeasuring());
        json.writeNumberField("cpuPercentOfOneCore", summary.cpuPercent());
        latencies(json, "loopLag", summary.loopLags());
        latencies(json, "publisherLag", summary.recorder().total().lags());
        json.writeEndObject();
    }

    private static void phases(JsonGenerator json, Recorder recorder) throws IOException {
        json.writeObjectFieldStart("phases");
        for (Phase phase : List.of(Phase.CONNECTING, Phase.MEASURING, Phase.RAMP_DOWN)) {
            Latencies connects = recorder.of(phase).connects();
            double seconds = recorder.seconds(phase);
            json.writeObjectFieldStart(phase.key());
            json.writeNumberField("seconds", seconds);
            json.writeNumberField("connectsPerSecond", seconds == 0 ? 0 : connects.count() / seconds);
            latencies(json, "connect", connects);
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private static void clock(JsonGenerator json, ClockOffset clock) throws IOException {
        json.writeObjectFieldStart("clock");
        json.writeNumberField("machine", clock.machine());
        json.writeBooleanField("known", clock.isKnown());
        json.writeNumberField("serverAheadMicros", clock.micros());
        json.writeNumberField("uncertaintyMicros", clock.isKnown() ? clock.uncertaintyMicros() : 0);
        json.writeEndObject();
    }

    private static void publisherClocks(JsonGenerator json, SubscriberFleet fleet) throws IOException {
        json.writeBooleanField("clocksCorrected", fleet.options().correctClocks());
        json.writeArrayFieldStart("publisherClocks");
        for (ClockComparison.Entry entry : fleet.clocks().entries()) {
            json.writeStartObject();
            json.writeNumberField("machine", entry.machine());
            json.writeNumberField("publishers", entry.publishers());
            json.writeBooleanField("known", entry.known());
            json.writeBooleanField("sameMachine", entry.sameMachine());
            json.writeNumberField("offsetMicros", entry.offsetMicros());
            json.writeNumberField("uncertaintyMicros", entry.uncertaintyMicros());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void findings(JsonGenerator json, SubscriberFleet fleet) throws IOException {
        Findings findings = fleet.findings();
        SubjectList subjects = fleet.options().subjects();
        json.writeObjectFieldStart("findings");
        for (Findings.Kind kind : Findings.Kind.values()) {
            json.writeArrayFieldStart(kind.name().toLowerCase(Locale.ROOT));
            for (Findings.Finding finding : findings.first(kind)) {
                json.writeStartObject();
                json.writeStringField("subject", subjects.text(finding.subject()));
                json.writeNumberField("publisher", finding.publisher());
                json.writeNumberField("client", finding.client());
                json.writeNumberField("from", finding.from());
                json.writeNumberField("to", finding.to());
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        json.writeNumberField("faultyStreams", findings.streams());
        json.writeArrayFieldStart("worstStreams");
        for (Findings.StreamFaults stream : findings.worstStreams(Findings.FIRST_MAX)) {
            json.writeStartObject();
            json.writeStringField("subject", subjects.text(stream.subject()));
            json.writeNumberField("publisher", stream.publisher());
            json.writeNumberField("lost", stream.lost());
            json.writeNumberField("duplicated", stream.duplicated());
            json.writeNumberField("reordered", stream.reordered());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void latencies(JsonGenerator json, String name, Latencies latencies) throws IOException {
        json.writeObjectFieldStart(name);
        json.writeNumberField("count", latencies.count());
        json.writeNumberField("minMillis", latencies.minMillis());
        json.writeNumberField("maxMillis", latencies.maxMillis());
        json.writeNumberField("meanMillis", latencies.meanMillis());
        json.writeNumberField("deviationMillis", latencies.deviationMillis());
        json.writeNumberField("belowZero", latencies.belowZero());
        json.writeNumberField("beyondAnHour", latencies.beyond());
        json.writeObjectFieldStart("percentilesMillis");
        for (double percentile : ReportLines.PERCENTILES) {
            json.writeNumberField(percentileName(percentile), latencies.percentileMillis(percentile));
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private static String percentileName(double percentile) {
        return percentile == Math.rint(percentile) ? Long.toString((long) percentile) : Double.toString(percentile);
    }

    private static void counts(JsonGenerator json, Counts counts) throws IOException {
        json.writeObjectFieldStart("counts");
        for (Count count : Count.values()) {
            json.writeNumberField(count.key(), counts.of(count));
        }
        json.writeEndObject();
    }

    private static void settings(JsonGenerator json, Settings settings) throws IOException {
        json.writeObjectFieldStart("settings");
        for (Key key : settings.keys().keys()) {
            String text = settings.text(key).orElse(null);
            json.writeStringField(key.keyName(), text != null && key.secret() ? Settings.HIDDEN : text);
        }
        json.writeEndObject();
    }
}
