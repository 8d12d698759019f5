/**
 * Histories in files: writes a lane's log on a thread of its own, and at start reads what is there, says what of it can be
 * trusted and whether positions of before still hold. Knows files and threads; knows nothing of sessions, lanes or sockets.
 */
@NullMarked
package io.belfry.server.disk;

import org.jspecify.annotations.NullMarked;
