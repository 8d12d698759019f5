/**
 * The demo: a server as a child process, subscribers and a publisher in this process, a line of figures each second, and
 * the totals at the end. Imports the load generators; knows only the output of the server.
 */
@NullMarked
package io.belfry.benchkit.demo;

import org.jspecify.annotations.NullMarked;
