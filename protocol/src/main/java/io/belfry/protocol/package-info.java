/**
 * What crosses the wire and means the same on every side of it: subjects, messages, commands, codes and the two
 * encodings. Pure functions and values over buffers; knows nothing of sockets, sessions or the server.
 */
@NullMarked
package io.belfry.protocol;

import org.jspecify.annotations.NullMarked;
