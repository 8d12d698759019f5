/** The client for the command line: {@code bin/belfry sub}, {@code pub}, {@code history} and {@code top}. */
@NullMarked
package io.belfry.cli;

import org.jspecify.annotations.NullMarked;
