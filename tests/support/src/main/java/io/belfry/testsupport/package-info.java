/**
 * What the tests of all modules share: JUnit extensions that fail a test class for faults which no assertion sees (leaked Netty
 * buffers, uncaught exceptions, exceptions that an event loop only logs), and the programs that a machine may lack. Knows
 * JUnit, Netty and Logback, and nothing of Belfry but the beginning of its error messages.
 */
@NullMarked
package io.belfry.testsupport;

import org.jspecify.annotations.NullMarked;
