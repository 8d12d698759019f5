package io.belfry.server.config;

import io.belfry.settings.SizeUnit;
import io.belfry.settings.ValueType;

/** The keys about memory and threads; {@code ConfigKey} lists them. Immutable. */
final class ThreadKeys {
    static final TopicKey MEMORY = new TopicKey(
            ConfigTopic.MEMORY_AND_THREADS,
            "Memory",
            ValueType.size(SizeUnit.MB, ProcessConfig.MIN_MEMORY_BYTES, Long.MAX_VALUE),
            "512 MB",
            "Maximum heap size, which the start script gives to the server. The heap grows with its use and shrinks"
                    + " after it. A number without a unit is in MB.");

    static final TopicKey WORKGROUPS = new TopicKey(
            ConfigTopic.MEMORY_AND_THREADS,
            "Workgroups",
            ValueType.numberOr("processors", 1, WorkgroupConfig.MAX_IO_THREADS),
            "processors",
            "Number of groups into which users are divided by their IP address. Groups run in parallel and"
                    + " share nothing.");

    static final TopicKey IO_THREADS = new TopicKey(
            ConfigTopic.MEMORY_AND_THREADS,
            "IoThreads",
            ValueType.numberOr("processors", 1, WorkgroupConfig.MAX_IO_THREADS),
            "processors",
            "Total number of event loops, divided among the workgroups. It is at least `Workgroups`; a larger"
                    + " `Workgroups` raises the default.");

    static final TopicKey X_SUBJECT_HOMES = new TopicKey(
            ConfigTopic.MEMORY_AND_THREADS,
            "X.SubjectHomes",
            ValueType.choice("subscriber", "hash"),
            "subscriber",
            "The event loop that has the order, the history and the list of subscribers of a subject. `subscriber`: that of"
                    + " its first subscriber; a message to one subscriber passes through two event loops at most. `hash`:"
                    + " any, by the subject's name. A server with its history on disk and a node of a cluster always use"
                    + " `hash`.");

    static final TopicKey X_JOIN_QUIET_LOOPS = new TopicKey(
            ConfigTopic.MEMORY_AND_THREADS,
            "X.JoinQuietLoops",
            ValueType.flag(),
            "true",
            "Whether one thread runs all event loops while they have little to do, which costs less than to wake several threads."
                    + " As soon as that thread is busy, each event loop has its own thread again. It needs native epoll.");

    static final TopicKey BENCHMARK_MODE = new TopicKey(
            ConfigTopic.MEMORY_AND_THREADS,
            "BenchmarkMode",
            ValueType.flag(),
            "false",
            "Whether to spread users evenly over the workgroups instead of by their IP address. Meant for load"
                    + " generators that open all connections from a few addresses.");

    private ThreadKeys() {}
}
