package io.belfry.attack.campaign;

import io.belfry.benchkit.run.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * All verdicts of a campaign. Immutable.
 *
 * @param planned how many attacks there were to be
 */
public record Account(List<Verdict> verdicts, int planned) {
    public Account {
        verdicts = List.copyOf(verdicts);
    }

    /** Prints the last lines and writes the file; the exit code. */
    public int close(PrintWriter out, Optional<Path> json) throws IOException {
        if (json.isPresent()) {
            Report.write(verdicts, json.get());
        }
        out.println();
        out.println(sentence());
        out.flush();
        return isWell() ? ExitCode.WELL : ExitCode.FAILED;
    }

    /** A campaign that was cut short has shown nothing of the rest. */
    boolean isWell() {
        return verdicts.size() == planned && verdicts.stream().allMatch(Verdict::isWell);
    }

    private String sentence() {
        long skipped = verdicts.stream()
                .filter(verdict -> verdict instanceof Verdict.Skipped)
                .count();
        long gaveWay = verdicts.stream().filter(verdict -> !verdict.isWell()).count();
        long held = verdicts.size() - skipped - gaveWay;
        String missing = verdicts.size() == planned ? "" : ", " + (planned - verdicts.size()) + " not begun";
        return held + " held, " + gaveWay + " gave way, " + skipped + " skipped" + missing;
    }
}
