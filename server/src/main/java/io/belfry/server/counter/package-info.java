/**
 * The server's counters: every counter with its unit and sentence, one padded array per loop with a single
 * writer, and the latency recorders. Read by any thread, written by the owning loop; independent of sessions.
 */
@NullMarked
package io.belfry.server.counter;

import org.jspecify.annotations.NullMarked;
