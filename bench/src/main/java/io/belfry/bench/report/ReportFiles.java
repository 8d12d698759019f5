package io.belfry.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes a report as JSON and as one self-contained HTML page. Pure, but for the files. */
public final class ReportFiles {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern PLACE = Pattern.compile("\\{\\{(\\w+)}}");

    private ReportFiles() {}

    /** Writes {@code html} and a JSON file of the same name next to it. */
    public static void write(BenchReport report, Path html) throws IOException {
        Path folder = html.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        Files.writeString(jsonBeside(html), json(report));
        Files.writeString(html, html(report));
    }

    /** The JSON file next to an HTML file. */
    public static Path jsonBeside(Path html) {
        String name = String.valueOf(html.getFileName()).replaceFirst("\\.html?$", "");
        return html.resolveSibling(name + ".json");
    }

    /** The JSON form of a report. */
    public static String json(BenchReport report) throws JsonProcessingException {
        return JSON.writer(SerializationFeature.INDENT_OUTPUT).writeValueAsString(report) + "\n";
    }

    static String html(BenchReport report) throws IOException {
        Map<String, String> parts = new LinkedHashMap<>();
        parts.put("title", escaped(report.heading().title() + " - Belfry bench"));
        parts.put("css", resource("report.css"));
        // Inside a script element only '<' could end the element.
        parts.put("data", JSON.writeValueAsString(report).replace("<", "\\u003c"));
        parts.put("notice", resource("echarts-notice.txt"));
        parts.put("charts", resource("echarts.common.min.js"));
        parts.put("js", resource("report.js"));
        Matcher places = PLACE.matcher(resource("report.html"));
        return places.replaceAll(place -> Matcher.quoteReplacement(parts.getOrDefault(place.group(1), "")));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = ReportFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException(name + " is missing in the jar: build the project again");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).stripTrailing();
        }
    }
}
