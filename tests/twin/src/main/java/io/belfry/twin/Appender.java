package io.belfry.twin;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The process that is killed: keeps groups of messages and says after each which number comes next, so that all below it are
 * acknowledged. A line is one write to a pipe: it is said whole or not at all.
 */
final class Appender {
    private Appender() {}

    static void run(StoreKind kind, Path folder, Workload workload, long from) throws IOException {
        try (FileOutputStream out = new FileOutputStream(FileDescriptor.out);
                Store store = kind.open(folder)) {
            say(out, from);
            // Ends when it is killed, or when nobody listens any more.
            for (long next = from; ; ) {
                next = workload.appendGroup(store, next);
                say(out, next);
            }
        }
    }

    private static void say(FileOutputStream out, long next) throws IOException {
        out.write((next + "\n").getBytes(StandardCharsets.US_ASCII));
    }
}
