/**
 * Checks whether this host can carry what the configuration promises: reads the facts of kernel and JVM, and applies pure
 * checks to them; each finding has a line that fixes it. Changes nothing and does not use a running server.
 */
@NullMarked
package io.belfry.server.doctor;

import org.jspecify.annotations.NullMarked;
