package io.belfry.attack.run;

import java.util.Set;

/**
 * The state of the server between two attacks. Immutable.
 *
 * @param openFiles open files and sockets; 0 if the system does not report them
 * @param loops thread names of the event loops that are alive
 * @param loopFailures exceptions that reached the end of a turn of an event loop
 */
public record ServerSnapshot(Memory memory, int openFiles, Set<String> loops, long loopFailures, long logBytes) {
    /**
     * Memory of the server process.
     *
     * @param heapBytes in use after a full collection
     * @param residentBytes resident set size, including the whole heap; 0 if the system does not report it
     * @param historyBytes of the resident bytes, those of the history by the server's own counter; bounded by CacheMemory
     */
    public record Memory(long heapBytes, long residentBytes, long historyBytes) {
        /** Returns the resident bytes without the history, which grows by design. */
        public long apartFromHistory() {
            return Math.max(0, residentBytes - historyBytes);
        }
    }
}
