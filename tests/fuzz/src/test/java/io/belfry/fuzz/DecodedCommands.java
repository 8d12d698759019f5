package io.belfry.fuzz;

import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.Code;
import io.belfry.protocol.CommandDecoder;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.KeptSession;
import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.PublishTerms;
import io.belfry.protocol.Subjects;
import io.belfry.protocol.SubscribeRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The decoded command of one frame, as text, and how to encode it again. Owner: one call of a target. */
final class DecodedCommands implements CommandHandler {
    private final List<String> result = new ArrayList<>();
    private @Nullable BiConsumer<ClientEncoding, ByteBuf> encode;

    /** Decodes one frame; throws unless the decoder makes exactly one call. */
    static DecodedCommands of(CommandDecoder decoder, byte[] frame) {
        DecodedCommands commands = new DecodedCommands();
        decoder.decode(Unpooled.wrappedBuffer(frame), 0, frame.length, commands);
        SplitInput.require(commands.result.size() == 1, "not exactly one call for a frame: " + commands.result);
        return commands;
    }

    String text() {
        return result.getFirst();
    }

    /** Returns the same command in this encoding; null if the frame was refused or a client cannot send the command. */
    byte @Nullable [] in(ClientEncoding encoding) {
        if (encode == null) {
            return null;
        }
        ByteBuf out = Unpooled.buffer();
        encode.accept(encoding, out);
        return ByteBufUtil.getBytes(out);
    }

    private void add(String text, @Nullable BiConsumer<ClientEncoding, ByteBuf> encode) {
        result.add(text);
        this.encode = encode;
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static String plain(byte[] subject) {
        String problem = Subjects.problem(subject, 0, subject.length, false);
        SplitInput.require(problem == null, "an invalid subject was accepted: " + problem);
        return hex(subject);
    }

    private static String hex(List<byte[]> subjects, boolean patternAllowed) {
        for (byte[] subject : subjects) {
            String problem = Subjects.subscriptionProblem(subject, patternAllowed);
            SplitInput.require(problem == null, "an invalid subject was accepted: " + problem);
        }
        return subjects.stream().map(DecodedCommands::hex).toList().toString();
    }

    @Override
    public void onConnect(long id, ConnectRequest request) {
        String token = request.token();
        boolean fits = token == null || token.length() < 20_000;
        add(
                "connect " + id + " " + token + " " + request.pingMillis() + " " + text(request.session()) + " "
                        + request.client(),
                fits ? (to, out) -> to.connect(out, id, request) : null);
    }

    private static String text(@Nullable KeptSession session) {
        if (session == null) {
            return "-";
        }
        List<String> received = session.received().stream()
                .map(each -> hex(List.of(each.subject()), false) + each.at())
                .toList();
        return session.id() + received;
    }

    @Override
    public void onSubscribe(long id, SubscribeRequest request) {
        boolean patternAllowed = request.from() == null && request.history() == 0;
        String subjects = hex(request.subjects(), patternAllowed);
        add(
                "subscribe " + id + " " + subjects + " " + request.from() + " " + request.patternFrom() + " "
                        + request.history() + " " + request.conflateMillis(),
                (to, out) -> to.subscribe(out, id, request));
    }

    @Override
    public void onUnsubscribe(long id, List<byte[]> subjects) {
        add("unsubscribe " + id + " " + hex(subjects, true), (to, out) -> to.unsubscribe(out, id, subjects));
    }

    @Override
    public void onPublish(PublishRequest request) {
        byte[] subject = bytes(request, request.subjectOffset(), request.subjectLength());
        byte[] data = bytes(request, request.dataOffset(), request.dataLength());
        byte[] msgId = bytes(request, request.msgIdOffset(), request.msgIdLength());
        String idText = new String(msgId, StandardCharsets.UTF_8);
        boolean isText = Arrays.equals(idText.getBytes(StandardCharsets.UTF_8), msgId);
        long id = request.id();
        boolean retain = request.retain();
        Map<String, String> headers = headers(request);
        String origin =
                new String(bytes(request, request.originOffset(), request.originLength()), StandardCharsets.US_ASCII);
        PublishTerms terms = new PublishTerms(
                retain,
                idText.isEmpty() ? null : idText,
                headers,
                request.ttlMillis(),
                origin.isEmpty() ? null : origin);
        add(
                "publish " + id + " " + plain(subject) + " " + hex(data) + " " + retain + " " + hex(msgId) + headers
                        + " " + request.ttlMillis() + " " + origin,
                isText ? (to, out) -> to.publish(out, id, subject, Unpooled.wrappedBuffer(data), terms) : null);
    }

    private static Map<String, String> headers(PublishRequest request) {
        MessageView message = new MessageView()
                .data(request.buffer(), 0, 0)
                .headers(request.buffer(), request.headersOffset(), request.headersLength());
        Map<String, String> headers = MessageHeaders.of(message);
        String problem = MessageHeaders.problem(headers);
        SplitInput.require(problem == null, "invalid headers were accepted: " + problem);
        return headers;
    }

    private static byte[] bytes(PublishRequest request, int offset, int length) {
        return length == 0 ? new byte[0] : ByteBufUtil.getBytes(request.buffer(), offset, length);
    }

    @Override
    public void onPing(long id) {
        add("ping " + id, (to, out) -> to.ping(out, id));
    }

    @Override
    public void onWatch(long id, byte[] subject) {
        add("watch " + id + " " + plain(subject), (to, out) -> to.watch(out, id, subject));
    }

    @Override
    public void onUnwatch(long id, byte[] subject) {
        add("unwatch " + id + " " + plain(subject), (to, out) -> to.unwatch(out, id, subject));
    }

    @Override
    public void onBadCommand(long id, Code code, String reason) {
        SplitInput.require(reason.length() < 1000, "the reason is too long");
        add("refused " + id + " " + code.text(), null);
    }
}
