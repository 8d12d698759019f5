package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stream of events over HTTP/1.1, line by line. A line is one event, or one field of a server-sent event. The
 * server writes an event's {@code id:} before its only {@code data:} line, so each data line is passed on as an event.
 * Lines are passed on without copying, except those that a read or a chunk splits. Owner: its loop.
 */
public final class HttpStreamClientConnection extends SocketConnection implements ClientHttpBody.Receiver {
    /** Maximum length of a line, far above any MaxMessageSize in use. */
    private static final int LINE_BYTES_MAX = 64 << 20;

    private static final int OK = 200;
    private static final int DATA = 'd' << 24 | 'a' << 16 | 't' << 8 | 'a';
    private static final int ID = 'i' << 8 | 'd';

    private final ClientHttpBody body = new ClientHttpBody();
    private final boolean serverSentEvents;

    /** The request; null after it was sent. */
    private byte @Nullable [] request;

    private long readNanos;

    HttpStreamClientConnection(
            ClientLoop loop, byte[] request, boolean serverSentEvents, ConnectionListener listener, Channel channel) {
        super(loop, listener, channel);
        this.request = request;
        this.serverSentEvents = serverSentEvents;
    }

    @Override
    public void append(ByteBuf frames, ByteBuf payload, boolean binary) {
        throw new IllegalStateException("an HTTP stream only receives: publish on another connection");
    }

    @Override
    void connected() {
        state = State.ASKING;
        if (request != null) {
            flush(buffer().writeBytes(request));
            request = null;
        }
    }

    @Override
    void read(ByteBuf in, long nanos) {
        readNanos = nanos;
        if (state != State.ASKING) {
            readBody(in);
            return;
        }
        ByteBuf answer = wholeHead(in);
        if (answer == null) {
            return;
        }
        int headEnd = AnswerHead.end(answer);
        AnswerHead head = AnswerHead.of(answer, headEnd);
        if (head.status() == OK) {
            opened(head, answer, headEnd);
        } else if (head.refusalCame(answer, headEnd)) {
            end(head.refusal(answer, headEnd));
        } else if (carried == null) {
            carry(answer, answer.readableBytes());
        }
    }

    private void opened(AnswerHead head, ByteBuf answer, int headEnd) {
        answer.readerIndex(headEnd);
        // From here on, carried bytes are the beginning of a line.
        ByteBuf first = carried;
        carried = null;
        body.begin(head);
        state = State.OPEN;
        try {
            if (head.pingMillis() > 0) {
                listener.onPingInterval(head.pingMillis());
            }
            listener.onOpen(this);
            if (state == State.OPEN) {
                readBody(answer);
            }
        } finally {
            if (first != null) {
                first.release();
            }
        }
    }

    private void readBody(ByteBuf in) {
        body.read(in, this);
        if (state != State.OPEN) {
            return;
        }
        if (body.problem() != null) {
            end(new Ending(Ending.Cause.BAD_FRAME, body.problem()));
        } else if (body.ended()) {
            end(new Ending(Ending.Cause.CLOSED_BY_SERVER, "the server ended the stream"));
        }
    }

    @Override
    public boolean onBody(ByteBuf in, int length) {
        int end = in.readerIndex() + length;
        while (state == State.OPEN && in.readerIndex() < end) {
            int start = in.readerIndex();
            int lineEnd = in.indexOf(start, end, (byte) '\n');
            in.readerIndex(lineEnd < 0 ? end : lineEnd + 1);
            if (lineEnd < 0) {
                carryLine(in, start, end - start);
            } else if (carried == null) {
                line(in, start, lineEnd - start);
            } else {
                carried.writeBytes(in, start, lineEnd - start);
                lineCarried(carried);
            }
        }
        return state == State.OPEN;
    }

    private void lineCarried(ByteBuf whole) {
        // Cleared first: the listener may end the connection, which releases the carried buffer.
        carried = null;
        try {
            line(whole, whole.readerIndex(), whole.readableBytes());
        } finally {
            whole.release();
        }
    }

    private void carryLine(ByteBuf in, int start, int length) {
        if (carried == null) {
            carried = channel.alloc().directBuffer(length);
        }
        carried.writeBytes(in, start, length);
        if (carried.readableBytes() > LINE_BYTES_MAX) {
            end(new Ending(Ending.Cause.BAD_FRAME, "the server sent a line of more than " + LINE_BYTES_MAX + " bytes"));
        }
    }

    /** Handles one line. An empty line ends an event or is a keep-alive, and is ignored. */
    private void line(ByteBuf in, int start, int lengthWithReturn) {
        int length = lengthWithReturn;
        if (length > 0 && in.getByte(start + length - 1) == '\r') {
            length--;
        }
        if (length == 0) {
            return;
        }
        if (!serverSentEvents) {
            listener.onMessage(this, in, start, length, false, readNanos);
        } else if (length > 4 && in.getByte(start + 4) == ':' && in.getInt(start) == DATA) {
            int value = valueOffset(in, start, 5, length);
            listener.onMessage(this, in, value, start + length - value, false, readNanos);
        } else if (length > 2 && in.getByte(start + 2) == ':' && in.getShort(start) == ID) {
            int value = valueOffset(in, start, 3, length);
            listener.onEventId(this, in, value, start + length - value);
        }
    }

    /** One space after the colon does not belong to the value. */
    private static int valueOffset(ByteBuf in, int start, int nameLength, int length) {
        boolean space = length > nameLength && in.getByte(start + nameLength) == ' ';
        return start + nameLength + (space ? 1 : 0);
    }
}
