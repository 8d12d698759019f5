/**
 * The interface for entitlement code outside the server: the server asks, and an {@link
 * io.belfry.spi.entitlement.EntitlementProvider} decides. Knows nothing of the server. docs/entitlement.md has a
 * complete example.
 */
@NullMarked
package io.belfry.spi.entitlement;

import org.jspecify.annotations.NullMarked;
