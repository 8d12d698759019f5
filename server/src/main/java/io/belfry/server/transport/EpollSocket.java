package io.belfry.server.transport;

import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.NotYetConnectedException;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket that is registered with the epoll handler of an event loop directly, without a channel of Netty: the plain
 * connections of native epoll. Owner: the loop.
 *
 * <p>There may be ten million of them, so the object is the file descriptor, the handle and the source of events in one. It has
 * 32 bytes, and what only few sockets need is made when it is needed.
 *
 * <p>epoll is level-triggered: an event is reported again until it is handled, so one event reads or writes a bounded number of times.
 * An event may belong to an earlier socket with the same descriptor number, which was closed after the poll. Therefore no
 * event is believed: what it means is read from the socket.
 */
final class EpollSocket extends FileDescriptor implements ClientSocket, EpollIoHandle, EventSlices.Source {
    // The events that epoll reports now; the sum of the flags is the index of OPS.
    private static final int IN = 1;
    private static final int OUT = 2;
    private static final int HALF_CLOSE = 4;
    private static final int AWAITED = IN | OUT | HALF_CLOSE;

    private static final int PAUSED = 8;
    private static final int INPUT_ENDED = 16;
    private static final int HALF_CLOSE_SEEN = 32;
    private static final int SHUTS_DOWN = 64;
    private static final int CLOSES = 128;
    private static final int UNREPORTED = 256;

    // The events that wait for a later turn are in five bits from this shift on: the lowest five of epoll, with
    // EPOLLRDHUP at the place of EPOLLPRI, which is never awaited.
    private static final int LEFT_SHIFT = 9;
    private static final int LEFT = 31 << LEFT_SHIFT;
    private static final int EPOLLPRI = 2;

    private static final Logger LOG = LoggerFactory.getLogger(EpollSocket.class);

    private static final EpollIoOps[] OPS = new EpollIoOps[AWAITED + 1];

    /** Value on Linux; Netty has no constant for this event, which epoll always reports. */
    private static final int EPOLLHUP = 0x10;

    private static final int READABLE = EpollIoOps.EPOLLIN.value() | EpollIoOps.EPOLLERR.value();
    private static final int WRITABLE = EpollIoOps.EPOLLOUT.value() | EpollIoOps.EPOLLERR.value();
    private static final int RESET = EpollIoOps.EPOLLERR.value();
    private static final int BROKEN = EpollIoOps.EPOLLERR.value() | EPOLLHUP;

    static {
        for (int flags = 0; flags < OPS.length; flags++) {
            // Without any event Netty removes the socket from epoll; edge-triggered, an error is then reported once.
            EpollIoOps ops = flags == 0 ? EpollIoOps.EPOLLET : EpollIoOps.NONE;
            ops = (flags & IN) == 0 ? ops : ops.with(EpollIoOps.EPOLLIN);
            ops = (flags & OUT) == 0 ? ops : ops.with(EpollIoOps.EPOLLOUT);
            ops = (flags & HALF_CLOSE) == 0 ? ops : ops.with(EpollIoOps.EPOLLRDHUP);
            OPS[flags] = ops;
        }
    }

    /** Writes for one event. */
    private static final int WRITES_MAX = 16;

    private @Nullable SocketEvents events;
    private @Nullable IoRegistration registration;
    private @Nullable UnsentBytes unsent;
    private short state;

    /** {@code descriptor} is that of a connected socket that does not block. */
    EpollSocket(int descriptor) {
        super(descriptor);
    }

    private boolean is(int flag) {
        return (state & flag) != 0;
    }

    private void set(int flag) {
        state |= (short) flag;
    }

    private SocketEvents events() {
        return Objects.requireNonNull(events);
    }

    private LoopContext context() {
        return events().context();
    }

    private LoopCounters counters() {
        return context().lane().counters();
    }

    /** Begins to report events, on the loop of their context. Any thread, which does not use the socket afterwards. */
    void serve(SocketEvents receiver) {
        events = receiver;
        LoopContext serving = receiver.context();
        if (serving.eventLoop().inEventLoop()) {
            open();
        } else {
            try {
                serving.eventLoop().execute(this::open);
            } catch (RejectedExecutionException ended) {
                LOG.debug("loop ended before it served a connection", ended);
                discard();
            }
        }
    }

    private void open() {
        try {
            registration = context().epoll().add(this);
            events().onOpen();
            awaitEvents();
        } catch (Exception failure) {
            context().lane().onFailure(failure);
            close();
        }
    }

