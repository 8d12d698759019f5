/**
 * Lanes: one thread each that owns sessions, the subjects that hash to it and their history. A lane assembles its parts, which
 * know each other only by narrow interfaces, and runs their turns. A workgroup is a name for one or several lanes.
 *
 * <pre>
 *   session -> EdgeCommands --ToHome--> Home -> Broker -> Home --ToEdge--> Edge -> FanOut -> sessions
 *              (its lane)               (the subject's lane)               (each interested lane)
 * </pre>
 *
 * <p>Independent of sockets.
 */
@NullMarked
package io.belfry.server.workgroup;

import org.jspecify.annotations.NullMarked;
