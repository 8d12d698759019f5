/**
 * The keys of benchpub and benchsub and what they make of them: options for the fleets and for the run. Imports the
 * settings and the fleets' options; opens no socket.
 */
@NullMarked
package io.belfry.benchkit.config;

import org.jspecify.annotations.NullMarked;
