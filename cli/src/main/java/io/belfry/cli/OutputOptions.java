package io.belfry.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import picocli.CommandLine.Option;

/** The option that states how messages are printed, and the output. */
final class OutputOptions {
    private static final int BUFFER_BYTES = 64 << 10;

    @Option(
            names = "--format",
            paramLabel = "FORM",
            defaultValue = "text",
            description = "text, json (one object per line) or data (only the data) (default: ${DEFAULT-VALUE})")
    private ItemFormat format = ItemFormat.TEXT;

    ItemFormat format() {
        return format;
    }

    /** Opens standard output with a buffer, which the caller flushes and closes. */
    static OutputStream open() {
        return new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), BUFFER_BYTES);
    }
}
