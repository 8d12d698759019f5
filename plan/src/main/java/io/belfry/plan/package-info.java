/**
 * {@code bin/belfry plan}: the command line of the capacity model and of the simulation. They need no server and no
 * network; what they reckon is in the packages below.
 */
@NullMarked
package io.belfry.plan;

import org.jspecify.annotations.NullMarked;
