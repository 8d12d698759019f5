package io.belfry.server.supervision;

import io.belfry.protocol.Code;
import io.belfry.server.config.DecideConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.entitlement.AskedCommand;
import io.belfry.server.entitlement.CommandDecision;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.DecisionCache;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.session.CommandGate;
import io.belfry.server.session.Outbound;
import io.belfry.server.session.Session;
import io.belfry.server.turn.LongWork;
import io.belfry.server.turn.Turn;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks the application about single commands, and caches its decisions for the time that they name. A session has at most one
 * question under way, and its further commands wait, so its commands keep their order and one client cannot use all requests.
 * Owner: the lane's loop.
 */
public final class CommandQuestions implements CommandGate {
    private static final Decision OVERLOADED =
            new Decision.Denied(Code.OVERLOADED, "publishes that wait for the application exceed Decide.WaitingBytes");

    private record Item(AskedCommand command, int heldBytes, Consumer<Decision> receiver) {}

    /** The questions of a session. */
    private static final class Waiting {
        final Outbound held;
        final Deque<Item> items = new ArrayDeque<>();

        /** Whether the question under way is being sent, so that its answer does not continue the work. */
        boolean sending;

        Waiting(Outbound held) {
            this.held = held;
        }
    }

    private final Turn turn;
    private final LongWork work;
    private final LoopCounters counters;
    private final Decisions decisions;
    private final Function<Session, String> names;
    private final int lanes;
    private final Map<Session, Waiting> waiting = new HashMap<>();
    private DecisionCache<AskedCommand, Decision> cache = new DecisionCache<>(0);
    private long cacheMillis;
    private long bytesMax;
    private long bytes;

    /** Creates the questions of one of {@code lanes} lanes; {@code names} returns the name of a session. */
    public CommandQuestions(
            Turn turn,
            LongWork work,
            LoopCounters counters,
            Decisions decisions,
            Function<Session, String> names,
            Optional<DecideConfig> config,
            int lanes) {
        this.turn = turn;
        this.work = work;
        this.counters = counters;
        this.decisions = decisions;
        this.names = names;
        this.lanes = lanes;
        apply(config);
    }

    /** Applies the settings that can change at run time, and empties the cache. */
    public void reconfigure(Entitlement next, Optional<DecideConfig> config) {
        decisions.reconfigure(next);
        apply(config);
    }

    private void apply(Optional<DecideConfig> config) {
        config.map(DecideConfig::bounds).ifPresent(bounds -> {
            cache = new DecisionCache<>(Math.ceilDiv(bounds.cacheEntries(), lanes));
            cacheMillis = bounds.cacheMillis();
            bytesMax = Math.ceilDiv(bounds.waitingBytes(), lanes);
        });
    }

    /** Refuses late decisions. Called periodically. */
    public void tick() {
        decisions.tick();
    }

    @Override
    public @Nullable Decision known(Session session, AskedCommand.Kind kind, byte[] subject) {
        return waiting.containsKey(session) ? null : cached(command(session, kind, subject));
    }

    private @Nullable Decision cached(AskedCommand command) {
        Decision decision = cache.find(command, turn.nowMillis());
        if (decision != null) {
            counters.increment(Counter.DECISIONS_CACHED);
        }
        return decision;
    }

    private AskedCommand command(Session session, AskedCommand.Kind kind, byte[] subject) {
        return new AskedCommand(
                kind,
                new String(subject, StandardCharsets.UTF_8),
                session.principal().user(),
                names.apply(session));
    }

    @Override
    public void ask(
            Session session, AskedCommand.Kind kind, byte[] subject, int heldBytes, Consumer<Decision> receiver) {
        // One publish always fits, even if it is larger than the share of the lane.
        if (heldBytes > 0 && bytes > 0 && bytes + heldBytes > bytesMax) {
            counters.increment(Counter.DECISIONS_REFUSED);
            receiver.accept(OVERLOADED);
            return;
        }
        bytes += heldBytes;
        Waiting of = waiting.get(session);
        boolean begins = of == null;
        if (of == null) {
            of = new Waiting(session.outbound());
            of.held.holdCommands();
            waiting.put(session, of);
        }
        of.items.add(new Item(command(session, kind, subject), heldBytes, receiver));
        if (begins) {
            proceed(session, of);
        }
    }

    private void proceed(Session session, Waiting of) {
        work.begin(() -> step(session, of));
    }

    /** Handles the next question; returns whether another one can be handled at once. */
    private boolean step(Session session, Waiting of) {
        Item item = session.isClosed() ? null : of.items.poll();
        if (item == null) {
            of.items.forEach(each -> bytes -= each.heldBytes);
            waiting.remove(session);
            of.held.releaseCommands();
            return false;
        }
        Decision known = cached(item.command);
        if (known != null) {
            decided(session, item, known);
            return true;
        }
        of.sending = true;
        boolean answered = decisions.decide(item.command, answer -> onAnswer(session, of, item, answer));
        of.sending = false;
        return answered;
    }

    private void onAnswer(Session session, Waiting of, Item item, CommandDecision answer) {
        long millis = Math.min(answer.ttlMillis(), cacheMillis);
        if (millis > 0) {
            cache.put(item.command, answer.decision(), turn.nowMillis() + millis);
        }
        decided(session, item, answer.decision());
        if (!of.sending) {
            proceed(session, of);
        }
    }

    private void decided(Session session, Item item, Decision decision) {
        bytes -= item.heldBytes;
        if (session.isClosed()) {
            return;
        }
        try {
            item.receiver.accept(decision);
        } catch (RuntimeException failure) {
            // The further commands of the session are still released.
            turn.onFailure(failure);
        }
    }
}
