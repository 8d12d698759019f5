/**
 * What was published, kept for those who come back: a segmented append-only log with links from each message to its
 * subject's message before it, the retained messages, and the index of message ids. Owned by the lane whose subjects
 * these are; knows nothing of sessions, lanes or sockets.
 */
@NullMarked
package io.belfry.server.history;

import org.jspecify.annotations.NullMarked;
