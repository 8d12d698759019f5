package io.belfry.server.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollTcpInfo;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.channel.uring.IoUringTcpInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reports when the system of a client last acknowledged anything, for clients that send nothing themselves. Owner:
 * the loop.
 *
 * <p>The kernel takes bytes for a client that vanished until its buffer is full, so a write proves nothing. {@code
 * TCP_USER_TIMEOUT} would find such clients too, but Linux applies it to window probes even when each of them is
 * answered, and so it also ends readers that only stall. {@code TCP_INFO} distinguishes the two, for one system call
 * per look.
 */
final class TcpLiveness {
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;

    private final EpollTcpInfo epoll = new EpollTcpInfo();
    private final IoUringTcpInfo ioUring = new IoUringTcpInfo();

    /** Returns whether this kind of socket reports acknowledgements; the JDK's sockets do not. */
    static boolean isKnown(Channel channel) {
        return channel instanceof EpollSocketChannel || channel instanceof IoUringSocketChannel;
    }

    /**
     * Returns the time in ms since the client's system last showed activity. Returns {@code silentMillis} if nothing
     * newer is known, and 0 if no answer is due. After {@code limitMillis} of silence the caller closes the connection.
     */
    int acknowledgedMillis(Channel channel, int silentMillis, int limitMillis) {
        try {
            return switch (channel) {
                case EpollSocketChannel socket ->
                    read(socket.tcpInfo(epoll)).acknowledgedMillis(silentMillis, limitMillis);
                case IoUringSocketChannel socket ->
                    read(socket.tcpInfo(ioUring)).acknowledgedMillis(silentMillis, limitMillis);
                default -> silentMillis;
            };
        } catch (ChannelException closed) {
            return silentMillis;
        }
    }

    /** Does the same for a socket without a channel. */
    static int acknowledgedMillis(FileDescriptor socket, int silentMillis, int limitMillis) {
        try {
            ByteBuffer info = ByteBuffer.allocate(Sample.BYTES).order(ByteOrder.nativeOrder());
            new Socket(socket.intValue()).getRawOpt(IPPROTO_TCP, TCP_INFO, info);
            return Sample.of(info).acknowledgedMillis(silentMillis, limitMillis);
        } catch (IOException closed) {
            return silentMillis;
        }
    }

    private static Sample read(EpollTcpInfo info) {
        return new Sample(info.lastAckRecv(), info.lastDataSent(), info.unacked(), info.probes(), info.backoff());
    }

    private static Sample read(IoUringTcpInfo info) {
        return new Sample(info.lastAckRecv(), info.lastDataSent(), info.unacked(), info.probes(), info.backoff());
    }

    /**
     * A sample of the kernel's state of a connection.
     *
     * @param lastAckMillis time since the last acknowledgement
     * @param lastSentMillis time since data was sent, retransmissions included
     * @param unackedPackets data packets on their way
     * @param probes window and keep-alive probes without an answer
     * @param backoff how often the timer of retransmissions or window probes was doubled
     */
    record Sample(long lastAckMillis, long lastSentMillis, long unackedPackets, int probes, int backoff) {
        // Offsets in Linux's struct tcp_info, which is extended only at its end.
        private static final int PROBES = 3;
        private static final int BACKOFF = 4;
        private static final int UNACKED = 24;
        private static final int LAST_DATA_SENT = 44;
        private static final int LAST_ACK_RECV = 56;

        /** Size of the part that is read. */
        static final int BYTES = 60;

        /** Reads the kernel's structure. */
        static Sample of(ByteBuffer info) {
            return new Sample(
                    Integer.toUnsignedLong(info.getInt(LAST_ACK_RECV)),
                    Integer.toUnsignedLong(info.getInt(LAST_DATA_SENT)),
                    Integer.toUnsignedLong(info.getInt(UNACKED)),
                    Byte.toUnsignedInt(info.get(PROBES)),
                    Byte.toUnsignedInt(info.get(BACKOFF)));
        }

        int acknowledgedMillis(int silentMillis, int limitMillis) {
            if (lastAckMillis < silentMillis) {
                return (int) lastAckMillis;
            }
            if (probes > 0 || (unackedPackets > 0 && lastAckMillis > lastSentMillis)) {
                return silentMillis;
            }
            // A closed window: the kernel probes it less and less often, and every probe so far was answered.
            boolean answeredAll = backoff > 0;
            return answeredAll || silentMillis > limitMillis ? 0 : silentMillis;
        }
    }
}
