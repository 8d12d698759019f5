package io.belfry.server.doctor;

import io.belfry.server.config.ListenConfig.NativeIo;
import io.belfry.server.config.TlsConfig;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks of the JVM, its flags and the native libraries. Pure functions. */
final class JavaChecks {
    private static final int FEATURE = 25;

    /** Flags without which the server runs slower or with warnings; bin/belfry sets them all. */
    private static final List<String> FLAGS = List.of(
            "-XX:+UseCompactObjectHeaders",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow");

    private static final String WORK_FOLDER =
            "BELFRY_JAVA_OPTIONS=-Dio.netty.native.workdir=/path/that/may/run/programs";

    private JavaChecks() {}

    static Stream<Finding> of(ExpectedLoad load, Host host) {
        return Stream.of(
                        version(host.java()),
                        flags(host.java()),
                        heap(load, host.java()),
                        epoll(load, host.java()),
                        tls(load, host.java()))
                .flatMap(Optional::stream);
    }

    private static Optional<Finding> version(Host.Java java) {
        return java.feature() >= FEATURE
                ? Optional.empty()
                : Optional.of(Finding.serious(
                        "JDK: this is " + java.version() + ", " + FEATURE + " or later is needed",
                        "export BELFRY_JAVA_HOME=/path/to/a/jdk-" + FEATURE));
    }

    private static Optional<Finding> flags(Host.Java java) {
        List<String> missing =
                FLAGS.stream().filter(flag -> !java.flags().contains(flag)).toList();
        return !java.server() || missing.isEmpty()
                ? Optional.empty()
                : Optional.of(Finding.advice(
                        "JVM flags: " + String.join(" ", missing) + " missing",
                        "bin/belfry run   # sets them; or add them to the command"));
    }

    private static Optional<Finding> heap(ExpectedLoad load, Host.Java java) {
        // The collector reserves a part of -Xmx, so the two figures are never quite equal.
        long configured = load.config().process().memoryBytes();
        return !java.server() || Math.abs(java.heapMaxBytes() - configured) <= configured / 8
                ? Optional.empty()
                : Optional.of(Finding.advice(
                        "heap: the JVM was started with " + (java.heapMaxBytes() >> 20) + " MB, but Memory is "
                                + (configured >> 20) + " MB",
                        "bin/belfry run   # sets both; or -Xmx" + (configured >> 20) + "m"));
    }

    private static Optional<Finding> tls(ExpectedLoad load, Host.Java java) {
        TlsConfig.Provider wanted = load.config().network().tls().provider();
        if (load.config().network().listen().encrypted().isEmpty()
                || wanted == TlsConfig.Provider.JDK
                || (java.tlsLibrary() && java.temporaryFolderRuns())) {
            return Optional.empty();
        }
        String why = java.tlsLibrary()
                ? "the native library cannot be loaded from " + java.temporaryFolder() + ", which is mounted noexec"
                : "there is no native library for this system";
        String mend = java.tlsLibrary() ? WORK_FOLDER : "Tls.Provider = jdk   # in the configuration";
        return Optional.of(
                wanted == TlsConfig.Provider.AUTO
                        ? Finding.advice("TLS: " + why + "; the JDK's TLS is used, with more CPU and memory", mend)
                        : Finding.serious("TLS: " + why + ", but Tls.Provider requires it", mend));
    }

    private static Optional<Finding> epoll(ExpectedLoad load, Host.Java java) {
        NativeIo wanted = load.config().network().listen().nativeIo();
        if (wanted == NativeIo.NIO || (java.epollLibrary() && java.temporaryFolderRuns())) {
            return Optional.empty();
        }
        String why = java.epollLibrary()
                ? "the native transport cannot be loaded from " + java.temporaryFolder() + ", which is mounted noexec"
                : "there is no native transport for this system";
        String mend = java.epollLibrary() ? WORK_FOLDER : "X.Native.Io = false   # in the configuration";
        return Optional.of(
                wanted == NativeIo.AUTO
                        ? Finding.advice("sockets: " + why + "; NIO is used, with more CPU and memory", mend)
                        : Finding.serious("sockets: " + why + ", but X.Native.Io requires it", mend));
    }
}
