package io.belfry.server.session;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.SubscribeRequest;
import io.belfry.server.config.LimitConfig;
import io.belfry.server.config.MessageConfig;
import io.belfry.server.config.SubjectOptions;
import io.belfry.server.config.SubjectRules;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.entitlement.AskedCommand;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.subject.SubjectKey;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks a client's commands against permissions, rates and limits, and passes the accepted ones to the lane; the decoder has
 * checked their form. The commands of all protocols enter here, and no other class asks for the permission of a command.
 * Owner: the lane's loop; one object serves all its sessions, and is given the session before each frame.
 */
public final class Commands implements CommandHandler {
    /** Number of invalid frames or too large messages after which the session is closed. */
    private static final int FAULTS_MAX = 16;

    /** Subjects of a command that are processed in one turn whatever their time. */
    private static final int SUBJECTS_AT_ONCE = 64;

    private final Routing routing;
    private final PublishRouting publisher;
    private final CommandGate gate;
    private final LoopCounters counters;
    private LimitConfig limits;
    private int addressPublishRate;
    private int userPublishRate;
    private int userCommandRate;
    private final UserShare publishesOfUsers;
    private final UserShare commandsOfUsers;
    private SubjectRules rules;
    private boolean opensPublishing;
    private boolean asksToSubscribe;
    private boolean asksToPublish;
    private final MessageConfig messages;
    private final SubjectKey key;
    private @Nullable Session current;

    public Commands(
            Routing routing,
            PublishRouting publisher,
            CommandGate gate,
            UserShare publishesOfUsers,
            UserShare commandsOfUsers,
            LoopCounters counters,
            LimitConfig limits,
            MessageConfig messages,
            SubjectRules rules,
            SubjectKey key) {
        this.routing = routing;
        this.publisher = publisher;
        this.gate = gate;
        this.publishesOfUsers = publishesOfUsers;
        this.commandsOfUsers = commandsOfUsers;
        this.counters = counters;
        this.limits = limits;
        apply(limits);
        this.rules = rules;
        apply(rules);
        this.messages = messages;
        this.key = key;
    }

    /** Sets the session of the commands that follow. */
    public Commands of(Session session) {
        current = session;
        return this;
    }

    public void reconfigure(LimitConfig next, SubjectRules nextRules) {
        apply(next);
        apply(nextRules);
    }

    private void apply(LimitConfig next) {
        limits = next;
        addressPublishRate = next.ofAddress().publishRate();
        userPublishRate = next.held().users().publishRate();
        userCommandRate = next.held().users().commandRate();
    }

    private void apply(SubjectRules next) {
        rules = next;
        opensPublishing = next.any(options -> options.publish() != SubjectOptions.Publishers.PERMITTED);
        asksToSubscribe = next.any(options -> options.decisions().ofSubscribe());
        asksToPublish = next.any(options -> options.decisions().ofPublish());
    }

    private Session session() {
        return java.util.Objects.requireNonNull(current, "of() was not called before a frame");
    }

    @Override
    public void onConnect(long id, ConnectRequest request) {
        if (!isWithinRate(id, null)) {
            return;
        }
        if (request.client() != null && !limits.held().clients().enabled()) {
            refuse(id, Code.UNSUPPORTED, "Session.ClientNames is off", null);
        } else {
            routing.authenticate(session(), id, request);
        }
    }

    @Override
    public void onPublish(PublishRequest request) {
        counters.increment(Counter.PUBLISHES_IN);
        Session session = session();
        key.set(request.buffer(), request.subjectOffset(), request.subjectLength());
        publish(session, request, mayPublish(session.principal(), key.bytes(), key.length()));
    }

    /**
     * Decides on a publish before its data is read, for a protocol that sends the subject first. A denial counts as a refused
     * publish, which the caller answers. After a permission, {@link #onPermittedPublish} follows.
     */
    public Decision mayPublish(byte[] subject) {
        Decision decision = mayPublish(session().principal(), subject, subject.length);
        if (decision instanceof Decision.Denied) {
            counters.increment(Counter.PUBLISHES_IN);
            counters.increment(Counter.PUBLISHES_REFUSED);
        }
        return decision;
    }

