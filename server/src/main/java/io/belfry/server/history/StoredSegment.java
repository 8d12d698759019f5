package io.belfry.server.history;

/**
 * A segment as found on disk: its records end at {@code end}, whatever follows in the file. {@code afterHole} means
 * that a part of the log before it is lost. Immutable.
 */
public record StoredSegment(long number, MappedFile file, int end, boolean afterHole) {}
