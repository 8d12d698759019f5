package io.belfry.server.broker;

import org.jspecify.annotations.Nullable;

/**
 * Reports which users of this node are members of subjects to all nodes, this one included. Subjects are named by their presence
 * subjects. Any thread; the calls of one thread keep their order.
 */
public interface MemberReports {
    /** Starts the exchange if it has not started yet: a subject has members from now on. */
    void begin();

    /** Called when a session of the user becomes one of a member; {@code info} is JSON text. */
    void enter(byte[] subject, String user, @Nullable String info);

    /** Called when a session of the user ends to be one of a member. */
    void leave(byte[] subject, String user);
}
