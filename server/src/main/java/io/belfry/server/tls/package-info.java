/**
 * Who the server is to clients that encrypt: its certificate and key, read from files and read again when they change, and
 * the engines that encrypt with them. Owns the files' contents and the contexts made of them; knows no channels and no
 * connections.
 */
@NullMarked
package io.belfry.server.tls;

import org.jspecify.annotations.NullMarked;
