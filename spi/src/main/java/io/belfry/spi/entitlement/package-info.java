/**
 * What an entitlement of one's own is written against: the server asks, an {@link
 * io.belfry.spi.entitlement.EntitlementProvider} answers. Knows nothing of the server. docs/entitlement.md has a whole
 * example.
 */
@NullMarked
package io.belfry.spi.entitlement;

import org.jspecify.annotations.NullMarked;
