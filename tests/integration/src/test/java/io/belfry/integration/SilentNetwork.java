package io.belfry.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * Drops every packet to a connection of this process from one moment on. A socket filter that accepts nothing runs
 * before TCP sees a packet, so no packet is acknowledged. Linux only; needs no privileges. No state except in the
 * kernel.
 */
final class SilentNetwork {
    private static final int SOL_SOCKET = 1;
    private static final int SO_ATTACH_FILTER = 26;
    private static final short RETURN_CONSTANT = 6;
    private static final int LOCAL_ADDRESS = 1;
    private static final int INODE = 9;

    private SilentNetwork() {}

    static boolean isPossible() {
        return Files.isReadable(Path.of("/proc/self/net/tcp"));
    }

    static void cut(RawConnection connection) {
        int descriptor = descriptor(connection.localPort());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment instruction = arena.allocate(8, 4);
            instruction.set(ValueLayout.JAVA_SHORT, 0, RETURN_CONSTANT);
            MemorySegment program = arena.allocate(16, 8);
            program.set(ValueLayout.JAVA_SHORT, 0, (short) 1);
            program.set(ValueLayout.ADDRESS, 8, instruction);
            setSocketOption(descriptor, program);
        }
        connection.expectNothing();
    }

    /**
     * The method handle is restricted, because a wrong signature would crash the process; this one is that of
     * setsockopt(2).
     */
    @SuppressWarnings("restricted")
    private static void setSocketOption(int descriptor, MemorySegment value) {
        Linker linker = Linker.nativeLinker();
        FunctionDescriptor signature = FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_INT);
        MemorySegment function = linker.defaultLookup().find("setsockopt").orElseThrow();
        try {
            int result = (int) linker.downcallHandle(function, signature)
                    .invokeExact(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, value, (int) value.byteSize());
            if (result != 0) {
                throw new AssertionError("setsockopt(SO_ATTACH_FILTER) failed");
            }
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The JDK does not expose the descriptor of a socket, but the kernel lists the inode of each socket. Another process may use
     * the same local port for another connection.
     */
    private static int descriptor(int localPort) {
        String end = String.format(Locale.ROOT, ":%04X", localPort);
        return Stream.of("tcp", "tcp6")
                .map(table -> Path.of("/proc/self/net", table))
                .filter(Files::isReadable)
                .flatMap(table -> lines(table).map(line -> line.strip().split("\\s+")))
                .filter(row -> row[LOCAL_ADDRESS].endsWith(end))
                .flatMapToInt(row -> descriptor("socket:[" + row[INODE] + "]").stream())
                .findFirst()
                .orElseThrow();
    }

    private static Stream<String> lines(Path table) {
        try {
            return Files.readAllLines(table).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static OptionalInt descriptor(String target) {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(each -> target.equals(targetOf(each)))
                    .mapToInt(each -> Integer.parseInt(each.getFileName().toString()))
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String targetOf(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (NoSuchFileException closedMeanwhile) {
            return "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
