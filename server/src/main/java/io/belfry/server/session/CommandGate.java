package io.belfry.server.session;

import io.belfry.server.entitlement.AskedCommand;
import io.belfry.server.entitlement.Decision;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Asks the application about commands on the subjects whose options require that. Owner: the lane's loop. */
public interface CommandGate {
    /** Returns the decision if it is known already, or null. */
    @Nullable
    Decision known(Session session, AskedCommand.Kind kind, byte[] subject);

    /**
     * Asks the application. The receiver gets the decision within this call or later; until then further commands of the client
     * wait. It gets none if the session ends before.
     *
     * @param heldBytes bytes that the receiver holds until then
     */
    void ask(Session session, AskedCommand.Kind kind, byte[] subject, int heldBytes, Consumer<Decision> receiver);
}
