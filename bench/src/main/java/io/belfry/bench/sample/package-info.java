/**
 * Observes processes from outside, once a second, through the kernel and the server's monitor. Must not know what is being
 * measured.
 */
@NullMarked
package io.belfry.bench.sample;

import org.jspecify.annotations.NullMarked;
