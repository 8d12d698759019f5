package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Connection;
import io.belfry.client.connection.ConnectionListener;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.HttpCalls;
import io.belfry.client.connection.HttpStream;
import io.belfry.client.connection.Route;
import io.belfry.protocol.JsonServerEvents;
import io.belfry.protocol.ServerEventDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A stream of events, and requests that publish on a connection beside it. Another set of subjects is another stream: it
 * is opened anew from the positions reached. Owner: the client's loop.
 */
final class HttpLink implements Link {
    /** Requests that wait for their answers on one connection. */
    private static final int OUTSTANDING_MAX = 64;

    private static final int UNAUTHORIZED = 401;

    /** Changes that follow each other closely make one new stream. */
    private static final long CHANGES_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ClientLoop loop;
    private final Route route;
    private final ServerAddress server;
    private final boolean serverSentEvents;
    private @Nullable String token;
    private final Owner owner;
    private HttpCalls calls;
    private final PublishAnswer answers = new PublishAnswer();
    private final ArrayDeque<Publish> outstanding = new ArrayDeque<>();
    private final ByteBuf request = Unpooled.buffer(512);
    private @Nullable Stream stream;
    private @Nullable Connection callConnection;
    private @Nullable ByteBuf requests;
    private boolean opened;
    private boolean changing;
    private boolean paused;
    private boolean over;
    private long lastReadNanos;

    HttpLink(
            ClientLoop loop,
            Route route,
            ServerAddress server,
            boolean serverSentEvents,
            @Nullable String token,
            Owner owner) {
        this.loop = loop;
        this.route = route;
        this.server = server;
        this.serverSentEvents = serverSentEvents;
        this.token = token;
        this.owner = owner;
        this.calls = HttpCalls.to(server.hostHeader(), token);
        this.lastReadNanos = loop.clock().getAsLong();
    }

    @Override
    public void open() {
        List<Wish> wishes = owner.wishes();
        if (wishes.isEmpty()) {
            openCalls();
        } else {
            openStream(wishes);
        }
    }

    private void openStream(List<Wish> wishes) {
        String target = target(wishes);
        String host = server.hostHeader();
        HttpStream opening = serverSentEvents
                ? HttpStream.serverSentEvents(host, target, token)
                : HttpStream.lines(host, target, token);
        Stream next = new Stream();
        stream = next;
        next.connection = loop.connect(route.opening(opening), next);
    }

    private void openCalls() {
        callConnection = loop.connect(route.opening(calls), new Calls());
    }

    private String target(List<Wish> wishes) {
        StringBuilder target = new StringBuilder(server.pathOf("/subscribe"));
        StringBuilder from = new StringBuilder();
        char before = '?';
        int history = 0;
        int positions = 0;
        for (Wish wish : wishes) {
            target.append(before)
                    .append("subject=")
                    .append(encoded(new String(wish.subject(), StandardCharsets.UTF_8)));
            before = '&';
            if (!wish.isPattern()) {
                from.append(positions == 0 ? "" : ",");
                from.append(wish.from() == null ? "" : wish.from().toString());
                positions++;
                history = Math.max(history, wish.history());
            }
        }
        if (wishes.stream().anyMatch(wish -> wish.from() != null)) {
            target.append("&from=").append(from);
        }
        if (history > 0) {
            target.append("&history=").append(history);
        }
        int conflate = conflateMillis(wishes);
        if (conflate > 0) {
            target.append("&conflate=").append(conflate);
        }
        return target.toString();
    }

    /** One stream has one interval for all its subjects: the shortest, and none where one of them wants all messages. */
    private static int conflateMillis(List<Wish> wishes) {
        return wishes.stream().mapToInt(Wish::conflateMillis).min().orElse(0);
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
    public void subscribe(Wish wish) {
        changed();
    }

    @Override
    public void unsubscribe(List<byte[]> subjects) {
        changed();
    }

    /** A stream keeps the token it was opened with: another one takes over from the positions reached. */
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
        List<Wish> wishes = owner.wishes();
        if (!wishes.isEmpty()) {
            openStream(wishes);
        }
    }

