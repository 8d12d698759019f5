/**
 * Belfry's history on disk beside RocksDB, on the same messages: what each costs, and what each has after it was killed. A
 * program for whoever doubts decision 0018; nothing of the server depends on it.
 */
@NullMarked
package io.belfry.twin;

import org.jspecify.annotations.NullMarked;
