/** JMH benchmarks of the hot structures, the naive twin of each beside it. Run, never shipped. */
@NullMarked
package io.belfry.microbench;

import org.jspecify.annotations.NullMarked;
