package io.belfry.attack.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.belfry.benchkit.process.MonitorClient;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Reads figures of the attacked server: from its JVM over a local JMX connection, as jcmd does but without a process for
 * each reading, and from its monitor over HTTP. Owner: the main thread.
 */
final class ServerProbe implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String LOOP_THREADS = "belfry-lane";

    private final JMXConnector connector;
    private final MemoryMXBean memory;
    private final ThreadMXBean threads;
    private final MonitorClient monitor;

    /** Connects to the JVM; {@code address} is that of the monitor, {@code http://host:port}. */
    @SuppressWarnings("BanJNDI") // The URL comes from our own child process and not from a user.
    ServerProbe(long pid, String address) throws IOException {
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
            String url = machine.startLocalManagementAgent();
            machine.detach();
            connector = JMXConnectorFactory.connect(new JMXServiceURL(url));
        } catch (AttachNotSupportedException e) {
            throw new IOException("the JVM of the server does not accept attach: " + e.getMessage(), e);
        }
        MBeanServerConnection beans = connector.getMBeanServerConnection();
        memory = ManagementFactory.getPlatformMXBean(beans, MemoryMXBean.class);
        threads = ManagementFactory.getPlatformMXBean(beans, ThreadMXBean.class);
        monitor = new MonitorClient(address, TIMEOUT);
    }

    /** Runs a full collection and returns the heap bytes in use after it. */
    long heapBytesAfterGc() {
        memory.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }

    /** Returns the thread names of the event loops that are alive. */
    Set<String> loops() {
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(Objects::nonNull)
                .map(ThreadInfo::getThreadName)
                .filter(name -> name.startsWith(LOOP_THREADS))
                .collect(Collectors.toSet());
    }

    /** Returns the server's counters, at most one second old; a counter that does not exist reads as 0. */
    JsonNode counters() throws IOException {
        JsonNode stats = monitor.stats();
        if (stats == null) {
            throw new IOException("the monitor of the server did not answer");
        }
        return stats.path("counters");
    }

    @Override
    public void close() {
        monitor.close();
        try {
            connector.close();
        } catch (IOException e) {
            // The server has ended, and the connection with it.
            return;
        }
    }
}
