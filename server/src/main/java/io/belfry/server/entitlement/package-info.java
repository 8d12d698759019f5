/**
 * Who may do what: decisions on tokens, subscriptions and publishes. Knows nothing of sessions.
 */
@NullMarked
package io.belfry.server.entitlement;

import org.jspecify.annotations.NullMarked;
