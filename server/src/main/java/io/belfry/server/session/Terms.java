package io.belfry.server.session;

import io.belfry.protocol.Position;
import org.jspecify.annotations.Nullable;

/**
 * The options of a subscription. Immutable.
 *
 * @param from the position to recover from
 * @param history number of the latest messages to send first, without {@code from}
 * @param conflateMillis minimum time between two messages, of which the latest is delivered; 0 = no conflation
 * @param follow false to read past messages only
 */
public record Terms(@Nullable Position from, int history, int conflateMillis, boolean follow) {}
