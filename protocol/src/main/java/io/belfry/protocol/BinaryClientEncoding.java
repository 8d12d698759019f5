package io.belfry.protocol;

import static io.belfry.protocol.BinaryEncoding.bytes;
import static io.belfry.protocol.BinaryEncoding.patternPosition;
import static io.belfry.protocol.BinaryEncoding.position;
import static io.belfry.protocol.BinaryEncoding.start;
import static io.belfry.protocol.BinaryLayout.*;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes commands in {@code belfry.binary.v1}, on the client's side. Immutable. */
public final class BinaryClientEncoding implements ClientEncoding {
    @Override
    public String subprotocol() {
        return Subprotocols.BINARY;
    }

    @Override
    public void connect(ByteBuf out, long id, ConnectRequest request) {
        KeptSession session = request.session();
        List<SubjectPosition> received = session == null ? List.of() : session.received();
        int flags = request.pingMillis() == 0 ? 0 : CONNECT_PING;
        flags |= session == null ? 0 : CONNECT_SESSION;
        flags |= received.isEmpty() ? 0 : CONNECT_POSITIONS;
        flags |= request.client() == null ? 0 : CONNECT_CLIENT;
        start(out, CONNECT, flags, id);
        if (request.pingMillis() != 0) {
            out.writeInt((int) request.pingMillis());
        }
        byte[] token = request.token() == null ? new byte[0] : request.token().getBytes(StandardCharsets.UTF_8);
        out.writeShort(fitting(token.length, 0xffff, "a token")).writeBytes(token);
        if (session != null) {
            byte[] name = session.id().getBytes(StandardCharsets.UTF_8);
            out.writeByte(fitting(name.length, 0xff, "a session")).writeBytes(name);
        }
        if (!received.isEmpty()) {
            positions(out, received);
        }
        if (request.client() != null) {
            byte[] client = request.client().getBytes(StandardCharsets.UTF_8);
            out.writeByte(fitting(client.length, 0xff, "a client")).writeBytes(client);
        }
    }

    private static void positions(ByteBuf out, List<SubjectPosition> positions) {
        out.writeShort(fitting(positions.size(), 0xffff, "a list of positions"));
        for (SubjectPosition each : positions) {
            subject(out, each.subject());
            position(out, each.at().epoch(), each.at().seq());
        }
    }

    @Override
    public void subscribe(ByteBuf out, long id, SubscribeRequest request) {
        Position from = request.from();
        int flags = from == null ? 0 : SUBSCRIBE_FROM;
        flags |= request.history() == 0 ? 0 : SUBSCRIBE_HISTORY;
        flags |= request.conflateMillis() == 0 ? 0 : SUBSCRIBE_CONFLATE;
        flags |= request.patternFrom() == null ? 0 : SUBSCRIBE_PATTERN_FROM;
        flags |= request.delta() ? SUBSCRIBE_DELTA : 0;
        start(out, SUBSCRIBE, flags, id);
        if (from != null) {
            position(out, from.epoch(), from.seq());
        }
        if (request.history() != 0) {
            out.writeInt(request.history());
        }
        if (request.conflateMillis() != 0) {
            out.writeInt(request.conflateMillis());
        }
        if (request.patternFrom() != null) {
            patternPosition(out, request.patternFrom());
        }
        if (request.delta()) {
            bytes(out, FossilDelta.NAME.getBytes(StandardCharsets.US_ASCII));
        }
        subjects(out, request.subjects());
    }

    @Override
    public void unsubscribe(ByteBuf out, long id, List<byte[]> subjects) {
        start(out, UNSUBSCRIBE, 0, id);
        subjects(out, subjects);
    }

    @Override
    public void publish(ByteBuf out, long id, byte[] subject, ByteBuf data, PublishTerms terms) {
        String msgId = terms.msgId();
        int flags = terms.retain() ? PUBLISH_RETAIN : 0;
        flags |= msgId == null ? 0 : PUBLISH_MSG_ID;
        flags |= terms.headers().isEmpty() ? 0 : PUBLISH_HEADERS;
        flags |= terms.ttlMillis() == 0 ? 0 : PUBLISH_TTL;
        flags |= terms.origin() == null ? 0 : PUBLISH_ORIGIN;
        start(out, PUBLISH, flags, id);
        subject(out, subject);
        if (msgId != null) {
            out.writeByte(fitting(ByteBufUtil.utf8Bytes(msgId), PublishRequest.MSG_ID_MAX_BYTES, "a msgId"));
            ByteBufUtil.writeUtf8(out, msgId);
        }
        if (!terms.headers().isEmpty()) {
            MessageHeaders.write(out, terms.headers());
        }
        if (terms.ttlMillis() != 0) {
            out.writeLong(terms.ttlMillis());
        }
        if (terms.origin() != null) {
            out.writeByte(fitting(ByteBufUtil.utf8Bytes(terms.origin()), ClientKeys.MAX_CHARS, "an origin"));
            ByteBufUtil.writeUtf8(out, terms.origin());
        }
        out.writeBytes(data, data.readerIndex(), data.readableBytes());
    }

    @Override
    public void ping(ByteBuf out, long id) {
        start(out, PING, 0, id);
    }

    @Override
    public void watch(ByteBuf out, long id, byte[] subject) {
        start(out, WATCH, 0, id);
        subject(out, subject);
    }

    @Override
    public void unwatch(ByteBuf out, long id, byte[] subject) {
        start(out, UNWATCH, 0, id);
        subject(out, subject);
    }

    private static void subjects(ByteBuf out, List<byte[]> subjects) {
        out.writeShort(fitting(subjects.size(), 0xffff, "a list of subjects"));
        for (byte[] subject : subjects) {
            subject(out, subject);
        }
    }

    private static void subject(ByteBuf out, byte[] subject) {
        fitting(subject.length, Subjects.MAX_BYTES, "a subject");
        bytes(out, subject);
    }

    /** Rejects a length that its field cannot hold; the truncated value would make a different frame. */
    private static int fitting(int length, int max, String what) {
        if (length > max) {
            throw new IllegalArgumentException(what + " of " + length + " is longer than " + max);
        }
        return length;
    }
}
