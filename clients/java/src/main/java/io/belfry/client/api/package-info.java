/**
 * The client of the server API for backends: publish, lists, and acts on sessions. It has no connection of a client and no threads of
 * its own, and must not depend on the package of the clients.
 */
@NullMarked
package io.belfry.client.api;

import org.jspecify.annotations.NullMarked;
