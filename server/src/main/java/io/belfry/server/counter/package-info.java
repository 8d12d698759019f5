/**
 * What the server counts: every counter with its unit and sentence, one padded array of them per loop with a single
 * writer, and the latency recorders. Read by anyone, written by the owning loop; knows nothing of sessions.
 */
@NullMarked
package io.belfry.server.counter;

import org.jspecify.annotations.NullMarked;
