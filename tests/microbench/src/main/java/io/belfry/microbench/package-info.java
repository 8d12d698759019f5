/** JMH benchmarks of performance-critical structures, each with a naive alternative. Not part of any release. */
@NullMarked
package io.belfry.microbench;

import org.jspecify.annotations.NullMarked;
