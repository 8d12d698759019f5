package io.belfry.server.doctor;

import io.belfry.server.config.ListenConfig.NativeIo;
import io.belfry.server.config.TlsConfig;
import io.belfry.server.doctor.Doctor.Load;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The JVM, its flags and the native transport. Pure. */
final class JavaChecks {
    private static final int FEATURE = 25;

    /** Without these the server runs, but slower or with warnings; bin/belfry gives them all. */
    private static final List<String> FLAGS = List.of(
            "-XX:+UseCompactObjectHeaders",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow");

    private static final String WORK_FOLDER =
            "BELFRY_JAVA_OPTIONS=-Dio.netty.native.workdir=/path/that/may/run/programs";

    private JavaChecks() {}

    static Stream<Finding> of(Load load, Host host) {
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
                        "bin/belfry run   # gives them; or add them to the command"));
    }

    private static Optional<Finding> heap(Load load, Host.Java java) {
        // The collector keeps some of what -Xmx gives to itself, so the two are never quite equal.
        long configured = load.config().memoryBytes();
        return !java.server() || Math.abs(java.heapMaxBytes() - configured) <= configured / 8
                ? Optional.empty()
                : Optional.of(Finding.advice(
                        "heap: the JVM was started with " + (java.heapMaxBytes() >> 20) + " MB, Memory is "
                                + (configured >> 20) + " MB",
                        "bin/belfry run   # makes them the same; or -Xmx" + (configured >> 20) + "m"));
    }

    private static Optional<Finding> tls(Load load, Host.Java java) {
        TlsConfig.Provider wanted = load.config().tls().provider();
        if (load.config().listen().encrypted().isEmpty()
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
                        ? Finding.advice("TLS: " + why + "; the JDK's serves, with more CPU and memory", mend)
                        : Finding.serious("TLS: " + why + ", and Tls.Provider asks for it", mend));
    }

    private static Optional<Finding> epoll(Load load, Host.Java java) {
        NativeIo wanted = load.config().listen().nativeIo();
        if (wanted == NativeIo.NIO || (java.epollLibrary() && java.temporaryFolderRuns())) {
            return Optional.empty();
        }
        String why = java.epollLibrary()
                ? "the native transport cannot be loaded from " + java.temporaryFolder() + ", which is mounted noexec"
                : "there is no native transport for this system";
        String mend = java.epollLibrary() ? WORK_FOLDER : "X.Native.Io = false   # in the configuration";
        return Optional.of(
                wanted == NativeIo.AUTO
                        ? Finding.advice("sockets: " + why + "; NIO serves, with more CPU and memory", mend)
                        : Finding.serious("sockets: " + why + ", and X.Native.Io asks for it", mend));
    }
}
