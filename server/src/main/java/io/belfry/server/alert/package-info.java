/** The alerts: when an operator should act, evaluated in the server and generated for Prometheus. */
@NullMarked
package io.belfry.server.alert;

import org.jspecify.annotations.NullMarked;
