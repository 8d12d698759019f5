package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.ConnectionListener;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.HttpCalls;
import io.belfry.client.connection.HttpStream;
import io.belfry.client.connection.Route;
import io.belfry.client.connection.ServerConnection;
import io.belfry.protocol.JsonServerEvents;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.PublishTerms;
import io.belfry.protocol.ServerEventDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Receives events over an HTTP stream and publishes with requests on a second connection. When the set of subjects
 * changes, a new stream is opened that resumes at the current positions. Owner: the client's loop.
 */
final class HttpLink extends ConnectionLink {
    /** Maximum number of requests that wait for responses on one connection. */
    private static final int OUTSTANDING_MAX = 64;

    private static final int UNAUTHORIZED = 401;
    private static final int REQUEST_TIMEOUT = 408;

    /** Changes of subscriptions within this time lead to one new stream. */
    private static final long CHANGES_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ServerAddress server;
    private final boolean serverSentEvents;
    private final long pingMillis;
    private @Nullable String token;
    private HttpCalls calls;
    private final PublishAnswer answers = new PublishAnswer();
    private final ArrayDeque<Publish> outstanding = new ArrayDeque<>();
    private final ByteBuf request = Unpooled.buffer(512);
    private @Nullable Stream stream;
    private boolean opened;
    private boolean changing;
    private boolean paused;

    HttpLink(
            ClientLoop loop,
            Route route,
            ServerAddress server,
            boolean serverSentEvents,
            long pingMillis,
            @Nullable String token,
            Owner owner) {
        super(loop, route, owner);
        this.server = server;
        this.serverSentEvents = serverSentEvents;
        this.pingMillis = pingMillis;
        this.token = token;
        this.calls = HttpCalls.to(server.hostHeader(), token);
    }

    @Override
    public void open() {
        List<WantedSubscription> wantedSubscriptions = owner.wantedSubscriptions();
        if (wantedSubscriptions.isEmpty()) {
            openCalls();
        } else {
            openStream(wantedSubscriptions);
        }
    }

    private void openStream(List<WantedSubscription> wantedSubscriptions) {
        String target = target(wantedSubscriptions);
        String host = server.hostHeader();
        HttpStream opening = serverSentEvents
                ? HttpStream.serverSentEvents(host, target, token)
                : HttpStream.lines(host, target, token);
        Stream next = new Stream();
        stream = next;
        next.connection = loop.connect(route.opening(opening), next);
    }

    private void openCalls() {
        connection = loop.connect(route.opening(calls), new Calls());
    }

    private String target(List<WantedSubscription> wantedSubscriptions) {
        StringBuilder target = new StringBuilder(server.pathOf("/subscribe"));
        List<String> from = new ArrayList<>();
        char before = '?';
        int history = 0;
        PatternPosition ofPatterns = null;
        for (WantedSubscription wanted : wantedSubscriptions) {
            target.append(before)
                    .append("subject=")
                    .append(encoded(new String(wanted.subject(), StandardCharsets.UTF_8)));
            before = '&';
            if (wanted.patternFrom() != null) {
                ofPatterns = wanted.patternFrom();
            }
            if (!wanted.isPattern()) {
                from.add(wanted.from() == null ? "" : wanted.from().toString());
                history = Math.max(history, wanted.history());
            }
        }
        // The position of all patterns is the last one.
        if (ofPatterns != null) {
            from.add(ofPatterns.toString());
        }
        if (!from.stream().allMatch(String::isEmpty)) {
            target.append("&from=").append(String.join(",", from));
        }
        if (history > 0) {
            target.append("&history=").append(history);
        }
        int conflate = conflateMillis(wantedSubscriptions);
        if (conflate > 0) {
            target.append("&conflate=").append(conflate);
        }
        if (pingMillis > 0) {
            target.append("&ping=").append(pingMillis);
        }
        return target.toString();
    }

