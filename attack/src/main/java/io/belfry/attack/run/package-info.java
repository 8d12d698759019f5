/**
 * Runs the attacks one after the other against a server, with regular clients beside them, assesses each and reports. The
 * server has the operator's configuration moved to loopback, is started by bin/belfry and observed from outside. The only
 * package that knows the server, the regular clients and the attacks together.
 */
@NullMarked
package io.belfry.attack.run;

import org.jspecify.annotations.NullMarked;