    @Override
    public boolean publish(Publish publish) {
        if (callConnection == null) {
            openCalls();
        }
        if (callConnection == null
                || !callConnection.isOpen()
                || !callConnection.isWritable()
                || outstanding.size() >= OUTSTANDING_MAX) {
            return false;
        }
        String target = server.pathOf("/publish?subject=")
                + encoded(publish.subjectText())
                + (publish.retain() ? "&retain=true" : "")
                + (publish.msgId() == null ? "" : "&msgId=" + encoded(publish.msgId()));
        calls.post(request.clear(), target, Unpooled.wrappedBuffer(publish.data()));
        if (requests == null) {
            requests = callConnection.buffer();
        }
        callConnection.append(requests, request, true);
        outstanding.add(publish);
        return true;
    }

    @Override
    public void flush() {
        if (requests != null && callConnection != null) {
            ByteBuf all = requests;
            requests = null;
            callConnection.flush(all);
        }
    }

    /** The server sends a comment or an empty line at its ping interval, unasked. */
    @Override
    public void ping() {}

    @Override
    public boolean expectsReads() {
        return stream != null;
    }

    @Override
    public long lastReadNanos() {
        return lastReadNanos;
    }

    @Override
    public void pauseReading(boolean pause) {
        paused = pause;
        if (stream != null) {
            stream.pauseAsAsked();
        }
    }

    @Override
    public void fail(Ending ending) {
        if (!over) {
            finish();
            owner.onLinkEnd(ending);
        }
    }

    @Override
    public void finish() {
        over = true;
        if (requests != null) {
            requests.release();
            requests = null;
        }
        if (stream != null) {
            Stream last = stream;
            stream = null;
            last.finish();
        }
        if (callConnection != null) {
            callConnection.finish();
        }
    }

    /** One stream; when it is not the link's current one, it has nothing more to say. */
    private final class Stream implements ConnectionListener {
        /** Each stream is a session of its own: what it was told holds for it alone. */
        private final ServerEventDecoder events = new JsonServerEvents();

        private @Nullable Connection connection;

        @Override
        public void onOpen(Connection open) {
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
        public void onMessage(Connection from, ByteBuf bytes, int offset, int length, boolean binary, long readNanos) {
            lastReadNanos = readNanos;
            // A comment line of the other media type, or an event of a stream that was left.
            if (isCurrent() && bytes.getByte(offset) == '{') {
                events.decode(bytes, offset, length, owner);
            }
        }

        @Override
        public void onReadEnd(Connection from, int bytes) {
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

    /** The connection for publishing. The server closes it when it was idle for long: the next publish opens another. */
    private final class Calls implements ConnectionListener {
        private boolean stood;

        @Override
        public void onOpen(Connection open) {
            stood = true;
            callConnection = open;
            if (opened) {
                owner.onLinkWritable();
            } else {
                nowOpen();
            }
        }

        @Override
        public void onMessage(Connection from, ByteBuf bytes, int offset, int length, boolean binary, long readNanos) {
            throw new IllegalStateException("calls have answers, not messages");
        }

        @Override
        public void onAnswer(Connection from, int status, ByteBuf body) {
            Publish publish = outstanding.poll();
            if (publish == null) {
                fail(new Ending(Ending.Cause.BAD_FRAME, "the server answered what nobody asked"));
                return;
            }
            answers.read(status, body);
            if (answers.isOfConnection()) {
                fail(new Ending(Ending.Cause.REFUSED, "the server ends the connection", status, answers.code(), 0));
                return;
            }
            answers.tell(publish.id(), owner);
            if (status == UNAUTHORIZED) {
                fail(new Ending(
                        Ending.Cause.REFUSED, "the server does not accept the token", status, "unauthorized", 0));
            }
        }

        @Override
        public void onReadEnd(Connection from, int bytes) {
            if (!over) {
                owner.onLinkWritable();
            }
        }

        @Override
        public void onWritable(Connection from, boolean writable) {
            if (writable && !over) {
                owner.onLinkWritable();
            }
        }

        @Override
        public void onEnd(Ending ending) {
            callConnection = null;
            boolean idle = stood && outstanding.isEmpty() && requests == null;
            if (!idle) {
                fail(ending);
            }
        }
    }
}
