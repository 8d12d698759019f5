/**
 * The command line: one class per subcommand of bin/belfry. It runs a server in the foreground or as a daemon and
 * computes its JVM options. Called by Main; knows the server only as a
 * {@link io.belfry.server.command.ServerLauncher}.
 */
@NullMarked
package io.belfry.server.command;

import org.jspecify.annotations.NullMarked;
