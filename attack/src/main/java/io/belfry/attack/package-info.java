/**
 * {@code bin/belfry attack}: the command line of the attack suite. What it does is in the packages below; nothing of it
 * is ever part of a server.
 */
@NullMarked
package io.belfry.attack;

import org.jspecify.annotations.NullMarked;
