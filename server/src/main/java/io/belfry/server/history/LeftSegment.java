package io.belfry.server.history;

import org.jspecify.annotations.Nullable;

/** A segment without remaining records whose file, which it may be a mapping of, still exists. Immutable. */
public record LeftSegment(long number, @Nullable MappedFile file) {
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
