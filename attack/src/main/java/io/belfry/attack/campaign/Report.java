package io.belfry.attack.campaign;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.attack.server.Memory;
import io.belfry.attack.witness.Testimony;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Verdicts as a JSON file, for scripts. Pure, but for the file. */
final class Report {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private Report() {}

    static void write(List<Verdict> verdicts, Path file) throws IOException {
        ObjectNode root = JSON.createObjectNode();
        root.put("held", verdicts.stream().allMatch(Verdict::isWell));
        ArrayNode all = root.putArray("attacks");
        verdicts.forEach(verdict -> verdict(all.addObject(), verdict));
        Files.writeString(file, JSON.writeValueAsString(root) + "\n");
    }

    private static void verdict(ObjectNode node, Verdict verdict) {
        node.put("name", verdict.name());
        switch (verdict) {
            case Verdict.Skipped skipped -> node.put("verdict", "skipped").put("reason", skipped.reason());
            case Verdict.Broken broken -> node.put("verdict", "gave way").put("reason", broken.reason());
            case Verdict.Fought fought -> fought(node, fought);
        }
    }

    private static void fought(ObjectNode node, Verdict.Fought fought) {
        node.put("verdict", fought.held() ? "held" : "gave way");
        fought.faults().forEach(node.putArray("faults")::add);
        fought.did().forEach(node.putArray("seen")::add);
        node.put("seconds", fought.seconds());
        witness(node.putObject("witness"), fought.testimony());
        memory(node.putObject("memoryBefore"), fought.before());
        memory(node.putObject("memoryAfter"), fought.after());
        node.put("memoryPeakBytes", fought.peakBytes());
    }

    private static void witness(ObjectNode node, Testimony seen) {
        node.put("delivered", seen.delivered())
                .put("p50Millis", seen.p50Millis())
                .put("p99Millis", seen.p99Millis())
                .put("maxMillis", seen.maxMillis())
                .put("lost", seen.lost())
                .put("unanswered", seen.unanswered())
                .put("disturbed", seen.disturbed())
                .put("disconnected", seen.disconnected())
                .put("newcomers", seen.newcomers())
                .put("turnedAway", seen.turnedAway())
                .put("newcomerMaxMillis", seen.newcomerMaxMillis());
    }

    private static void memory(ObjectNode node, Memory memory) {
        node.put("heapBytes", memory.heapBytes())
                .put("residentBytes", memory.residentBytes())
                .put("historyBytes", memory.historyBytes());
    }
}
