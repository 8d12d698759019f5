/** The client for the command line: {@code bin/belfry sub}, {@code pub} and {@code history}. */
@NullMarked
package io.belfry.cli;

import org.jspecify.annotations.NullMarked;