    private Decision mayPublish(Principal principal, byte[] subject, int length) {
        Decision decision = principal.mayPublish(subject, length, routing.nowMillis());
        return opensPublishing && decision instanceof Decision.Denied denied && denied.code() == Code.PUBLISH_DENIED
                ? byOption(principal, subject, length, denied)
                : decision;
    }

    /** Decides where the entitlement gives no permission: the options of the subject may. */
    private Decision byOption(Principal principal, byte[] subject, int length, Decision.Denied denied) {
        return switch (rules.of(subject, length).publish()) {
            case ANYONE -> Decision.ALLOWED;
            case USERS -> principal.user() == null ? denied : Decision.ALLOWED;
            case PERMITTED -> denied;
        };
    }

    /**
     * Executes a publish that {@link #mayPublish} permitted. The permissions may have ended while the data was received, so their
     * end is checked again.
     */
    public void onPermittedPublish(PublishRequest request) {
        counters.increment(Counter.PUBLISHES_IN);
        Session session = session();
        key.set(request.buffer(), request.subjectOffset(), request.subjectLength());
        Decision.Denied ended = session.principal().ended(routing.nowMillis());
        publish(session, request, ended == null ? Decision.ALLOWED : ended);
    }

    /** Publishes within the size and the rates, if the decision allows it; the subject is in {@link #key}. */
    private void publish(Session session, PublishRequest request, Decision decision) {
        if (request.contentLength() > messages.maxMessageSize()) {
            refusePublish(
                    request,
                    Code.MESSAGE_TOO_LARGE,
                    request.contentLength() + " bytes exceed MaxMessageSize, " + messages.maxMessageSize());
        } else if (decision instanceof Decision.Denied denied) {
            refusePublish(request, denied.code(), denied.reason());
        } else if (request.headersLength() > 0 && !messages.headers().admit(request)) {
            refusePublish(request, Code.BAD_HEADERS, messages.headers().rule());
        } else if ((limits.publishRate() == 0 || isWithinRate(session, request))
                && (addressPublishRate == 0 || isWithinAddressRate(session, request))
                && (userPublishRate == 0 || isWithinUserRate(session, request))) {
            if (asksToPublish && rules.of(key.bytes(), key.length()).decisions().ofPublish()) {
                askToPublish(session, request);
            } else {
                publisher.publish(session, key, request);
            }
        }
    }

    /** Publishes if the application allows it. The bytes of the request are copied if the answer is not known yet. */
    private void askToPublish(Session session, PublishRequest request) {
        byte[] subject = Arrays.copyOf(key.bytes(), key.length());
        Decision known = gate.known(session, AskedCommand.Kind.PUBLISH, subject);
        if (known != null) {
            publishAs(known, session, request);
            return;
        }
        PublishRequest copy = request.copy();
        int bytes = copy.buffer().capacity();
        gate.ask(session, AskedCommand.Kind.PUBLISH, subject, bytes, decision -> {
            of(session);
            key.set(copy.buffer(), copy.subjectOffset(), copy.subjectLength());
            boolean allowed = decision instanceof Decision.Allowed;
            // The permissions may have changed meanwhile.
            publishAs(allowed ? mayPublish(session.principal(), key.bytes(), key.length()) : decision, session, copy);
        });
    }

    private void publishAs(Decision decision, Session session, PublishRequest request) {
        switch (decision) {
            case Decision.Allowed allowed -> publisher.publish(session, key, request);
            case Decision.Denied denied -> refusePublish(request, denied.code(), denied.reason());
        }
    }

