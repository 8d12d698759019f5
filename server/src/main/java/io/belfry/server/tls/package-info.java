/**
 * The TLS identity of the server: loads certificate and key from files, reloads them when they change, and creates
 * the engines that encrypt with them. Owns the contents of the files and the contexts; independent of channels and
 * connections.
 */
@NullMarked
package io.belfry.server.tls;

import org.jspecify.annotations.NullMarked;
