/**
 * The two sides of a test: fleets of subscribers that measure, and fleets of publishers that send on a schedule. Joins
 * the clients with the protocol and the figures; knows nothing of files and of printing.
 */
@NullMarked
package io.belfry.benchkit.load;

import org.jspecify.annotations.NullMarked;
