/**
 * Honest clients that use the server while it is attacked, and what they can testify afterwards. Knows nothing of the
 * attacks.
 */
@NullMarked
package io.belfry.attack.witness;

import org.jspecify.annotations.NullMarked;
