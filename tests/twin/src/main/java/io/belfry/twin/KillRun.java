package io.belfry.twin;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * Kills a process that keeps messages, again and again on the same store, at a random moment: while it starts and takes stock
 * of what the last one left, or while it appends. After each kill every message it had acknowledged must be there.
 *
 * <p>The process dies, the machine does not: what it wrote and the kernel has is not lost. What a power cut does is not
 * shown here.
 */
final class KillRun {
    /** One in so many is killed without waiting for its first word. */
    private static final int STARTING_OF = 6;

    private static final int STARTING_MILLIS = 400;
    private static final int APPENDING_MILLIS = 400;
    private static final int KILLED = 128 + 9;

    private final StoreKind kind;
    private final Path folder;
    private final Workload workload;
    private final SplittableRandom random;
    private int whileStarting;
    private long lost;
    private long wrong;
    private long surplus;

    KillRun(StoreKind kind, Path folder, Workload workload, long seed) {
        this.kind = kind;
        this.folder = folder;
        this.workload = workload;
        random = new SplittableRandom(seed);
    }

    /** Answers whether nothing was lost. */
    boolean run(int kills) throws IOException, InterruptedException {
        long next = 0;
        for (int i = 0; i < kills; i++) {
            long acknowledged = acknowledgedByOneKilled(next);
            try (Store store = kind.open(folder)) {
                Kept kept = Kept.in(store, workload, acknowledged);
                lost += kept.lost();
                wrong += kept.wrong();
                surplus += kept.messages() - acknowledged;
                next = kept.messages();
            }
        }
        System.out.printf(
                "%-18s %d kills, %d of them while starting: %,d messages kept, %,d acknowledged ones lost, %,d wrong or out"
                        + " of order; %,d there that were not acknowledged%n",
                kind.text(), kills, whileStarting, next, lost, wrong, surplus);
        return lost == 0 && wrong == 0;
    }

    private long acknowledgedByOneKilled(long from) throws IOException, InterruptedException {
        boolean starting = random.nextInt(STARTING_OF) == 0;
        Process child = new ProcessBuilder(Twin.command("append", kind, folder, workload.subjects(), from))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said = child.inputReader(StandardCharsets.US_ASCII)) {
            String first = starting ? null : said.readLine();
            Thread killer = kill(child, random.nextInt(starting ? STARTING_MILLIS : APPENDING_MILLIS));
            String last = first;
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                last = line;
            }
            killer.join();
            if (child.waitFor() != KILLED) {
                throw new IllegalStateException(kind.text() + " ended by itself, with " + child.exitValue());
            }
            whileStarting += last == null ? 1 : 0;
            return last == null ? from : Long.parseLong(last);
        } finally {
            child.destroyForcibly();
        }
    }

    private static Thread kill(Process child, int afterMillis) {
        return Thread.ofVirtual().start(() -> {
            try {
                Thread.sleep(afterMillis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            // By its handle: the process itself would close the pipe we read from, and what it said last would be lost.
            child.toHandle().destroyForcibly();
        });
    }
}
