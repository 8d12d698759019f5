/**
 * The connection between the command line and a running server: the run folder with its lock, pid file and control socket,
 * and the line protocol on that socket. Independent of sessions; uses only a
 * {@link io.belfry.server.control.ControlTarget}.
 */
@NullMarked
package io.belfry.server.control;

import org.jspecify.annotations.NullMarked;
