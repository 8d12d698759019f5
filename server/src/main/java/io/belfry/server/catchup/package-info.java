/**
 * Sessions that are not at the latest message of all their subjects: their places, the reads that bring them forward, and
 * the policy for those that are too slow. Owned by the lane's loop; independent of commands and subscriptions.
 */
@NullMarked
package io.belfry.server.catchup;

import org.jspecify.annotations.NullMarked;
