package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;

/**
 * Sends requests and receives their responses on a keep-alive connection; open as soon as TCP or TLS is connected.
 * Owner: its loop.
 */
public final class HttpCallConnection extends SocketConnection implements ClientHttpBody.Receiver {
    /** Maximum length of a response; responses to calls are short. */
    private static final int BODY_BYTES_MAX = 64 << 10;

    private final ClientHttpBody body = new ClientHttpBody();
    private final ByteBuf answer = Unpooled.buffer(0, Integer.MAX_VALUE);
    private int status;
    private boolean inBody;
    private boolean keptAlive = true;

    HttpCallConnection(ClientLoop loop, ConnectionListener listener, Channel channel) {
        super(loop, listener, channel);
    }

    @Override
    public void append(ByteBuf frames, ByteBuf payload, boolean binary) {
        frames.writeBytes(payload, payload.readerIndex(), payload.readableBytes());
    }

    @Override
    void connected() {
        state = State.OPEN;
        listener.onOpen(this);
    }

    @Override
    void read(ByteBuf in, long readNanos) {
        if (carried != null) {
            carried.writeBytes(in);
            ByteBuf all = carried;
            carried = null;
            try {
                readAnswers(all);
            } finally {
                all.release();
            }
        } else {
            readAnswers(in);
        }
    }

    private void readAnswers(ByteBuf in) {
        while (state == State.OPEN && (inBody || begin(in))) {
            body.read(in, this);
            if (body.problem() != null) {
                end(new Ending(Ending.Cause.BAD_FRAME, body.problem()));
            } else if (body.ended()) {
                answered();
            } else {
                return;
            }
        }
        if (state == State.OPEN && in.isReadable()) {
            carry(in, in.readableBytes());
        }
    }

    private boolean begin(ByteBuf in) {
        int headEnd = AnswerHead.end(in);
        if (headEnd < 0) {
            if (in.readableBytes() > AnswerHead.BYTES_MAX) {
                end(new Ending(Ending.Cause.BAD_FRAME, "the server's response is not HTTP"));
            }
            return false;
        }
        AnswerHead head = AnswerHead.of(in, headEnd);
        in.readerIndex(headEnd);
        if (head.status() == 0) {
            end(new Ending(Ending.Cause.BAD_FRAME, "the server's response is not HTTP"));
            return false;
        }
        status = head.status();
        keptAlive = head.keptAlive();
        body.begin(head);
        answer.clear();
        inBody = true;
        return true;
    }

    @Override
    public boolean onBody(ByteBuf in, int length) {
        if (answer.readableBytes() + length > BODY_BYTES_MAX) {
            end(new Ending(Ending.Cause.BAD_FRAME, "the server's response exceeds " + BODY_BYTES_MAX + " bytes"));
            return false;
        }
        answer.writeBytes(in, in.readerIndex(), length);
        return true;
    }

    private void answered() {
        inBody = false;
        listener.onAnswer(this, status, answer);
        if (!keptAlive && state == State.OPEN) {
            end(new Ending(Ending.Cause.CLOSED_BY_SERVER, "the server closed the connection after its response"));
        }
    }
}
