/**
 * Tests of Belfry from outside: real sockets, servers as users run them, and clients of other projects. No test uses
 * the internals of a server; a test has only the knowledge of a client.
 */
@NullMarked
package io.belfry.integration;

import org.jspecify.annotations.NullMarked;
