package io.belfry.server.monitor;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * Operations of the JVM's own beans that change nothing. jconsole, VisualVM and JDK Mission Control need them to show
 * threads and options. The list includes parameter types, so that an overload added later is refused. The bean
 * DiagnosticCommand is not listed: most of its commands write or pause the JVM for long, and these views need none of
 * the others. Immutable.
 */
final class ReadingOperations {
    private static final Map<String, Set<String>> BY_BEAN = Map.of(
            "java.lang:type=Threading",
            Set.of(
                    "findDeadlockedThreads()",
                    "findMonitorDeadlockedThreads()",
                    "getThreadInfo(long)",
                    "getThreadInfo(long, int)",
                    "getThreadInfo([J)",
                    "getThreadInfo([J, int)",
                    "getThreadInfo([J, boolean, boolean)",
                    "getThreadInfo([J, boolean, boolean, int)",
                    "getThreadCpuTime(long)",
                    "getThreadCpuTime([J)",
                    "getThreadUserTime(long)",
                    "getThreadUserTime([J)",
                    "getThreadAllocatedBytes(long)",
                    "getThreadAllocatedBytes([J)",
                    "dumpAllThreads(boolean, boolean)",
                    "dumpAllThreads(boolean, boolean, int)"),
            "com.sun.management:type=HotSpotDiagnostic",
            Set.of("getVMOption(java.lang.String)"));

    private ReadingOperations() {}

    /** Returns whether remote clients may invoke the operation, in the form that {@link #describe} returns. */
    static boolean contains(@Nullable ObjectName bean, String operation) {
        return bean != null
                && BY_BEAN.getOrDefault(bean.getCanonicalName(), Set.of()).contains(operation);
    }

    /** Returns the operation's name with its parameter types; JMX clients may send null for no parameters. */
    static String describe(@Nullable String name, @Nullable String @Nullable [] signature) {
        return name
                + Arrays.stream(signature == null ? new String[0] : signature)
                        .collect(Collectors.joining(", ", "(", ")"));
    }
}