    private boolean isWithinRate(Session session, PublishRequest request) {
        long now = routing.nowNanos();
        RateBucket rate = session.extrasCreated().publishRate(limits.publishRate(), now);
        boolean within = rate.take(now);
        if (!within) {
            refusePublish(
                    request,
                    Code.PUBLISH_RATE,
                    "more than " + limits.publishRate() + " publishes per second",
                    rate.waitMillis(now));
        }
        return within;
    }

    private boolean isWithinAddressRate(Session session, PublishRequest request) {
        long wait = session.outbound().address().takePublish(addressPublishRate, routing.nowNanos());
        if (wait > 0) {
            refusePublish(
                    request,
                    Code.ADDRESS_PUBLISH_RATE,
                    "more than " + addressPublishRate + " publishes per second from this address",
                    wait);
        }
        return wait == 0;
    }

    private boolean isWithinUserRate(Session session, PublishRequest request) {
        String user = session.principal().user();
        long wait = user == null ? 0 : publishesOfUsers.take(user, userPublishRate, routing.nowNanos());
        if (wait > 0) {
            refusePublish(
                    request,
                    Code.USER_PUBLISH_RATE,
                    "more than " + userPublishRate + " publishes per second from all sessions of the user",
                    wait);
        }
        return wait == 0;
    }

    private void refusePublish(PublishRequest request, Code code, String reason) {
        refusePublish(request, code, reason, 0);
    }

    private void refusePublish(PublishRequest request, Code code, String reason, long afterMillis) {
        counters.increment(Counter.PUBLISHES_REFUSED);
        byte[] subject = new byte[request.subjectLength()];
        request.buffer().getBytes(request.subjectOffset(), subject);
        refuse(request.id(), code, reason, subject, afterMillis);
        if (code == Code.MESSAGE_TOO_LARGE) {
            onFault(code);
        }
    }

    private void onFault(Code code) {
        if (session().extrasCreated().onFault() >= FAULTS_MAX) {
            routing.close(session(), code, "after " + FAULTS_MAX + " such errors");
        }
    }

    @Override
    public void onSubscribe(long id, SubscribeRequest request) {
        Terms terms = new Terms(
                request.from(),
                request.patternFrom(),
                request.history(),
                request.conflateMillis(),
                true,
                request.delta());
        forEach(request.subjects(), subject -> {
            if (isWithinRate(id, subject)) {
                subscribe(id, subject, terms, mayRead(session().principal(), subject));
            }
        });
    }

    /** Applies the action to the subjects of a command. If they are many, several turns do this, and the further commands wait. */
    private void forEach(List<byte[]> subjects, Consumer<byte[]> action) {
        if (subjects.size() <= SUBJECTS_AT_ONCE) {
            subjects.forEach(action);
            return;
        }
        Session session = session();
        Outbound connection = session.outbound();
        Iterator<byte[]> left = subjects.iterator();
        connection.holdCommands();
        routing.work(() -> {
            if (!session.isClosed() && left.hasNext()) {
                of(session);
                action.accept(left.next());
                return true;
            }
            connection.releaseCommands();
            return false;
        });
    }

    /**
     * Decides whether a client with this principal may read a subject or a pattern, by a subscription, a stream, a poll or a
     * history. Needs no session, so that a denied request opens none.
     */
    public Decision mayRead(Principal principal, byte[] subject) {
        return principal.maySubscribe(subject, routing.nowMillis());
    }

    /** Subscribes as {@link #mayRead} decided; a denial is counted and answered with an error. */
    public void subscribe(long id, byte[] subject, Terms terms, Decision decision) {
        subscribe(id, subject, terms, decision, () -> true);
    }

    /**
     * Subscribes as {@link #mayRead} decided, and as the application decides if the options of the subject require that. Nothing
     * happens if the subscription is not wanted any more when its answer arrives.
     */
    public void subscribe(long id, byte[] subject, Terms terms, Decision decision, BooleanSupplier wanted) {
        if (!asksToSubscribe || decision instanceof Decision.Denied || !rules.asksToSubscribe(subject)) {
            subscribeAs(decision, id, subject, terms);
            return;
        }
        Session session = session();
        gate.ask(session, AskedCommand.Kind.SUBSCRIBE, subject, 0, answer -> {
            if (wanted.getAsBoolean()) {
                of(session);
                // The permissions may have changed meanwhile.
                boolean allowed = answer instanceof Decision.Allowed;
                subscribeAs(allowed ? mayRead(session.principal(), subject) : answer, id, subject, terms);
            }
        });
    }

