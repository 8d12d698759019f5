package io.belfry.server.session;

import io.belfry.protocol.Position;
import org.jspecify.annotations.Nullable;

/**
 * How a session wants a subject. Immutable.
 *
 * @param from everything after it first
 * @param history so many of the latest first, where there is no {@code from}
 * @param conflateMillis at most one message in this time, the latest; 0 = all
 * @param follow false reads the past only
 */
public record Terms(@Nullable Position from, int history, int conflateMillis, boolean follow) {}
