/**
 * The attacks, each bounded in count and time, with the reactions that the server must show, and their connections, which
 * also send invalid bytes. They know a target and the settings in effect; the package {@code run} checks effects on the
 * server's memory and on regular clients.
 */
@NullMarked
package io.belfry.attack.attacks;

import org.jspecify.annotations.NullMarked;