    /** A stream has one interval for all subjects: the shortest of them, or none if one of them wants all messages. */
    private static int conflateMillis(List<WantedSubscription> wantedSubscriptions) {
        return wantedSubscriptions.stream()
                .mapToInt(WantedSubscription::conflateMillis)
                .min()
                .orElse(0);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private void nowOpen() {
        if (!opened) {
            opened = true;
            owner.onLinkOpen();
        }
    }

    @Override
    public void subscribe(WantedSubscription wanted) {
        changed();
    }

    @Override
    public void unsubscribe(List<byte[]> subjects) {
        changed();
    }

    /**
     * A stream keeps the token it was opened with, so a new token needs a new stream, which resumes at the current
     * positions.
     */
    @Override
    public void renew(String next) {
        token = next;
        calls = HttpCalls.to(server.hostHeader(), next);
        changed();
    }

    private void changed() {
        if (!changing) {
            changing = true;
            loop.runAfter(CHANGES_NANOS, this::change);
        }
    }

    private void change() {
        changing = false;
        if (over) {
            return;
        }
        if (stream != null) {
            Stream old = stream;
            stream = null;
            old.finish();
        }
        List<WantedSubscription> wantedSubscriptions = owner.wantedSubscriptions();
        if (!wantedSubscriptions.isEmpty()) {
            openStream(wantedSubscriptions);
        }
    }

    @Override
    public boolean publish(Publish publish) {
        if (connection == null) {
            openCalls();
        }
        if (!isWritable() || outstanding.size() >= OUTSTANDING_MAX) {
            return false;
        }
        calls.post(request.clear(), target(publish), Unpooled.wrappedBuffer(publish.data()));
        append(request, true);
        outstanding.add(publish);
        return true;
    }

    private String target(Publish publish) {
        PublishTerms terms = publish.terms();
        StringBuilder target =
                new StringBuilder(server.pathOf("/publish?subject=")).append(encoded(publish.subjectText()));
        if (terms.retain()) {
            target.append("&retain=true");
        }
        if (terms.msgId() != null) {
            target.append("&msgId=").append(encoded(terms.msgId()));
        }
        if (terms.ttlMillis() != 0) {
            target.append("&ttl=").append(terms.ttlMillis()).append("ms");
        }
        if (terms.origin() != null) {
            target.append("&origin=").append(terms.origin());
        }
        terms.headers().forEach((name, value) -> target.append("&header=").append(encoded(name + "=" + value)));
        return target.toString();
    }

    /** No ping is needed: the server sends a comment or an empty line at its ping interval. */
    @Override
    public void ping() {}

    @Override
    public boolean expectsReads() {
        return stream != null;
    }

    @Override
    public void pauseReading(boolean pause) {
        paused = pause;
        if (stream != null) {
            stream.pauseAsAsked();
        }
    }

    @Override
    public void finish() {
        super.finish();
        if (stream != null) {
            Stream last = stream;
            stream = null;
            last.finish();
        }
    }

    /** One stream. A stream that is not the link's current one is ignored. */
    private final class Stream implements ConnectionListener {
        /** Each stream is a session with state of its own, so it has a decoder of its own. */
        private final ServerEventDecoder events = new JsonServerEvents();

        private @Nullable ServerConnection connection;

        @Override
        public void onOpen(ServerConnection open) {
            connection = open;
            lastReadNanos = loop.clock().getAsLong();
            pauseAsAsked();
            nowOpen();
        }

        private void pauseAsAsked() {
            if (connection != null && paused) {
                connection.pauseReading();
            } else if (connection != null) {
                connection.resumeReading();
            }
        }

        @Override
        public void onPingInterval(long millis) {
            if (isCurrent()) {
                owner.onPingInterval(millis);
            }
        }

        @Override
        public void onMessage(
                ServerConnection from, ByteBuf bytes, int offset, int length, boolean binary, long readNanos) {
            lastReadNanos = readNanos;
            // Ignores comment lines of NDJSON streams, and events of a replaced stream.
            if (isCurrent() && bytes.getByte(offset) == '{') {
                events.decode(bytes, offset, length, owner);
            }
        }

        @Override
        public void onReadEnd(ServerConnection from, int bytes) {
            lastReadNanos = loop.clock().getAsLong();
        }

        @Override
        public void onEnd(Ending ending) {
            if (isCurrent()) {
                fail(ending);
            }
        }

        private boolean isCurrent() {
            return equals(stream);
        }

        void finish() {
            if (connection != null) {
                connection.finish();
            }
        }
    }

    /**
     * The connection for publishing. The server closes it when it is idle for long; the next publish opens a new one.
     */
    private final class Calls implements ConnectionListener {
        private boolean wasOpen;

        @Override
        public void onOpen(ServerConnection open) {
            wasOpen = true;
            connection = open;
            if (opened) {
                owner.onLinkWritable();
            } else {
                nowOpen();
            }
        }

        @Override
        public void onMessage(
                ServerConnection from, ByteBuf bytes, int offset, int length, boolean binary, long readNanos) {
            throw new IllegalStateException("a call connection receives responses, not messages");
        }

        @Override
        public void onAnswer(ServerConnection from, int status, ByteBuf body) {
            Publish publish = outstanding.poll();
            if (publish == null && status == REQUEST_TIMEOUT) {
                // The server closes a connection on which no request arrived; the next publish opens a new one.
                return;
            }
            if (publish == null) {
                fail(new Ending(Ending.Cause.BAD_FRAME, "the server sent a response without a request"));
                return;
            }
            answers.read(status, body);
            if (answers.isOfConnection()) {
                fail(new Ending(Ending.Cause.REFUSED, "the server ends the connection", status, answers.code(), 0));
                return;
            }
            answers.report(publish.id(), owner);
            if (status == UNAUTHORIZED) {
                fail(new Ending(
                        Ending.Cause.REFUSED, "the server does not accept the token", status, "unauthorized", 0));
            }
        }

        @Override
        public void onReadEnd(ServerConnection from, int bytes) {
            notifyWritable();
        }

        @Override
        public void onWritable(ServerConnection from, boolean writable) {
            if (writable) {
                notifyWritable();
            }
        }

        @Override
        public void onEnd(Ending ending) {
            connection = null;
            boolean idle = wasOpen && outstanding.isEmpty() && pending == null;
            if (!idle) {
                fail(ending);
            }
        }
    }
}