    /** Closes the descriptor of a socket that is not served. */
    void discard() {
        try {
            super.close();
        } catch (IOException failure) {
            LOG.debug("a socket reported an error when it was closed", failure);
        }
    }

    /** Sets which events epoll reports. */
    private void awaitEvents() {
        int wanted = is(UNREPORTED) ? 0 : wantedEvents();
        if (registration == null || !isOpen() || wanted == (state & AWAITED)) {
            return;
        }
        state = (short) ((state & ~AWAITED) | wanted);
        try {
            registration.submit(OPS[wanted]);
        } catch (UncheckedIOException failure) {
            // No memory, or too many sockets for /proc/sys/fs/epoll/max_user_watches.
            context().lane().onFailure(failure);
            close();
        }
    }

    private int wantedEvents() {
        return (is(PAUSED | INPUT_ENDED) ? 0 : IN)
                | (unsent == null ? 0 : OUT)
                | (is(INPUT_ENDED | HALF_CLOSE_SEEN) ? 0 : HALF_CLOSE);
    }

    // ---- events ----

    @Override
    public FileDescriptor fd() {
        return this;
    }

    @Override
    public void handle(IoRegistration self, IoEvent event) {
        int ready = ((EpollIoEvent) event).ops().value();
        EventSlices slices = context().events();
        if ((ready & RESET) == 0 ? slices.admits(this, ready) : slices.admitsReset(this, ready)) {
            handle(ready);
        }
    }

    @Override
    public boolean leave(int ready) {
        boolean first = !is(LEFT);
        int halfClosed = (ready & EpollIoOps.EPOLLRDHUP.value()) == 0 ? 0 : EPOLLPRI;
        set((((ready & ~EPOLLPRI) | halfClosed) << LEFT_SHIFT) & LEFT);
        return first && is(LEFT);
    }

    @Override
    public int takeLeft() {
        int left = (state & LEFT) >> LEFT_SHIFT;
        state &= (short) ~LEFT;
        return (left & EPOLLPRI) == 0 ? left : (left & ~EPOLLPRI) | EpollIoOps.EPOLLRDHUP.value();
    }

    @Override
    public void stopReports() {
        set(UNREPORTED);
        awaitEvents();
    }

    @Override
    public void resumeReports() {
        state &= (short) ~UNREPORTED;
        awaitEvents();
    }

    /** Handles events in Netty's order: bytes are read before the end of the input is reported. */
    @Override
    public void handle(int ready) {
        try {
            if ((ready & WRITABLE) != 0 && unsent != null) {
                writeQueued();
            }
            if ((ready & READABLE) != 0) {
                read();
            }
            if ((ready & EpollIoOps.EPOLLRDHUP.value()) != 0) {
                onHalfClosed();
            }
            if ((ready & BROKEN) != 0 && is(INPUT_ENDED) && isOpen()) {
                onBroken();
            }
        } catch (RuntimeException failure) {
            // An exception that leaves this method would end the turn of all sockets, and stop the loop for a second.
            events().onFailure(failure);
            close();
        }
    }

    /** Reads once. A paused socket reads only when the client has closed or reset the connection. */
    private void read() {
        if (!isOpen() || is(INPUT_ENDED)) {
            return;
        }
        LoopContext context = context();
        ByteBuf bytes = context.received();
        int count;
        try {
            count = readAddress(bytes.memoryAddress(), 0, bytes.capacity());
        } catch (IOException | NotYetConnectedException failure) {
            events().onFailure(failure);
            close();
            return;
        }
        if (count > 0) {
            context.events().onRead(count);
            try {
                events().onRead(bytes.writerIndex(count).retain());
            } finally {
                context.reuseReceived();
            }
        } else if (count < 0) {
            set(INPUT_ENDED);
            awaitEvents();
            events().onInputEnded();
        }
    }

    /** Reads what the client sent last, also of a paused socket: the connection may end with it. */
    private void onHalfClosed() {
        read();
        if (isOpen() && !is(HALF_CLOSE_SEEN)) {
            set(HALF_CLOSE_SEEN);
            awaitEvents();
        }
    }

    /** Closes a socket on which nothing can be read or sent any more, after the client had closed its half. */
    private void onBroken() {
        try {
            int error = new Socket(intValue()).getSoError();
            if (error != 0) {
                events().onFailure(new Errors.NativeIoException("socket", -error));
            }
        } catch (IOException failure) {
            events().onFailure(failure);
        }
        close();
    }

    // ---- writing ----

