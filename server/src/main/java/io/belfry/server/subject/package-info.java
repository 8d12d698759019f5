/**
 * The subjects of a lane and their subscribers: a byte-keyed table to dense ids, columns beside it, subscriber
 * lists, and the trie of patterns. Owned by one lane's loop; independent of sockets, session state and threads.
 */
@NullMarked
package io.belfry.server.subject;

import org.jspecify.annotations.NullMarked;
