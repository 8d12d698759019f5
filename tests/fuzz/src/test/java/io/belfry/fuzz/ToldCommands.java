package io.belfry.fuzz;

import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.Code;
import io.belfry.protocol.CommandDecoder;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.Subjects;
import io.belfry.protocol.SubscribeRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What a decoder made of one frame, as text; and how to say the same again in an encoding. Owner: the target's call. */
final class ToldCommands implements CommandHandler {
    private final List<String> told = new ArrayList<>();
    private @Nullable BiConsumer<ClientEncoding, ByteBuf> again;

    /** Decodes one frame, whatever it is: exactly one thing is told of it. */
    static ToldCommands of(CommandDecoder decoder, byte[] frame) {
        ToldCommands commands = new ToldCommands();
        decoder.decode(Unpooled.wrappedBuffer(frame), 0, frame.length, commands);
        Pieces.require(commands.told.size() == 1, "one call for a frame: " + commands.told);
        return commands;
    }

    String text() {
        return told.getFirst();
    }

    /** The same command in this encoding; null where it was none or cannot be said by a client. */
    byte @Nullable [] in(ClientEncoding encoding) {
        if (again == null) {
            return null;
        }
        ByteBuf out = Unpooled.buffer();
        again.accept(encoding, out);
        return ByteBufUtil.getBytes(out);
    }

    private void tell(String text, @Nullable BiConsumer<ClientEncoding, ByteBuf> sameAgain) {
        told.add(text);
        again = sameAgain;
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static String hex(List<byte[]> subjects, boolean patternAllowed) {
        for (byte[] subject : subjects) {
            String problem = Subjects.problem(subject, 0, subject.length, patternAllowed);
            Pieces.require(problem == null, "a valid subject: " + problem);
        }
        return subjects.stream().map(ToldCommands::hex).toList().toString();
    }

    @Override
    public void onConnect(long id, @Nullable String token) {
        boolean fits = token == null || token.length() < 20_000;
        tell("connect " + id + " " + token, fits ? (to, out) -> to.connect(out, id, token) : null);
    }

    @Override
    public void onSubscribe(long id, SubscribeRequest request) {
        boolean patternAllowed = request.from() == null && request.history() == 0;
        String subjects = hex(request.subjects(), patternAllowed);
        tell(
                "subscribe " + id + " " + subjects + " " + request.from() + " " + request.history() + " "
                        + request.conflateMillis(),
                (to, out) -> to.subscribe(out, id, request));
    }

    @Override
    public void onUnsubscribe(long id, List<byte[]> subjects) {
        tell("unsubscribe " + id + " " + hex(subjects, true), (to, out) -> to.unsubscribe(out, id, subjects));
    }

    @Override
    public void onPublish(PublishRequest request) {
        byte[] subject = bytes(request, request.subjectOffset(), request.subjectLength());
        byte[] data = bytes(request, request.dataOffset(), request.dataLength());
        byte[] msgId = bytes(request, request.msgIdOffset(), request.msgIdLength());
        String idText = new String(msgId, StandardCharsets.UTF_8);
        boolean isText = java.util.Arrays.equals(idText.getBytes(StandardCharsets.UTF_8), msgId);
        long id = request.id();
        boolean retain = request.retain();
        tell(
                "publish " + id + " " + hex(List.of(subject), false) + " " + hex(data) + " " + retain + " "
                        + hex(msgId),
                isText
                        ? (to, out) -> to.publish(
                                out,
                                id,
                                subject,
                                Unpooled.wrappedBuffer(data),
                                retain,
                                idText.isEmpty() ? null : idText)
                        : null);
    }

    private static byte[] bytes(PublishRequest request, int offset, int length) {
        return length == 0 ? new byte[0] : ByteBufUtil.getBytes(request.buffer(), offset, length);
    }

    @Override
    public void onPing(long id) {
        tell("ping " + id, (to, out) -> to.ping(out, id));
    }

    @Override
    public void onWatch(long id, byte[] subject) {
        tell("watch " + id + " " + hex(List.of(subject), false), (to, out) -> to.watch(out, id, subject));
    }

    @Override
    public void onUnwatch(long id, byte[] subject) {
        tell("unwatch " + id + " " + hex(List.of(subject), false), (to, out) -> to.unwatch(out, id, subject));
    }

    @Override
    public void onBadCommand(long id, Code code, String reason) {
        Pieces.require(reason.length() < 1000, "a short reason");
        tell("refused " + id + " " + code.text(), null);
    }
}
