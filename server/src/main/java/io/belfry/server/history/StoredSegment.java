package io.belfry.server.history;

/**
 * A segment as it was found on disk: its records end at {@code end}, whatever else the file has. {@code afterHole} says
 * that something before it is lost. Immutable.
 */
public record StoredSegment(long number, MappedFile file, int end, boolean afterHole) {}