    @Override
    public int writeNow(ByteBuf bytes, int offset, int length) {
        if (unsent != null) {
            return 0;
        }
        if (!isOpen()) {
            // onClosed has not run yet, and another connection may already have the same descriptor number.
            return -1;
        }
        try {
            return write(bytes, offset, length);
        } catch (IOException | NotYetConnectedException broken) {
            close();
            return -1;
        }
    }

    private int write(ByteBuf bytes, int offset, int length) throws IOException {
        int written = writeAddress(bytes.memoryAddress(), offset, offset + length);
        LoopCounters counters = counters();
        counters.increment(Counter.WRITES_OUT);
        counters.add(Counter.BYTES_OUT, written);
        return written;
    }

    @Override
    public void enqueue(ByteBuf bytes) {
        if (!isOpen()) {
            bytes.release();
            return;
        }
        counters().add(Counter.QUEUED_BYTES, bytes.readableBytes());
        UnsentBytes queue = unsent;
        if (queue == null) {
            queue = new UnsentBytes();
            unsent = queue;
            awaitEvents();
        }
        queue.add(bytes);
    }

    private void writeQueued() {
        UnsentBytes queue = Objects.requireNonNull(unsent);
        try {
            for (int writes = 0; writes < WRITES_MAX && !queue.isEmpty(); writes++) {
                ByteBuf first = queue.first();
                int length = first.readableBytes();
                int written = write(first, first.readerIndex(), length);
                counters().add(Counter.QUEUED_BYTES, -written);
                queue.onSent(written);
                if (written < length) {
                    return;
                }
            }
        } catch (IOException | NotYetConnectedException broken) {
            events().onFailure(broken);
            close();
            return;
        }
        if (queue.isEmpty()) {
            unsent = null;
            onQueueSent();
        }
    }

    private void onQueueSent() {
        if (is(CLOSES)) {
            close();
            return;
        }
        awaitEvents();
        if (is(SHUTS_DOWN)) {
            shutdownOutput();
        } else {
            events().onSocketReady();
        }
    }

    @Override
    public int queuedBytes() {
        return unsent == null ? 0 : unsent.bytes();
    }

    @Override
    public boolean isQueued() {
        return unsent != null;
    }

    @Override
    public boolean takesMore() {
        return unsent == null;
    }

    // ---- reading ----

    @Override
    public void pauseReading() {
        set(PAUSED);
        awaitEvents();
    }

    @Override
    public void resumeReading() {
        state &= (short) ~PAUSED;
        awaitEvents();
    }

    // ---- the end ----

    @Override
    public void shutdownOutput() {
        if (unsent != null) {
            set(SHUTS_DOWN);
        } else if (!isOpen() || is(INPUT_ENDED)) {
            close();
        } else {
            try {
                new Socket(intValue()).shutdown(false, true);
            } catch (IOException | NotYetConnectedException broken) {
                close();
            }
        }
    }

    @Override
    public void closeAfterQueued() {
        if (unsent == null) {
            close();
        } else {
            set(CLOSES);
        }
    }

    @Override
    public void cut() {
        close();
    }

    /** Closes the descriptor now, and reports the end in a later task of the loop, because the caller may be amid other work. */
    @Override
    public void close() {
        if (!isOpen()) {
            return;
        }
        LoopContext context = context();
        try {
            super.close();
        } catch (IOException failure) {
            LOG.debug("a socket reported an error when it was closed, which Linux closes in any case", failure);
        }
        if (registration != null) {
            registration.cancel();
        }
        if (unsent != null) {
            counters().add(Counter.QUEUED_BYTES, -unsent.bytes());
            unsent.release();
            unsent = null;
        }
        try {
            context.events().onClosed(this);
        } catch (RejectedExecutionException ended) {
            reportEnd();
        }
    }

    @Override
    public void reportEnd() {
        try {
            events().onClosed();
        } catch (RuntimeException failure) {
            context().lane().onFailure(failure);
        }
    }

    // ---- liveness ----

    @Override
    public boolean showsAcknowledgements() {
        return true;
    }

    @Override
    public int acknowledgedMillis(int silentMillis, int limitMillis) {
        return isOpen() ? TcpLiveness.acknowledgedMillis(this, silentMillis, limitMillis) : silentMillis;
    }

    @Override
    public void probeWhileSilent() {
        if (isOpen()) {
            try {
                new Socket(intValue()).setKeepAlive(true);
            } catch (IOException broken) {
                close();
            }
        }
    }
}
