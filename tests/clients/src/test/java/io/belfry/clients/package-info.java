/**
 * The behaviour suite of all clients: a runner that starts each client's driver, owns servers and proxies, and checks
 * the events that the client reports. PROTOCOL.md describes the drivers.
 */
@NullMarked
package io.belfry.clients;

import org.jspecify.annotations.NullMarked;
