/** The driver of the Java client: uses the client as an application does and speaks the protocol of PROTOCOL.md. */
@NullMarked
package io.belfry.clients.driver;

import org.jspecify.annotations.NullMarked;
