/**
 * Permissions: decisions on tokens, subscriptions and publishes. Independent of sessions.
 */
@NullMarked
package io.belfry.server.entitlement;

import org.jspecify.annotations.NullMarked;
