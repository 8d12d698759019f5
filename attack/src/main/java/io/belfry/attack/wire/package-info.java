/**
 * Connections to the server under attack, byte by byte and able to break every rule. Written from the RFCs, with nothing
 * of the server's codecs in it.
 */
@NullMarked
package io.belfry.attack.wire;

import org.jspecify.annotations.NullMarked;
