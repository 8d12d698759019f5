package io.belfry.attack.run;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.belfry.attack.run.AttackResult.Figures;
import io.belfry.attack.run.ClientFigures.NewClientFigures;
import io.belfry.benchkit.measure.Texts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The results of all attacks, as lines of text and as a JSON file. Immutable.
 *
 * @param planned number of attacks that were to run
 */
public record AttackReport(List<AttackResult> results, int planned) {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    /** Returns whether every planned attack ran or was skipped, and the server held. */
    public boolean passed() {
        return results.size() == planned && results.stream().allMatch(AttackResult::passed);
    }

    /** Returns the totals as one line. */
    public String summary() {
        String missing = results.size() == planned ? "" : ", " + (planned - results.size()) + " not started";
        return Stream.of("held", "gave way", "skipped")
                .map(verdict -> count(verdict) + " " + verdict)
                .collect(Collectors.joining(", ", "", missing));
    }

    private long count(String verdict) {
        return results.stream()
                .filter(result -> result.verdict().equals(verdict))
                .count();
    }

    static String head() {
        return line("attack", "verdict", "client p99", "lost", "new", "peak", "memory", "heap", "observations");
    }

    static String line(AttackResult result) {
        String observations = String.join("; ", observations(result));
        return result.figures()
                .map(figures -> line(result, figures, observations))
                .orElseGet(() -> line(result.name(), result.verdict(), "", "", "", "", "", "", observations));
    }

    private static List<String> observations(AttackResult result) {
        return Stream.concat(result.faults().stream(), result.notes().stream()).toList();
    }

    private static String line(AttackResult result, Figures figures, String observations) {
        ClientFigures seen = figures.clients();
        NewClientFigures newClients = seen.newClients();
        long peak = Math.max(0, figures.peakBytes() - figures.before().residentBytes());
        return line(
                result.name(),
                result.verdict(),
                Texts.format("%.1f ms", seen.p99Millis()),
                seen.lost(),
                newClients.newcomers() + "/" + (newClients.newcomers() + newClients.turnedAway()),
                figures.peakBytes() == 0 ? "" : Texts.format("+%.1f MB", peak / 0x1p20),
                change(figures.before().apartFromHistory(), figures.after().apartFromHistory()),
                change(figures.before().heapBytes(), figures.after().heapBytes()),
                observations);
    }

    private static String change(long before, long after) {
        return Texts.format("%+.1f%%", before == 0 ? 0 : 100.0 * (after - before) / before);
    }

    private static String line(Object... cells) {
        return Texts.format("%-20s %-9s %11s %6s %10s %9s %8s %8s  %s", cells).stripTrailing();
    }

    /** Writes the results to a JSON file. */
    public void write(Path file) throws IOException {
        ObjectNode root = JSON.createObjectNode();
        root.put("held", results.stream().allMatch(AttackResult::passed));
        ArrayNode attacks = root.putArray("attacks");
        for (AttackResult result : results) {
            ObjectNode node = attacks.addObject().put("name", result.name()).put("verdict", result.verdict());
            result.figures()
                    .ifPresentOrElse(
                            figures -> addFigures(node, result, figures),
                            () -> node.put("reason", String.join("; ", observations(result))));
        }
        Files.writeString(file, JSON.writeValueAsString(root) + "\n");
    }

    private static void addFigures(ObjectNode node, AttackResult result, Figures figures) {
        ObjectNode clients = JSON.valueToTree(figures.clients());
        clients.remove("incidents");
        clients.setAll((ObjectNode) clients.remove("newClients"));
        node.putPOJO("faults", result.faults())
                .putPOJO("seen", result.notes())
                .put("seconds", figures.seconds())
                .putPOJO("witness", clients)
                .putPOJO("memoryBefore", figures.before())
                .putPOJO("memoryAfter", figures.after())
                .put("memoryPeakBytes", figures.peakBytes());
    }
}
