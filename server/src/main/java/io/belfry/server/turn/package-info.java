/**
 * The turns of a lane: the loop that runs them, the time that is constant within one, and the tasks that run in them.
 * Owned by one lane's loop; independent of what a lane does in a turn.
 */
@NullMarked
package io.belfry.server.turn;

import org.jspecify.annotations.NullMarked;
