/**
 * Whether this host can carry what the configuration promises: a reader of what the kernel and the JVM say about
 * themselves, and pure checks over what it read, each shortfall with the line that mends it. Owned by nobody; changes
 * nothing and knows no running server.
 */
@NullMarked
package io.belfry.server.doctor;

import org.jspecify.annotations.NullMarked;
