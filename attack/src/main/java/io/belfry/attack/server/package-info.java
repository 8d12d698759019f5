/**
 * The server that is attacked: the operator's configuration moved to loopback, started as a process by bin/belfry, and
 * looked into from outside. Knows the server by its commands, its monitor and the JVM's own tools only.
 */
@NullMarked
package io.belfry.attack.server;

import org.jspecify.annotations.NullMarked;