    private void subscribeAs(Decision decision, long id, byte[] subject, Terms terms) {
        switch (decision) {
            case Decision.Allowed allowed -> routing.subscribe(session(), id, subject, terms);
            case Decision.Denied denied -> refuse(id, denied.code(), denied.reason(), subject);
        }
    }

    @Override
    public void onUnsubscribe(long id, List<byte[]> subjects) {
        forEach(subjects, subject -> {
            if (isWithinRate(id, subject)) {
                routing.unsubscribe(session(), id, subject);
            }
        });
    }

    @Override
    public void onPing(long id) {
        if (isWithinRate(id, null)) {
            routing.repliesOf(session()).pong(session(), id);
        }
    }

    @Override
    public void onWatch(long id, byte[] subject) {
        if (!messages.tightlyCoupled()) {
            refuse(id, Code.UNSUPPORTED, "PubSubTightlyCoupled is off", subject);
        } else if (session().principal().mayPublish(subject, subject.length, routing.nowMillis())
                instanceof Decision.Denied denied) {
            // Only a client that may publish to a subject may see who subscribes to it.
            refuse(id, denied.code(), denied.reason(), subject);
        } else if (isWithinRate(id, subject)) {
            routing.watch(session(), id, subject);
        }
    }

    @Override
    public void onUnwatch(long id, byte[] subject) {
        if (isWithinRate(id, subject)) {
            routing.unwatch(session(), id, subject);
        }
    }

    @Override
    public void onBadCommand(long id, Code code, String reason) {
        refuse(id, code, reason, null);
        if (code == Code.BAD_JSON || code == Code.BAD_FRAME) {
            onFault(code);
        }
    }

    /**
     * Takes one command, or one subject of a command, from the rates of the session and of its user; returns false when one is
     * exceeded. Publishes have rates of their own.
     */
    private boolean isWithinRate(long id, byte @Nullable [] subject) {
        return isWithinSessionRate(id, subject) && (userCommandRate == 0 || isWithinUserRate(id, subject));
    }

    private boolean isWithinUserRate(long id, byte @Nullable [] subject) {
        String user = session().principal().user();
        long wait = user == null ? 0 : commandsOfUsers.take(user, userCommandRate, routing.nowNanos());
        if (wait > 0) {
            refuse(
                    id,
                    Code.COMMAND_RATE,
                    "more than " + userCommandRate + " commands per second from all sessions of the user",
                    subject,
                    wait);
        }
        return wait == 0;
    }

    /** Takes one command from the session's rate. The first command is free, so that most sessions need no bucket. */
    private boolean isWithinSessionRate(long id, byte @Nullable [] subject) {
        int perSecond = limits.load().commandRate();
        Session session = session();
        if (perSecond == 0 || session.isBlank()) {
            return true;
        }
        long now = routing.nowNanos();
        RateBucket rate = session.extrasCreated().commandRate(perSecond, now);
        boolean within = rate.take(now);
        if (!within) {
            refuse(
                    id,
                    Code.COMMAND_RATE,
                    "more than " + perSecond + " commands per second",
                    subject,
                    rate.waitMillis(now));
        }
        return within;
    }

    private void refuse(long id, Code code, String reason, byte @Nullable [] subject) {
        refuse(id, code, reason, subject, 0);
    }

    private void refuse(long id, Code code, String reason, byte @Nullable [] subject, long afterMillis) {
        counters.refused(code);
        routing.repliesOf(session()).error(session(), id, code, reason, subject, afterMillis);
    }
}
