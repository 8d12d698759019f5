/**
 * Alerts about situations in which an operator should act. The server evaluates them, and the rules for Prometheus are
 * generated from them.
 */
@NullMarked
package io.belfry.server.alert;

import org.jspecify.annotations.NullMarked;
