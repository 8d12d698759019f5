package io.belfry.server.event;

import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The server that events come from. Immutable.
 *
 * @param node name of the node, which is known after the start
 * @param run number of this start, greater than that of each earlier one
 * @param nowMillis the time in milliseconds since 1970
 * @param messageBytesMax maximum bytes of an event as a message
 */
public record EventSource(Supplier<String> node, long run, LongSupplier nowMillis, int messageBytesMax) {}
