/**
 * How the command line reaches a running server: the run folder with its lock, pid file and control socket, and the line
 * protocol spoken over that socket. Owned by nobody in particular; knows nothing of sessions, only of a
 * {@link io.belfry.server.control.ControlTarget}.
 */
@NullMarked
package io.belfry.server.control;

import org.jspecify.annotations.NullMarked;
