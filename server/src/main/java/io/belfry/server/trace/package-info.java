/**
 * Spans of traced HTTP calls: which calls are traced, and the bounded queue of ended spans. Any thread. It must not know
 * how spans are exported, and its classes never wait.
 */
@NullMarked
package io.belfry.server.trace;

import org.jspecify.annotations.NullMarked;
