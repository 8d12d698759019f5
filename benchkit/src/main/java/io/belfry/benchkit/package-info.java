/**
 * The load generators' kit: clients by the ten thousand in one process, open-loop publishing, and figures over every
 * message. Imports every package below; imported by the thin mains of benchpub and benchsub only.
 */
@NullMarked
package io.belfry.benchkit;

import org.jspecify.annotations.NullMarked;
