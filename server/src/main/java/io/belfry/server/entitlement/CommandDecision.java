package io.belfry.server.entitlement;

import io.belfry.protocol.Code;

/**
 * The decision of the application about a command. Immutable.
 *
 * @param ttlMillis time for which an equal command has this decision; 0 for none
 */
public record CommandDecision(Decision decision, long ttlMillis) {
    /** The decision of an entitlement that asks no application. */
    static final CommandDecision NO_APPLICATION = new CommandDecision(
            new Decision.Denied(Code.INTERNAL, "no application decides about commands; Entitlement is not Http"), 0);

    /** Returns a refusal that a fault caused; it is not cached. */
    public static CommandDecision of(Entitlement.Answer.Rejected fault) {
        return new CommandDecision(new Decision.Denied(fault.code(), fault.reason()), 0);
    }
}
