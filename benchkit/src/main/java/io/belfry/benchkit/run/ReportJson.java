package io.belfry.benchkit.run;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.Latencies;
import io.belfry.benchkit.measure.ReportLines;
import io.belfry.settings.Key;
import io.belfry.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The figures of a whole run as one JSON object. Pure, but for the file it writes. */
final class ReportJson {
    private ReportJson() {}

    /** What the report tells beside the figures. */
    record Run(
            String program,
            long startMillis,
            double measuredSeconds,
            double cpuSeconds,
            int clients,
            int ready,
            int exitCode,
            List<String> problems) {}

    static void write(Path file, Run run, Figures figures, Settings settings) throws IOException {
        try (JsonGenerator json =
                new JsonFactory().createGenerator(Files.newBufferedWriter(file)).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            run(json, run);
            latencies(json, "latency", figures.latencies());
            latencies(json, "connect", figures.connects());
            latencies(json, "lag", figures.lags());
            counts(json, figures.counts());
            settings(json, settings);
            json.writeEndObject();
        }
    }

    private static void run(JsonGenerator json, Run run) throws IOException {
        json.writeStringField("program", run.program());
        json.writeNumberField("startMillis", run.startMillis());
        json.writeNumberField("measuredSeconds", run.measuredSeconds());
        json.writeNumberField("cpuSeconds", run.cpuSeconds());
        json.writeNumberField("clients", run.clients());
        json.writeNumberField("ready", run.ready());
        json.writeNumberField("exitCode", run.exitCode());
        json.writeArrayFieldStart("problems");
        for (String problem : run.problems()) {
            json.writeString(problem);
        }
        json.writeEndArray();
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
