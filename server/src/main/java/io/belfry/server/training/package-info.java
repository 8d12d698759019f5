/**
 * Clients that train a server while its JVM records the AOT cache: they use each transport often enough for the JVM to profile it.
 * They are plain sockets, because they run on the same machine and must not depend on a client. The package knows the protocol as
 * bytes only, and no class of the server.
 */
@NullMarked
package io.belfry.server.training;

import org.jspecify.annotations.NullMarked;
