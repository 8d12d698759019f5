/**
 * The keys of benchpub and benchsub, and the conversion of settings to options of fleets and runs. Imports the settings and
 * the fleets' options; must not open sockets.
 */
@NullMarked
package io.belfry.benchkit.config;

import org.jspecify.annotations.NullMarked;
