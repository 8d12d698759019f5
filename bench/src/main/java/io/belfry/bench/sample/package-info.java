/**
 * Looks at the kernel and at the server's monitor from outside, once a second. It must not know what is being measured.
 */
@NullMarked
package io.belfry.bench.sample;

import org.jspecify.annotations.NullMarked;
