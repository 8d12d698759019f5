/**
 * The command line: one class per subcommand of bin/belfry, how a server is run in the foreground or as a daemon, and
 * with which JVM options. Owned by Main; knows the server only as a {@link io.belfry.server.command.ServerLauncher}.
 */
@NullMarked
package io.belfry.server.command;

import org.jspecify.annotations.NullMarked;
