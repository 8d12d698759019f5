/**
 * Belfry from the outside: servers in processes of their own, real sockets, and clients nobody here wrote. Nothing here
 * looks inside a server; what a test knows, a client could know.
 */
@NullMarked
package io.belfry.integration;

import org.jspecify.annotations.NullMarked;
