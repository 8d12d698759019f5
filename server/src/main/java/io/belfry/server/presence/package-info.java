/**
 * Presence: which users subscribe to a subject, published on a subject of the server. Owned by lanes; knows sessions by their users
 * only, and must not know connections, protocols or the order of messages.
 */
@NullMarked
package io.belfry.server.presence;

import org.jspecify.annotations.NullMarked;
