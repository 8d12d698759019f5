/**
 * The demo: a server as a child process, subscribers and a publisher in this one, a line of figures each second and the
 * account at the end. Imports the load generators; knows the server by its output only.
 */
@NullMarked
package io.belfry.benchkit.demo;

import org.jspecify.annotations.NullMarked;
