/**
 * The program: Main, and the only class that constructs across packages. Knows all the others; none knows it.
 */
@NullMarked
package io.belfry.server;

import org.jspecify.annotations.NullMarked;
