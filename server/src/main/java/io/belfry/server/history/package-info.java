/**
 * The history of messages, kept for recovery: a segmented append-only log in which each message is linked to the previous
 * one of its subject, the retained messages, and the index of message ids. Owned by the lane of the subjects;
 * independent of sessions, lanes and sockets.
 */
@NullMarked
package io.belfry.server.history;

import org.jspecify.annotations.NullMarked;
