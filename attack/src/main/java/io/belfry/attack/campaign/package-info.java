/**
 * One attack after the other against one server, a verdict on each, and the account at the end. The only package that
 * knows server, witness and attacks together.
 */
@NullMarked
package io.belfry.attack.campaign;

import org.jspecify.annotations.NullMarked;
