package io.belfry.attack.server;

/**
 * A server's memory at a moment. Immutable.
 *
 * @param heapBytes used after a full collection
 * @param residentBytes what the process has of the machine's, the whole heap included; 0 where the system does not tell
 * @param historyBytes of the resident ones, what history holds by the server's own count: CacheMemory bounds them
 */
public record Memory(long heapBytes, long residentBytes, long historyBytes) {
    /** Resident without history, which is meant to be kept. */
    public long apartFromHistory() {
        return Math.max(0, residentBytes - historyBytes);
    }
}
