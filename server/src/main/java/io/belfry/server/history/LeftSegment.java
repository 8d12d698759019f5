package io.belfry.server.history;

import org.jspecify.annotations.Nullable;

/** A segment whose records have all left; its file, of which it may be a mapping, is still there. Immutable. */
public record LeftSegment(long number, @Nullable MappedFile file) {
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
