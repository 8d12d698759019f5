/**
 * Which subjects a lane knows and who follows them: a byte-keyed table to dense ids, columns beside it, subscriber
 * lists, and the trie of patterns. Owned by one lane's loop; knows nothing of sockets, sessions' state or threads.
 */
@NullMarked
package io.belfry.server.subject;

import org.jspecify.annotations.NullMarked;
