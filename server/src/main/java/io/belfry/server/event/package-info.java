/**
 * Events for the application: bounded queues, and their delivery in batches to endpoints and other receivers. Lanes add events;
 * the package depends on none of them.
 */
@NullMarked
package io.belfry.server.event;

import org.jspecify.annotations.NullMarked;
