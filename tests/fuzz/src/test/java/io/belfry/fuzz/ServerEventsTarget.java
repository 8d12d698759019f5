package io.belfry.fuzz;

import io.belfry.protocol.BinaryServerEvents;
import io.belfry.protocol.ConnectedEvent;
import io.belfry.protocol.JsonServerEvents;
import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.ServerEventDecoder;
import io.belfry.protocol.ServerEventHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Frames of a server as a client decodes them: at most one event per frame. The first byte selects the encoding. A binary
 * frame is preceded by another frame, which may declare an epoch.
 */
public final class ServerEventsTarget {
    private static final JsonServerEvents JSON = new JsonServerEvents();

    private ServerEventsTarget() {}

    /** Called by Jazzer and by {@link CorpusTest} for each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0) {
            return;
        }
        byte[] frame = Arrays.copyOfRange(input, 1, input.length);
        if ((input[0] & 1) == 0) {
            decode(JSON, frame);
        } else {
            BinaryServerEvents binary = new BinaryServerEvents();
            int first = Math.min(frame.length, 11);
            decode(binary, Arrays.copyOf(frame, first));
            decode(binary, Arrays.copyOfRange(frame, first, frame.length));
            decode(binary, frame);
        }
    }

    private static void decode(ServerEventDecoder decoder, byte[] frame) {
        Events events = new Events();
        ByteBuf buffer = Unpooled.wrappedBuffer(frame);
        decoder.decode(buffer, 0, frame.length, events);
        SplitInput.require(events.count <= 1, "more than one event");
    }

    private static final class Events implements ServerEventHandler {
        private int count;

        @Override
        public void onMessage(MessageView message) {
            count++;
            message.subject().slice(message.subjectOffset(), message.subjectLength());
            message.data().slice(message.dataOffset(), message.dataLength());
            MessageHeaders.of(message);
            requirePosition(message.epoch());
            requirePosition(message.seq());
            if (message.prev() != MessageView.NO_PREV) {
                requirePosition(message.prev());
            }
        }

        private static void requirePosition(long part) {
            SplitInput.require(part >= 0 && part <= Position.MAX, "a position is out of range");
        }

        @Override
        public void onConnected(long id, ConnectedEvent event) {
            count++;
        }

        @Override
        public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
            count++;
        }

        @Override
        public void onPosition(PatternPosition at) {
            count++;
        }

        @Override
        public void onUnsubscribed(long id, byte[] subject) {
            count++;
        }

        @Override
        public void onPublished(long id, long epoch, long seq) {
            count++;
        }

        @Override
        public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
            count++;
        }

        @Override
        public void onError(long id, String code, String reason, byte @Nullable [] subject) {
            count++;
        }

        @Override
        public void onReconnect(long afterMillis, String reason) {
            count++;
        }

        @Override
        public void onBadEvent(String reason) {
            count++;
        }
    }
}
