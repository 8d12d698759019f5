/** The programs {@code bin/bench} and {@code bin/benchsub report}: command lines only, no measurement. */
@NullMarked
package io.belfry.bench;

import org.jspecify.annotations.NullMarked;
