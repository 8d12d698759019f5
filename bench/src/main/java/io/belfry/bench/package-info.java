/** The programs {@code bin/bench} and {@code bin/benchsub report}: command lines, nothing that measures. */
@NullMarked
package io.belfry.bench;

import org.jspecify.annotations.NullMarked;
