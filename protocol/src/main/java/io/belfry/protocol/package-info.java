/**
 * The protocol between clients and servers: subjects, messages, commands, codes and the two encodings. Pure functions
 * and values over buffers; knows nothing of sockets, sessions or the server.
 */
@NullMarked
package io.belfry.protocol;

import org.jspecify.annotations.NullMarked;
