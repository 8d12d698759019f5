/**
 * Fleets of subscribers that measure and verify, and fleets of publishers that send on a schedule. Connects the client
 * library to the protocol and the measurement; must not know files or printing.
 */
@NullMarked
package io.belfry.benchkit.load;

import org.jspecify.annotations.NullMarked;
