/**
 * Requests that the server sends to the application: signed POSTs within bounds of time and size, to configured addresses
 * only. Independent of what the requests mean.
 */
@NullMarked
package io.belfry.server.callback;

import org.jspecify.annotations.NullMarked;
