/** The command line of {@code bin/belfry attack}. The server never depends on this module. */
@NullMarked
package io.belfry.attack;

import org.jspecify.annotations.NullMarked;
